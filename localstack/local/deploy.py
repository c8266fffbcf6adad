"""Builds the functions for this machine and deploys template.yaml into LocalStack."""

import json
import os
import platform
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from local import processes, settings
from local.settings import Failure, Place

TEMPLATE = settings.ROOT / "template.yaml"
START = settings.HERE / "start.json"
"""The message that 'up' prints, to start an orchestration of the sample application."""


def deploy(place: Place, template: Path, parameters: Sequence[str]) -> dict[str, str]:
    """Builds and deploys. Returns the outputs of the stack, and saves them for 'env'."""
    if not template.is_file():
        raise Failure(f"the template {template} does not exist; 'up --no-deploy' starts only the emulators")
    overrides = [f"Architecture={architecture()}", *parameters]
    build = str(place.folder / "build")
    sam = str(settings.SAM_VENV / "bin" / "sam")
    _run(
        place,
        "sam build",
        [sam, "build", "--template-file", str(template), "--build-dir", build, "--parameter-overrides", *overrides],
        template.parent,
    )
    _run(
        place,
        "sam deploy",
        [
            *[sam, "deploy", "--template-file", f"{build}/template.yaml", "--stack-name", settings.STACK],
            *["--region", settings.REGION, "--resolve-s3", "--no-confirm-changeset", "--no-fail-on-empty-changeset"],
            *["--no-progressbar", "--capabilities", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
            *["--parameter-overrides", *overrides],
        ],
        template.parent,
    )
    outputs = _stack_outputs(place, settings.STACK)
    for name, value in outputs.items():
        if value == "unknown":  # what LocalStack returns for a resource type that it does not support
            raise Failure(f"LocalStack does not support the resource of the stack's output {name}")
    _outputs_file(place).write_text(json.dumps(outputs, indent=2) + "\n")
    return outputs


def architecture() -> str:
    """Returns the architecture of this machine, by Lambda's name."""
    machine = platform.machine().lower()
    return "arm64" if machine in ("arm64", "aarch64") else "x86_64"


def outputs(place: Place) -> dict[str, str]:
    """Returns the outputs of the last deployment; empty if there was none."""
    try:
        kept: dict[str, str] = json.loads(_outputs_file(place).read_text())
    except FileNotFoundError:
        return {}
    return kept


def variable(output: str) -> str:
    """OrchestratorQueueUrl -> TURNSTILE_ORCHESTRATOR_QUEUE_URL."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", output)
    return "TURNSTILE_" + "_".join(words).upper()


def environment(place: Place, stack: str = "") -> dict[str, str]:
    """Variables for clients and tests: the emulator's address, and the outputs of 'up' or another stack."""
    env = settings.client_environment(place.endpoint)
    deployed = _stack_outputs(place, stack) if stack else outputs(place)
    env |= {variable(output): value for output, value in deployed.items()}
    if stack:
        # The command line prefers this variable to the others, which the shell may have from another stack.
        env["TURNSTILE_STACK"] = stack
    return env


def built(place: Place) -> dict[str, str]:
    """Variables that let tests use what 'up' has built: the functions and the command."""
    programs = {
        "TURNSTILE_LOCAL_FUNCTIONS": place.folder / "build",
        "TURNSTILE_LOCAL_COMMAND": settings.console(place.port).folder / "turnstile",
    }
    return {variable: str(path) for variable, path in programs.items() if path.exists()}


def start_command(place: Place, stack: dict[str, str]) -> str | None:
    """A command that sends a start message to the orchestrator queue."""
    url = stack.get("OrchestratorQueueUrl")
    if url is None:
        return None
    message = json.loads(START.read_text())
    words = ["aws", "--endpoint-url", place.endpoint, "sqs", "send-message", "--queue-url", url]
    words += ["--message-group-id", message["instance"], "--message-body", json.dumps(message)]
    return shlex.join(words)


def _outputs_file(place: Place) -> Path:
    return place.folder / "outputs.json"


def _stack_outputs(place: Place, name: str) -> dict[str, str]:
    aws = settings.LOCALSTACK_VENV / "bin" / "aws"
    answer = subprocess.run(
        [aws, "cloudformation", "describe-stacks", "--stack-name", name, "--output", "json"],
        env=_tool_environment(place),
        capture_output=True,
        text=True,
    )
    if answer.returncode != 0:
        raise Failure(f"the stack {name} could not be described; is it deployed into {place}? {answer.stderr.strip()}")
    [stack] = json.loads(answer.stdout)["Stacks"]
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def _run(place: Place, title: str, command: Sequence[str | Path], cwd: Path) -> None:
    log = place.folder / f"{title.replace(' ', '-')}.log"
    print(f"{title} (log: {log.relative_to(settings.ROOT)})", flush=True)
    with log.open("wb") as file:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            env=_tool_environment(place),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    if done.returncode == 0:
        return
    text = f"{title} failed with status {done.returncode}.{processes.log_end(log)}"
    if processes.running(place) is None:
        text += f"\n{place} has ended, which may be the cause.{processes.log_end(place.log)}"
    raise Failure(text)


def _tool_environment(place: Place) -> dict[str, str]:
    return (
        settings.clean_environment()
        | settings.client_environment(place.endpoint)
        | {
            "SAM_CLI_TELEMETRY": "0",
            "__SAM_CLI_APP_DIR": str(place.folder / "sam"),  # not in the home folder
            "CGO_ENABLED": "0",  # Lambda needs binaries that are not linked to a C library of this machine
            "PATH": f"{settings.BIN}{os.pathsep}{os.environ['PATH']}",
        }
    )

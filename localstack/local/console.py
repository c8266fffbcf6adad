"""The console (`turnstile console`) beside LocalStack, as one process."""

import json
import shutil
import socket
import subprocess
import urllib.request
from pathlib import Path

from local import deploy, processes, settings
from local.settings import Failure, Place

PORT = 8877
"""Where it listens if that is free; else any port that is."""
ANSWER_SECONDS = 600
"""More than the slowest machine needs: it bounds a start that hangs."""


def start(localstack: Place) -> str:
    """Builds the command, starts it on what is deployed, and waits until it answers: its address."""
    place = settings.console(localstack.port)
    stop(place)
    place.folder.mkdir(parents=True, exist_ok=True)
    binary = place.folder / "turnstile"
    _build(place, binary)
    address = f"http://127.0.0.1:{_free_port()}/"
    _address_file(place).write_text(json.dumps({"address": address}))
    environment = settings.clean_environment() | deploy.environment(localstack)
    command = [binary, "console", "--allow-actions", "--addr", address.removeprefix("http://").rstrip("/")]
    process = processes.start(place, command, environment)
    if not processes.wait_until(lambda: _answers(address) or not process.is_running(), ANSWER_SECONDS):
        raise Failure(f"{place} did not answer in {ANSWER_SECONDS} s.{processes.log_end(place.log)}")
    if not process.is_running():
        raise Failure(f"{place} ended while it started.{processes.log_end(place.log)}")
    return address


def stop(place: Place) -> bool:
    """Stops it; the log stays until the next start."""
    return processes.stop(place)


def address(place: Place) -> str:
    """Where the one that was started last listens; empty if there was none."""
    try:
        kept: dict[str, str] = json.loads(_address_file(place).read_text())
    except FileNotFoundError:
        return ""
    return kept["address"]


def _build(place: Place, binary: Path) -> None:
    """In a folder of its own, so that stopping finds what it left running."""
    if shutil.which("go") is None:
        raise Failure("go does not run: the console is built with it")
    built = subprocess.run(
        ["go", "build", "-o", str(binary), "."],
        cwd=settings.ROOT / "cmd" / "turnstile",
        env=settings.clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if built.returncode != 0:
        raise Failure(f"the command turnstile does not build:\n{built.stderr.strip()}")


def _free_port() -> int:
    for port in (PORT, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise Failure("there is no free port for the console")


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}api/v1/about", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _address_file(place: Place) -> Path:
    return place.folder / "address.json"

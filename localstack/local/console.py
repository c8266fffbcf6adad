"""The console (`turnstile console`) of a LocalStack, as one process."""

import json
import shutil
import socket
import subprocess
import urllib.request
from pathlib import Path

from local import deploy, processes, settings
from local.settings import Failure, Place

PORT = 8877
"""The port on which it listens if it is free; otherwise any free port."""
ANSWER_SECONDS = 600
"""Longer than the slowest machine needs, so that only a start that hangs fails."""


def start(localstack: Place) -> str:
    """Builds the command, starts it on the deployed stack, waits until it answers, and returns its address."""
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
    """Stops the console; the log remains until the next start."""
    return processes.stop(place)


def address(place: Place) -> str:
    """Returns the address of the console that was started last; empty if there was none."""
    try:
        kept: dict[str, str] = json.loads(_address_file(place).read_text())
    except FileNotFoundError:
        return ""
    return kept["address"]


def _build(place: Place, binary: Path) -> None:
    """Builds into the place's folder, so that stop finds processes that it left running."""
    if shutil.which("go") is None:
        raise Failure("cannot run go, which builds the console")
    built = subprocess.run(
        ["go", "build", "-o", str(binary), "."],
        cwd=settings.ROOT / "cmd" / "turnstile",
        env=settings.clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if built.returncode != 0:
        raise Failure(f"the command turnstile could not be built:\n{built.stderr.strip()}")


def _free_port() -> int:
    for port in (PORT, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise Failure("no port is free for the console")


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}api/v1/about", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _address_file(place: Place) -> Path:
    return place.folder / "address.json"

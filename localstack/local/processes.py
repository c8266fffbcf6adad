"""Starts processes that outlive the command, finds them again, and stops them with all they started."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.settings import Failure, Place

STOP_SECONDS = 20
"""How long an emulator may take to stop after SIGTERM. LocalStack needs 5 s."""
LOG_LINES = 40

_children: dict[int, subprocess.Popen[bytes]] = {}
"""Processes that this command started and has to reap."""


@dataclass(frozen=True)
class Process:
    """One process; ``started`` distinguishes it from a later one with the same id."""

    pid: int
    parent: int
    started: str
    command: str

    def is_running(self) -> bool:
        return any(other.pid == self.pid and other.started == self.started for other in table())

    def signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


def table() -> list[Process]:
    """Returns all processes except zombies."""
    return _table_proc() if Path("/proc/self/stat").exists() else _table_ps()


def _table_proc() -> list[Process]:
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it ended
        if fields[0] not in "ZX":
            found.append(Process(int(folder.name), int(fields[1]), fields[19], command))
    return found


def _table_ps() -> list[Process]:
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,lstart=,command="],
        env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    found = []
    for line in listing.stdout.splitlines():
        pid, parent, state, *rest = line.split(None, 8)  # lstart is five words
        if not state.startswith("Z") and len(rest) >= 5:
            found.append(Process(int(pid), int(parent), " ".join(rest[:5]), rest[5] if len(rest) > 5 else ""))
    return found


def with_descendants(root: Process, processes: Iterable[Process]) -> list[Process]:
    processes = list(processes)
    found, numbers = [root], {root.pid}
    grew = True
    while grew:
        grew = False
        for process in processes:
            if process.parent in numbers and process.pid not in numbers:
                numbers.add(process.pid)
                found.append(process)
                grew = True
    return found


def start(place: Place, command: Sequence[str | Path], env: Mapping[str, str]) -> Process:
    """Starts an emulator in its own session, with its output in the place's log."""
    with place.log.open("ab") as log:
        child = subprocess.Popen(
            [str(part) for part in command],
            cwd=place.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _children[child.pid] = child
    process = next((p for p in table() if p.pid == child.pid), None)
    if process is None:
        raise Failure(f"{place} ended immediately (exit status {child.wait()}).{log_end(place.log)}")
    place.state.write_text(json.dumps({"pid": process.pid, "started": process.started}))
    return process


def running(place: Place) -> Process | None:
    """Returns the emulator's process if it was started here and is still running."""
    try:
        state = json.loads(place.state.read_text())
    except (FileNotFoundError, ValueError):
        return None
    return next((p for p in table() if p.pid == state["pid"] and p.started == state["started"]), None)


def stop(place: Place, patience: float | None = None) -> bool:
    """Stops an emulator and everything it started. Returns False if nothing was running.

    It sends SIGTERM, and SIGKILL if the emulator has not ended after the patience, in seconds.
    """
    process = running(place)
    left = []
    if process is not None:
        left = with_descendants(process, table())
        process.signal(signal.SIGTERM)
        wait_until(lambda: not process.is_running(), STOP_SECONDS if patience is None else patience)
    # A crash, for example, leaves children without their parent. All of them run from the
    # emulator's own folder.
    orphans = [p for p in table() if runs_from(place.folder, p)]
    left = [p for p in {*left, *orphans} if p.is_running()]
    for other in left:
        other.signal(signal.SIGKILL)
    if not wait_until(lambda: not any(p.is_running() for p in left), 60):
        raise Failure(f"{place}: could not stop {', '.join(f'{p.pid} ({p.command[:80]})' for p in left)}")
    if process is not None and process.pid in _children:
        _children.pop(process.pid).wait()
    place.state.unlink(missing_ok=True)
    return process is not None or bool(left)


def runs_from(folder: Path, process: Process) -> bool:
    """Reports whether a process is a program of this folder, or a JVM with a jar from it."""
    return process.command.startswith(f"{folder}/") or f" -jar {folder}/" in process.command


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def check_port_is_free(place: Place, option: str, variable: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", place.port))
        except OSError as error:
            raise Failure(
                f"port {place.port} cannot be used ({error.strerror}): another program uses it.\n"
                f"Stop that program, or choose another port with {option} or {variable}."
            ) from None


def log_end(log: Path, lines: int = LOG_LINES) -> str:
    """Returns the last lines of a log with its name as a heading, for the end of an error."""
    try:
        text = log.read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return f"\nThere is no log ({log})."
    return "\n".join(["", f"The end of {log}:", *(f"  | {line}" for line in text[-lines:])])

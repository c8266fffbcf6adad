"""One execution environment of a function: a bootstrap process and its Runtime API."""

import contextlib
import dataclasses
import json
import logging
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from turnstile_localstack.runtime_api import Answer, InitError, Invocation, RuntimeApi

LOG = logging.getLogger(__name__)

LOG_LIMIT = 1 << 20
"""Bytes of output kept for one invocation; the rest is cut, with a note."""

EXIT_GRACE_SECONDS = 0.5
"""How long a stopped bootstrap may run after SIGTERM. Lambda allows no time without extensions."""


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of an invocation: a response, or the error that AWS would return."""

    payload: bytes
    is_error: bool
    output: str
    """The output of the process, stdout and stderr, since the previous invocation."""
    duration_ms: float


def error_payload(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()


class Sandbox:
    """Runs the ``bootstrap`` of one folder, one invocation at a time.

    The next invocation restarts a process that died (a crash, a timeout, an exit).
    ``stop`` may be called from any thread at any time; a running invocation then
    ends with an error.
    """

    def __init__(
        self, code: Path, env: Mapping[str, str], *, timeout: float, init_timeout: float, log_file: Path | None = None
    ) -> None:
        self._code = code
        self._env = dict(env)
        self._timeout = timeout
        self._init_timeout = init_timeout
        self._log_file = log_file
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._stopped = False

    def start(self) -> None:
        """Starts the process and waits until it asks for its first event; raises InitError if it fails."""
        with self._lock:
            if self._stopped:
                raise InitError(error_payload("Runtime.Stopped", "the sandbox was stopped"))
            self._process = process = _Process(self._code, self._env, self._log_file)
        try:
            process.api.ready.result(timeout=self._init_timeout)
        except TimeoutError:
            process.end()
            message = f"INIT timed out after {self._init_timeout:.2f} seconds"
            raise InitError(error_payload("Sandbox.Timedout", message)) from None
        except InitError:
            process.end()
            raise

    def invoke(self, invocation: Invocation) -> Result:
        """Runs one invocation, with a deadline from the function's timeout."""
        process = self._process
        if process is None or process.exited.is_set():
            self.start()
            process = self._process
            assert process is not None
        started = time.time()
        invocation = dataclasses.replace(invocation, deadline_ms=int((started + self._timeout) * 1000))
        process.begin(invocation.request_id)
        answer = process.api.deliver(invocation)
        if process.exited.is_set():  # it ended between the check above and the delivery
            process.report_exit()
        try:
            outcome = answer.result(timeout=self._timeout)
        except TimeoutError:
            process.end()
            message = f"RequestId: {invocation.request_id} Error: Task timed out after {self._timeout:.2f} seconds"
            outcome = Answer(error_payload("Sandbox.Timedout", message), is_error=True)
        return Result(outcome.payload, outcome.is_error, process.take_output(), (time.time() - started) * 1000)

    def stop(self) -> None:
        """Ends the process and everything it started, and waits for it. May be called again."""
        with self._lock:
            self._stopped = True
            process = self._process
        if process is not None:
            process.end(grace=EXIT_GRACE_SECONDS)

    def tail(self) -> str:
        """Returns the last output that belongs to no invocation, for error messages."""
        return self._process.peek_output() if self._process is not None else ""


class _Process:
    """One process of a bootstrap, from its start to its exit."""

    def __init__(self, code: Path, env: Mapping[str, str], log_file: Path | None) -> None:
        self.api = RuntimeApi()
        self.exited = threading.Event()
        self._signalling = threading.Lock()
        self._reaped = False
        self._request_id = ""
        self._log = log_file.open("ab", buffering=0) if log_file is not None else None
        bootstrap = code / "bootstrap"
        try:
            self._popen = subprocess.Popen(
                [str(bootstrap)],
                cwd=code,
                env={**env, "AWS_LAMBDA_RUNTIME_API": self.api.address},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            self.api.close()
            if self._log is not None:
                self._log.close()
            raise InitError(error_payload("Runtime.InvalidEntrypoint", f"{bootstrap}: {_why(error)}")) from error
        assert self._popen.stdout is not None
        self._output = _Output(self._popen.stdout, self._log)
        self._waiter = threading.Thread(target=self._wait, daemon=True, name=f"bootstrap-{self._popen.pid}")
        self._waiter.start()

    def begin(self, request_id: str) -> None:
        self._request_id = request_id

    def take_output(self) -> str:
        return self._output.take()

    def peek_output(self) -> str:
        return self._output.peek()

    def end(self, grace: float = 0) -> None:
        """Kills the process group, after SIGTERM and a grace period if there is one, and waits."""
        if grace and not self.exited.is_set():
            self._signal(signal.SIGTERM)
            self.exited.wait(grace)
        self._signal(signal.SIGKILL)
        self._waiter.join()

    def report_exit(self) -> None:
        """Fails the open requests, because this process will not answer."""
        reason = _exit_reason(self._popen.returncode)
        request = f"RequestId: {self._request_id} " if self._request_id else ""
        payload = error_payload("Runtime.ExitError", f"{request}Error: {reason}")
        self.api.fail(Answer(payload, is_error=True), payload)

    def _wait(self) -> None:
        # Waits for the process and not for its output, because a child may hold the pipe open.
        # Until the process is reaped its id is not reused, so the signal reaches no other process.
        os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
        self._signal(signal.SIGKILL)
        with self._signalling:
            self._reaped = True
            self._popen.wait()
        self._output.close()
        self.exited.set()
        self.report_exit()
        self.api.close()
        if self._log is not None:
            self._log.close()

    def _signal(self, number: signal.Signals) -> None:
        """Sends a signal to the process and the children that stayed in its group."""
        with self._signalling:
            if not self._reaped:
                with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: only a zombie is left
                    os.killpg(self._popen.pid, number)


class _Output:
    """Collects what a process writes, in a thread, so that its pipe never fills."""

    def __init__(self, pipe: IO[bytes], log: IO[bytes] | None) -> None:
        self._pipe = pipe
        self._log = log
        self._lock = threading.Lock()
        self._kept = bytearray()
        self._cut = 0
        os.set_blocking(pipe.fileno(), False)
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._collect, daemon=True, name="bootstrap-output")
        self._thread.start()

    def take(self) -> str:
        """Returns the output so far; a process writes its logs before it answers."""
        with self._lock:
            self._drain()
            text = self._kept.decode(errors="replace")
            if self._cut:
                text += f"\n[{self._cut} more bytes of output were cut]\n"
            self._kept.clear()
            self._cut = 0
        return text

    def peek(self) -> str:
        with self._lock:
            self._drain()
            return self._kept.decode(errors="replace")

    def close(self) -> None:
        """Reads the remaining output, without waiting for children that left the group."""
        os.write(self._wake_write, b"x")
        self._thread.join()
        with self._lock:
            self._drain()
            self._pipe.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _collect(self) -> None:
        while True:
            readable, _, _ = select.select([self._pipe.fileno(), self._wake_read], [], [])
            if self._wake_read in readable:
                return
            with self._lock:
                if not self._drain():
                    break
        select.select([self._wake_read], [], [])  # end of file: wait for close()

    def _drain(self) -> bool:
        """Reads the available output without waiting; returns False at its end."""
        if self._pipe.closed:
            return False
        while True:
            try:
                data = os.read(self._pipe.fileno(), 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            if self._log is not None:
                self._log.write(data)
            room = max(0, LOG_LIMIT - len(self._kept))
            self._kept += data[:room]
            self._cut += max(0, len(data) - room)


def _exit_reason(code: int) -> str:
    if code == 0:
        return "Runtime exited without providing a reason"
    if code > 0:
        return f"Runtime exited with error: exit status {code}"
    return f"Runtime exited with error: signal: {(signal.strsignal(-code) or str(-code)).lower()}"


def _why(error: OSError) -> str:
    match error:
        case FileNotFoundError():
            return "there is no bootstrap in the code of this function; was it built by 'sam build'?"
        case PermissionError():
            return "the bootstrap is not executable"
        case _ if "Exec format" in str(error):
            return (
                f"not a program for this machine ({os.uname().sysname} {os.uname().machine}); "
                "build it for this machine's architecture (template parameter Architecture)"
            )
    return str(error)

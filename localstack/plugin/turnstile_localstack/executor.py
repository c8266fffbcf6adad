"""LocalStack's side of a sandbox: its RuntimeExecutor interface."""

import logging
import os
import threading
from pathlib import Path

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from turnstile_localstack.runtime_api import InitError, Invocation
from turnstile_localstack.sandbox import Result, Sandbox, error_payload

LOG = logging.getLogger(__name__)

_running: set[Sandbox] = set()
_running_lock = threading.Lock()


class ProcessExecutor(RuntimeExecutor):
    """Runs the ``bootstrap`` of a ``provided.*`` function as a child process."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id, function_version)
        self._sandbox: Sandbox | None = None

    def start(self, env_vars: dict[str, str]) -> None:
        function, runtime = self.function_version.id.function_name, self.function_version.config.runtime or ""
        if not runtime.startswith("provided"):
            message = f"function {function}: runtime {runtime!r} cannot run here; provided.al2023 and provided.al2 can"
            LOG.error(message)
            raise StatusErrorException(message, payload=error_payload("Runtime.Unsupported", message))
        code = self.function_version.config.code
        assert code is not None, "a provided.* function comes as an archive"
        code.prepare_for_execution()
        folder = code.get_unzipped_code_location()
        self._sandbox = sandbox = Sandbox(
            folder,
            environment(env_vars, folder),
            timeout=self.function_version.config.timeout,
            init_timeout=config.LAMBDA_RUNTIME_ENVIRONMENT_TIMEOUT,
            log_file=_log_file(function),
        )
        with _running_lock:
            _running.add(sandbox)
        try:
            sandbox.start()
        except InitError as error:
            raise self._startup_failed(error) from error

    def stop(self) -> None:
        if self._sandbox is not None:
            self._sandbox.stop()
            with _running_lock:
                _running.discard(self._sandbox)

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        assert self._sandbox is not None, "LocalStack invokes what it has started"
        request_id = payload["invoke-id"]
        invocation = Invocation(
            request_id=request_id,
            payload=payload["payload"].encode(),
            deadline_ms=0,
            function_arn=payload["invoked-function-arn"],
            trace_id=payload["trace-id"],
        )
        try:
            result = self._sandbox.invoke(invocation)
        except InitError as error:
            raise self._startup_failed(error) from error
        return InvocationResult(
            request_id, result.payload, is_error=result.is_error, logs=self._report(request_id, result)
        )

    def get_logs(self) -> str:
        return self._sandbox.tail() if self._sandbox is not None else ""

    def get_address(self) -> str:
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        return "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        # Only LocalStack's own init program calls it; a bootstrap here uses its RuntimeApi.
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """Does nothing, because later versions of the same code share the folder; LocalStack deletes it."""

    def _startup_failed(self, error: InitError) -> StatusErrorException:
        function = self.function_version.id.function_name
        LOG.error("function %s did not start: %s; its output:\n%s", function, error, self.get_logs() or "(none)")
        return StatusErrorException(f"function {function} did not start", payload=error.payload)

    def _report(self, request_id: str, result: Result) -> str:
        """Returns the log of an invocation, with Lambda's own lines before and after it."""
        output = result.output if not result.output or result.output.endswith("\n") else result.output + "\n"
        return (
            f"START RequestId: {request_id} Version: {self.function_version.id.qualifier}\n"
            f"{output}"
            f"END RequestId: {request_id}\n"
            f"REPORT RequestId: {request_id}\tDuration: {result.duration_ms:.2f} ms\t"
            f"Memory Size: {self.function_version.config.memory_size} MB\n"
        )


def environment(env_vars: dict[str, str], code: Path) -> dict[str, str]:
    """Returns the function's variables as Lambda would set them; not all values of LocalStack are strings."""
    env = {name: str(value) for name, value in env_vars.items()}
    if level := env.get("AWS_LAMBDA_LOG_LEVEL"):
        env["AWS_LAMBDA_LOG_LEVEL"] = level.upper()  # LocalStack has Info, Lambda INFO
    return env | {"PATH": "/usr/local/bin:/usr/bin:/bin", "LAMBDA_TASK_ROOT": str(code)}


def stop_all() -> None:
    """Ends the remaining bootstraps when LocalStack stops."""
    with _running_lock:
        left = list(_running)
        _running.clear()
    for sandbox in left:
        sandbox.stop()


def _log_file(function: str) -> Path | None:
    """Returns the file in the folder TURNSTILE_FUNCTION_LOGS to which a function's output is appended."""
    folder = os.environ.get("TURNSTILE_FUNCTION_LOGS")
    if not folder:
        return None
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    return path / f"{function}.log"

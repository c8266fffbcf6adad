"""The Lambda Runtime API, served to one bootstrap over HTTP on loopback.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import dataclasses
import io
import json
import queue
import threading
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

VERSION = "2018-06-01"
_PREFIX = f"/{VERSION}/runtime/"
_EXTENSION = "/2020-01-01/extension/"


class ChunkedBodyError(ValueError):
    """A request body that does not follow the chunked transfer coding."""


@dataclasses.dataclass(frozen=True)
class Invocation:
    """One event for the function, as the headers and the body of ``invocation/next``."""

    request_id: str
    payload: bytes
    deadline_ms: int
    function_arn: str = ""
    trace_id: str = ""


@dataclasses.dataclass(frozen=True)
class Answer:
    """The response of the function to an invocation."""

    payload: bytes
    is_error: bool


class InitError(Exception):
    """The bootstrap did not ask for its first event."""

    def __init__(self, payload: bytes) -> None:
        super().__init__(payload.decode(errors="replace"))
        self.payload = payload


class RuntimeApi:
    """Serves one bootstrap process, one invocation at a time.

    ``ready`` resolves when the bootstrap first asks for an event, or fails with
    InitError when it reports that it cannot start. Each ``deliver`` returns a
    future that resolves when the bootstrap answers. ``fail`` resolves it instead if the
    bootstrap exited or ran out of time.
    """

    def __init__(self) -> None:
        self.ready: Future[None] = Future()
        self._lock = threading.Lock()
        self._pending: queue.SimpleQueue[Invocation | None] = queue.SimpleQueue()
        self._current: tuple[str, Future[Answer]] | None = None
        self._closed = False
        self._over = threading.Event()
        self._server = _Server(self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True, name="runtime-api"
        )
        self._thread.start()

    @property
    def address(self) -> str:
        """``host:port``, for AWS_LAMBDA_RUNTIME_API."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def deliver(self, invocation: Invocation) -> Future[Answer]:
        answer: Future[Answer] = Future()
        with self._lock:
            if self._current is not None and not self._current[1].done():
                raise RuntimeError(f"request {self._current[0]} is still running in this sandbox")
            self._current = (invocation.request_id, answer)
            self._pending.put(invocation)
        return answer

    def fail(self, answer: Answer, init_payload: bytes) -> None:
        """Resolves the first start and the running invocation, if they are open."""
        self._resolve_ready(InitError(init_payload))
        with self._lock:
            if self._current is not None and not self._current[1].done():
                self._current[1].set_result(answer)

    def close(self) -> None:
        """Stops the server. A bootstrap that waits for its next event loses the connection."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._over.set()
        self._pending.put(None)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # Called by the request handlers.

    def next(self) -> Invocation | None:
        self._resolve_ready(None)
        invocation = self._pending.get()
        if invocation is None:
            self._pending.put(None)  # for a second thread of the bootstrap
        return invocation

    def next_extension_event(self) -> None:
        """Waits until the end, because extensions receive no events."""
        self._over.wait()

    def init_error(self, payload: bytes) -> None:
        self._resolve_ready(InitError(payload))

    def answer(self, request_id: str, answer: Answer) -> bool:
        """Returns False if this is not the running invocation."""
        with self._lock:
            if self._current is None or self._current[0] != request_id or self._current[1].done():
                return False
            self._current[1].set_result(answer)
            return True

    def _resolve_ready(self, error: InitError | None) -> None:
        with self._lock:
            if self.ready.done():
                return
            if error is None:
                self.ready.set_result(None)
            else:
                self.ready.set_exception(error)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: RuntimeApi) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api

    def handle_error(self, request: object, client_address: object) -> None:
        """Logs no stack trace when a killed bootstrap closes its connections."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == _EXTENSION + "event/next":
            self.server.api.next_extension_event()
            self.close_connection = True
            return
        if self.path != _PREFIX + "invocation/next":
            return self._refuse(404, "ResourceNotFound", f"no such path: {self.path}")
        invocation = self.server.api.next()
        if invocation is None:
            self.close_connection = True
            return
        self._reply(
            200,
            invocation.payload,
            {
                "Content-Type": "application/json",
                "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
                "Lambda-Runtime-Deadline-Ms": str(invocation.deadline_ms),
                "Lambda-Runtime-Invoked-Function-Arn": invocation.function_arn,
                "Lambda-Runtime-Trace-Id": invocation.trace_id,
            },
        )

    def do_POST(self) -> None:
        try:
            body = read_body(self.rfile, self.headers.get("Transfer-Encoding", ""), self.headers.get("Content-Length"))
        except ValueError as error:
            self.close_connection = True
            return self._refuse(400, "InvalidRequest", str(error))
        if self.path == _EXTENSION + "register":
            # The bootstrap registers itself without events, so that it receives SIGTERM at the end.
            return self._reply(200, b"{}", {"Content-Type": "application/json", "Lambda-Extension-Identifier": "internal"})
        match self.path.removeprefix(_PREFIX).split("/"):
            case ["init", "error"]:
                self.server.api.init_error(body)
            case ["invocation", request_id, "response" | "error" as kind]:
                if not self.server.api.answer(request_id, Answer(body, is_error=kind == "error")):
                    return self._refuse(400, "InvalidRequestID", f"request {request_id} is not the running invocation")
            case _:
                return self._refuse(404, "ResourceNotFound", f"no such path: {self.path}")
        self._reply(202, b'{"status":"OK"}\n', {"Content-Type": "application/json"})

    def _refuse(self, status: int, kind: str, message: str) -> None:
        body = json.dumps({"errorType": kind, "errorMessage": message}).encode()
        self._reply(status, body, {"Content-Type": "application/json"})

    def _reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def read_body(stream: io.BufferedIOBase, transfer_encoding: str, content_length: str | None) -> bytes:
    """Reads a request body of known length or in chunks; aws-lambda-go sends chunks, with trailers."""
    if "chunked" not in transfer_encoding.lower():
        return stream.read(int(content_length or 0))
    body = bytearray()
    while True:
        line = stream.readline()
        try:
            size = int(line.split(b";")[0], 16)
        except ValueError:
            raise ChunkedBodyError(f"chunk size expected, got {line[:40]!r}") from None
        if size == 0:
            break
        chunk = stream.read(size)
        if len(chunk) < size:
            raise ChunkedBodyError(f"body ended {size - len(chunk)} bytes before its chunk did")
        body += chunk
        stream.readline()
    while stream.readline().strip():  # trailers
        pass
    return bytes(body)

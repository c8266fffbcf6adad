"""The Runtime API as a bootstrap sees it."""

import http.client
import io
import json
import unittest

from turnstile_localstack.runtime_api import Answer, ChunkedBodyError, InitError, Invocation, RuntimeApi, read_body

NEXT = "/2018-06-01/runtime/invocation/next"


class RuntimeApiTest(unittest.TestCase):
    def setUp(self) -> None:
        self.api = RuntimeApi()
        self.addCleanup(self.api.close)
        self.client = http.client.HTTPConnection(self.api.address, timeout=600)
        self.addCleanup(self.client.close)

    def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        self.client.request(method, path, body)
        response = self.client.getresponse()
        return response.status, response.read()

    def test_an_invocation_is_handed_out_and_its_response_taken(self) -> None:
        answer = self.api.deliver(Invocation("r1", b'{"a":1}', 123, "arn:f", "Root=1"))
        self.client.request("GET", NEXT)
        response = self.client.getresponse()
        self.assertEqual(response.read(), b'{"a":1}')
        self.assertEqual(response.headers["Lambda-Runtime-Aws-Request-Id"], "r1")
        self.assertEqual(response.headers["Lambda-Runtime-Deadline-Ms"], "123")
        self.assertEqual(response.headers["Lambda-Runtime-Trace-Id"], "Root=1")
        self.assertTrue(self.api.ready.done())
        status, _ = self.request("POST", "/2018-06-01/runtime/invocation/r1/response", b"done")
        self.assertEqual(status, 202)
        self.assertEqual(answer.result(0), Answer(b"done", is_error=False))

    def test_an_error_is_marked_as_one(self) -> None:
        answer = self.api.deliver(Invocation("r1", b"{}", 0))
        self.request("GET", NEXT)
        self.request("POST", "/2018-06-01/runtime/invocation/r1/error", b"{}")
        self.assertTrue(answer.result(0).is_error)

    def test_a_late_or_foreign_response_is_refused(self) -> None:
        answer = self.api.deliver(Invocation("r1", b"{}", 0))
        self.request("GET", NEXT)
        status, body = self.request("POST", "/2018-06-01/runtime/invocation/r0/response", b"old")
        self.assertEqual((status, json.loads(body)["errorType"]), (400, "InvalidRequestID"))
        self.api.fail(Answer(b"timeout", is_error=True), b"")
        status, _ = self.request("POST", "/2018-06-01/runtime/invocation/r1/response", b"late")
        self.assertEqual(status, 400)
        self.assertEqual(answer.result(0).payload, b"timeout")

    def test_two_invocations_at_once_are_a_mistake(self) -> None:
        self.api.deliver(Invocation("r1", b"{}", 0))
        with self.assertRaisesRegex(RuntimeError, "r1 is still running"):
            self.api.deliver(Invocation("r2", b"{}", 0))

    def test_an_init_error_fails_the_start(self) -> None:
        self.request("POST", "/2018-06-01/runtime/init/error", b'{"errorType":"X"}')
        with self.assertRaises(InitError) as caught:
            self.api.ready.result(0)
        self.assertEqual(caught.exception.payload, b'{"errorType":"X"}')

    def test_a_bootstrap_may_register_an_extension_of_its_own(self) -> None:
        self.client.request("POST", "/2020-01-01/extension/register", b'{"events":null}')
        response = self.client.getresponse()
        response.read()
        self.assertEqual(response.status, 200)
        self.assertTrue(response.headers["Lambda-Extension-Identifier"])
        self.client.request("GET", "/2020-01-01/extension/event/next")
        self.api.close()
        with self.assertRaises(http.client.HTTPException):
            self.client.getresponse()

    def test_an_unknown_path_is_not_found(self) -> None:
        self.assertEqual(self.request("GET", "/2018-06-01/runtime/nothing")[0], 404)
        self.assertEqual(self.request("POST", "/2018-06-01/runtime/invocation/r1")[0], 404)


class ReadBodyTest(unittest.TestCase):
    def read(self, data: bytes) -> bytes:
        return read_body(io.BytesIO(data), "chunked", None)

    def test_chunks_with_extensions_and_trailers(self) -> None:
        data = (
            b"4\r\nWiki\r\n6;x=y\r\npedia \r\nB\r\nin \r\nchunks\r\n0\r\nLambda-Runtime-Function-Error-Type: E\r\n\r\n"
        )
        self.assertEqual(self.read(data), b"Wikipedia in \r\nchunks")

    def test_a_length(self) -> None:
        self.assertEqual(read_body(io.BytesIO(b"abcdef"), "", "3"), b"abc")
        self.assertEqual(read_body(io.BytesIO(b"abcdef"), "", None), b"")

    def test_damage_is_an_error(self) -> None:
        for data in (b"", b"zz\r\nab", b"9\r\nshort"):
            with self.subTest(data), self.assertRaises(ChunkedBodyError):
                self.read(data)


if __name__ == "__main__":
    unittest.main()

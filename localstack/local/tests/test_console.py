"""The console beside LocalStack, with a small server in place of the command."""

import socket
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path
from unittest import mock

from local import console, processes, settings
from local.settings import Failure

SERVER = f"""#!{sys.executable}
import http.server, os, sys

class About(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/api/v1/about" else 404)
        self.end_headers()
        self.wfile.write(os.environ["AWS_ENDPOINT_URL"].encode())

host, port = sys.argv[sys.argv.index("--addr") + 1].split(":")
print("arguments", *sys.argv[1:], flush=True)
http.server.HTTPServer((host, int(port)), About).serve_forever()
"""


class ConsoleTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.replace(settings, "RUN", Path(folder.name).resolve())
        self.localstack = settings.localstack(4599)
        self.place = settings.console(4599)
        self.addCleanup(processes.stop, self.place, 2)

    def replace(self, module: object, name: str, value: object) -> None:
        patch = mock.patch.object(module, name, value)
        patch.start()
        self.addCleanup(patch.stop)

    def command(self, text: str) -> None:
        """What is built in place of the command."""

        def build(place: settings.Place, binary: Path) -> None:
            binary.write_text(text)
            binary.chmod(0o755)

        self.replace(console, "_build", build)

    def test_it_answers_where_it_says_and_is_stopped(self) -> None:
        self.command(SERVER)
        address = console.start(self.localstack)
        self.assertEqual(console.address(self.place), address)
        with urllib.request.urlopen(f"{address}api/v1/about", timeout=600) as answer:
            self.assertEqual(answer.read().decode(), self.localstack.endpoint)
        self.assertIn("arguments console --allow-actions", self.place.log.read_text())
        self.assertEqual(settings.places(), [self.place])
        self.assertTrue(console.stop(self.place))
        self.assertIsNone(processes.running(self.place))
        self.assertFalse(console.stop(self.place))

    def test_another_start_takes_the_place_of_the_one_before(self) -> None:
        self.command(SERVER)
        console.start(self.localstack)
        before = processes.running(self.place)
        console.start(self.localstack)
        now = processes.running(self.place)
        assert before is not None and now is not None
        self.assertNotEqual(before.pid, now.pid)
        self.assertFalse(before.is_running())

    def test_a_port_that_is_taken_gives_way(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.replace(console, "PORT", port)
            self.assertNotEqual(console._free_port(), port)

    def test_one_that_ends_at_once_says_why(self) -> None:
        self.command("#!/bin/sh\necho no such stack\nexit 1\n")
        with self.assertRaisesRegex(Failure, "the console of LocalStack on port 4599 ended(.|\n)*no such stack"):
            console.start(self.localstack)

    def test_where_there_was_none_it_has_no_address(self) -> None:
        self.assertEqual(console.address(self.place), "")


if __name__ == "__main__":
    unittest.main()

"""A sandbox with a real child process."""

import json
import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from turnstile_localstack.runtime_api import InitError, Invocation
from turnstile_localstack.sandbox import LOG_LIMIT, Result, Sandbox

BOOTSTRAP = Path(__file__).with_name("bootstrap.py")


def is_running(pid: int) -> bool:
    """False for zombies too: their parent is not ours to wait for them."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


class SandboxTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        bootstrap = self.folder / "bootstrap"
        bootstrap.write_text(f"#!{sys.executable}\n{BOOTSTRAP.read_text()}")
        bootstrap.chmod(0o755)
        self.requests = 0

    def sandbox(self, timeout: float = 600, init_timeout: float = 600, **env: str) -> Sandbox:
        sandbox = Sandbox(
            self.folder, env, timeout=timeout, init_timeout=init_timeout, log_file=self.folder / "function.log"
        )
        self.addCleanup(sandbox.stop)
        return sandbox

    def invoke(self, sandbox: Sandbox, **event: object) -> Result:
        self.requests += 1
        return sandbox.invoke(
            Invocation(f"request-{self.requests}", json.dumps(event).encode(), deadline_ms=0, function_arn="arn:f")
        )

    def test_an_event_is_answered_with_its_deadline_and_its_log(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        result = self.invoke(sandbox, do="echo", text="héllo")
        answer = json.loads(result.payload)
        self.assertFalse(result.is_error)
        self.assertEqual((answer["text"], answer["arn"]), ("héllo", "arn:f"))
        self.assertGreater(answer["deadline"], 0)
        self.assertEqual(result.output, "started\nechoing héllo\n")

    def test_the_log_of_one_invocation_is_not_in_the_next(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        self.invoke(sandbox, do="echo", text="one")
        self.assertEqual(self.invoke(sandbox, do="echo", text="two").output, "echoing two\n")
        self.assertEqual((self.folder / "function.log").read_text(), "started\nechoing one\nechoing two\n")

    def test_the_process_stays_for_the_next_event(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        pids = {json.loads(self.invoke(sandbox, do="echo").payload)["pid"] for _ in range(3)}
        self.assertEqual(len(pids), 1)

    def test_an_error_of_the_handler_is_passed_on(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        result = self.invoke(sandbox, do="error")
        self.assertTrue(result.is_error)
        self.assertEqual(json.loads(result.payload), {"errorType": "Oops", "errorMessage": "on purpose"})

    def test_an_exit_in_the_middle_is_an_error_and_the_next_event_gets_a_new_process(self) -> None:
        for event, reason in (
            ({"do": "exit", "code": 7}, "Runtime exited with error: exit status 7"),
            ({"do": "exit", "code": 0}, "Runtime exited without providing a reason"),
            ({"do": "kill"}, "Runtime exited with error: signal: killed"),
        ):
            with self.subTest(reason):
                sandbox = self.sandbox()
                sandbox.start()
                result = self.invoke(sandbox, **event)
                self.assertTrue(result.is_error)
                self.assertEqual(
                    json.loads(result.payload),
                    {
                        "errorType": "Runtime.ExitError",
                        "errorMessage": f"RequestId: request-{self.requests} Error: {reason}",
                    },
                )
                self.assertFalse(self.invoke(sandbox, do="echo").is_error)

    def test_what_was_written_before_an_exit_is_kept(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        self.assertEqual(self.invoke(sandbox, do="exit", code=1).output, "started\nleaving\n")

    def test_a_timeout_kills_the_process_and_its_children(self) -> None:
        sandbox = self.sandbox(timeout=10)  # On a busy machine too it says hello first.
        sandbox.start()
        result = self.invoke(sandbox, do="hang")
        self.assertEqual(
            json.loads(result.payload),
            {
                "errorType": "Sandbox.Timedout",
                "errorMessage": "RequestId: request-1 Error: Task timed out after 10.00 seconds",
            },
        )
        self.assertFalse(is_running(int(result.output.split()[-1])))
        self.assertFalse(self.invoke(sandbox, do="echo").is_error)

    def test_a_stop_takes_children_along_and_can_be_repeated(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        child = json.loads(self.invoke(sandbox, do="child").payload)["child"]
        self.assertTrue(is_running(child))
        sandbox.stop()
        sandbox.stop()
        self.assertFalse(is_running(child))

    def test_a_stop_ends_the_invocation_that_runs(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        results: list[Result] = []
        caller = threading.Thread(target=lambda: results.append(self.invoke(sandbox, do="hang")))
        caller.start()
        while not sandbox.tail().endswith("\n") or len(sandbox.tail().split()) < 2:
            caller.join(0.01)  # until it runs
        sandbox.stop()
        caller.join()
        self.assertTrue(results[0].is_error)

    def test_a_stopped_sandbox_does_not_start_again(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        sandbox.stop()
        with self.assertRaisesRegex(InitError, "stopped"):
            self.invoke(sandbox, do="echo")

    def test_a_start_that_fails_says_why(self) -> None:
        for init, reason in (("crash", "exit status 3"), ("error", "TABLE is missing"), ("hang", "INIT timed out")):
            with self.subTest(init), self.assertRaisesRegex(InitError, reason):
                self.sandbox(init_timeout=1 if init == "hang" else 600, INIT=init).start()

    def test_the_output_of_a_failed_start_can_be_shown(self) -> None:
        sandbox = self.sandbox(INIT="crash")
        with self.assertRaises(InitError):
            sandbox.start()
        self.assertEqual(sandbox.tail(), "no luck today\n")

    def test_code_that_cannot_run_is_named_with_what_to_do(self) -> None:
        bootstrap = self.folder / "bootstrap"
        bootstrap.write_bytes(b"\x7fELF nothing that any machine runs")
        with self.assertRaisesRegex(InitError, "Architecture"):
            self.sandbox().start()
        bootstrap.unlink()
        with self.assertRaisesRegex(InitError, "no bootstrap"):
            self.sandbox().start()

    def test_too_much_output_is_cut_and_said_to_be(self) -> None:
        sandbox = self.sandbox()
        sandbox.start()
        output = self.invoke(sandbox, do="flood", bytes=LOG_LIMIT + 100).output
        self.assertLess(len(output), LOG_LIMIT + 100)
        self.assertIn("108 more bytes of output were cut", output)  # "started\n" came first

    def test_several_sandboxes_run_side_by_side(self) -> None:
        sandboxes = [self.sandbox() for _ in range(4)]
        pids: list[int] = []

        def run(sandbox: Sandbox, number: int) -> None:
            sandbox.start()
            for _ in range(10):
                result = sandbox.invoke(Invocation(f"r{number}", b'{"do":"echo"}', 0))
            pids.append(json.loads(result.payload)["pid"])

        threads = [threading.Thread(target=run, args=(s, n)) for n, s in enumerate(sandboxes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(pids)), 4)


if __name__ == "__main__":
    unittest.main()

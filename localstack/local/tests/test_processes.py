"""Starting and stopping, with shells in place of emulators."""

import json
import os
import signal
import socket
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from local import processes, settings
from local.settings import Failure, Place


class ProcessesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patch = mock.patch.object(settings, "RUN", Path(folder.name).resolve())
        patch.start()
        self.addCleanup(patch.stop)
        self.place = Place("localstack", 4599)
        self.place.folder.mkdir()
        self.addCleanup(processes.stop, self.place)

    def program(self, text: str) -> Path:
        """One in the place's own folder, as an emulator's children are."""
        path = self.place.folder / "program"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def start(self, script: str) -> processes.Process:
        return processes.start(self.place, ["/bin/sh", "-c", script], dict(os.environ))

    def await_log(self, text: str) -> str:
        self.assertTrue(processes.wait_until(lambda: text in self.place.log.read_text(), 600))
        return self.place.log.read_text()

    def test_a_process_is_found_again_and_stopped(self) -> None:
        process = self.start("exec sleep 60")
        found = processes.running(self.place)  # Its command is another one before and after its exec.
        self.assertIsNotNone(found)
        self.assertEqual((found.pid, found.started), (process.pid, process.started))
        self.assertEqual(settings.places(), [self.place])
        self.assertTrue(processes.stop(self.place))
        self.assertIsNone(processes.running(self.place))
        self.assertEqual(settings.places(), [])
        self.assertFalse(processes.stop(self.place))

    def test_children_are_stopped_too_even_those_in_a_session_of_their_own(self) -> None:
        setsid = "import os; os.setsid(); os.execvp('sleep', ['sleep', '60'])"
        self.start(f'{sys.executable} -c "{setsid}" & echo child $!; wait')
        child = int(self.await_log("child").split()[1])
        processes.stop(self.place)
        self.assertNotIn(child, [p.pid for p in processes.table()])

    def test_children_whose_parent_crashed_are_stopped_too(self) -> None:
        program = self.program("")
        program.unlink()
        program.symlink_to("/bin/sleep")
        process = self.start(f"'{program}' 60 & echo child $!; wait")
        child = int(self.await_log("child").split()[1])
        # The shell names it before it has become the program.
        runs = lambda: any(p.pid == child and p.command.startswith(str(program)) for p in processes.table())
        self.assertTrue(processes.wait_until(runs, 600))
        process.signal(signal.SIGKILL)
        self.assertTrue(processes.wait_until(lambda: not process.is_running(), 600))
        self.assertIn(child, [p.pid for p in processes.table()])
        self.assertTrue(processes.stop(self.place))
        self.assertNotIn(child, [p.pid for p in processes.table()])

    def test_one_that_is_deaf_to_sigterm_is_killed(self) -> None:
        process = self.start("trap '' TERM; echo deaf; while :; do sleep 1; done")
        self.await_log("deaf")
        self.assertTrue(processes.stop(self.place, patience=0.2))
        self.assertFalse(process.is_running())

    def test_a_number_that_another_process_has_now_is_left_alone(self) -> None:
        self.place.state.write_text(json.dumps({"pid": os.getpid(), "started": "another time"}))
        self.assertIsNone(processes.running(self.place))
        self.assertFalse(processes.stop(self.place))  # or this test would be gone

    def test_a_damaged_state_is_no_process(self) -> None:
        self.place.state.write_text("")
        self.assertIsNone(processes.running(self.place))

    def test_who_only_reads_a_log_is_not_stopped(self) -> None:
        reader = processes.Process(1, 1, "", f"tail -f {self.place.log}")
        function = processes.Process(1, 1, "", f"{self.place.folder}/tmp/lambda/code/bootstrap")
        jvm = processes.Process(1, 1, "", f"java -Xmx256m -jar {self.place.folder}/root/DynamoDBLocal.jar -port 1")
        self.assertEqual(
            [processes.runs_from(self.place.folder, p) for p in (reader, function, jvm)], [False, True, True]
        )

    def test_a_taken_port_is_refused_with_what_to_do(self) -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            place = Place("localstack", other.getsockname()[1])
            with self.assertRaisesRegex(Failure, f"port {place.port} .*\n.*--port or TURNSTILE_LOCAL_PORT"):
                processes.check_port_is_free(place, "--port", "TURNSTILE_LOCAL_PORT")
        processes.check_port_is_free(place, "--port", "TURNSTILE_LOCAL_PORT")

    def test_the_end_of_a_log(self) -> None:
        self.place.log.write_text("\n".join(str(n) for n in range(100)))
        self.assertTrue(processes.log_end(self.place.log, lines=2).endswith("  | 98\n  | 99"))
        self.assertIn("no log", processes.log_end(self.place.folder / "none"))


if __name__ == "__main__":
    unittest.main()

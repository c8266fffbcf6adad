"""Names and messages that a deployment gives."""

import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from local import deploy, settings
from local.settings import Failure, Place


class DeployTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        patch = mock.patch.object(settings, "RUN", Path(folder.name))
        patch.start()
        self.addCleanup(patch.stop)
        self.place = Place("localstack", 4599)
        self.place.folder.mkdir()

    def test_outputs_become_variables(self) -> None:
        for output, variable in (
            ("OrchestratorQueueUrl", "TURNSTILE_ORCHESTRATOR_QUEUE_URL"),
            ("HistoryTable", "TURNSTILE_HISTORY_TABLE"),
            ("DeadFifoQueueUrl", "TURNSTILE_DEAD_FIFO_QUEUE_URL"),
            ("HTTPPort8", "TURNSTILE_HTTP_PORT8"),
        ):
            self.assertEqual(deploy.variable(output), variable)

    def test_the_environment_leads_clients_to_the_emulator(self) -> None:
        (self.place.folder / "outputs.json").write_text('{"HistoryTable": "t"}')
        env = deploy.environment(self.place)
        self.assertEqual(env["AWS_ENDPOINT_URL"], "http://127.0.0.1:4599")
        self.assertEqual(env["AWS_REGION"], "us-east-1")
        self.assertEqual(env["TURNSTILE_HISTORY_TABLE"], "t")

    def test_another_stack_is_asked_for_its_own_outputs(self) -> None:
        (self.place.folder / "outputs.json").write_text('{"HistoryTable": "sample", "ScheduleGroup": "sample"}')
        stacks = {"Stacks": [{"Outputs": [{"OutputKey": "HistoryTable", "OutputValue": "mine"}]}]}
        described = subprocess.CompletedProcess([], 0, json.dumps(stacks), "")
        with mock.patch.object(subprocess, "run", return_value=described) as run:
            env = deploy.environment(self.place, "shop")
        [command] = run.call_args.args
        self.assertEqual(command[command.index("--stack-name") + 1], "shop")
        names = {name: value for name, value in env.items() if name.startswith("TURNSTILE_")}
        self.assertEqual(names, {"TURNSTILE_HISTORY_TABLE": "mine", "TURNSTILE_STACK": "shop"})

    def test_a_stack_that_is_not_there_is_named(self) -> None:
        refused = subprocess.CompletedProcess([], 254, "", "Stack with id shop does not exist")
        with mock.patch.object(subprocess, "run", return_value=refused):
            with self.assertRaisesRegex(Failure, "the stack shop .*does not exist"):
                deploy.environment(self.place, "shop")

    def test_without_a_deployment_there_are_no_names(self) -> None:
        self.assertEqual([name for name in deploy.environment(self.place) if name.startswith("TURNSTILE_")], [])

    def test_what_up_has_built_is_named(self) -> None:
        self.assertEqual(deploy.built(self.place), {})
        (self.place.folder / "build").mkdir()
        command = settings.console(4599).folder / "turnstile"
        command.parent.mkdir()
        command.touch()
        self.assertEqual(
            deploy.built(self.place),
            {"TURNSTILE_LOCAL_FUNCTIONS": str(self.place.folder / "build"), "TURNSTILE_LOCAL_COMMAND": str(command)},
        )

    def test_the_start_command_survives_a_shell(self) -> None:
        command = deploy.start_command(self.place, {"OrchestratorQueueUrl": "http://localhost:4599/queue/q.fifo"})
        assert command is not None
        words = shlex.split(command)
        message = json.loads(words[words.index("--message-body") + 1])
        self.assertEqual(message["kind"], "StartOrchestration")
        self.assertEqual(words[words.index("--message-group-id") + 1], message["instance"])
        self.assertIsNone(deploy.start_command(self.place, {}))

    def test_a_missing_template_is_named(self) -> None:
        with self.assertRaisesRegex(Failure, "nothing.yaml.*--no-deploy"):
            deploy.deploy(self.place, Path("nothing.yaml"), [])

    def test_the_shells_own_aws_settings_do_not_reach_the_tools(self) -> None:
        with mock.patch.dict(os.environ, {"AWS_PROFILE": "production", "PYTHONPATH": "x", "DYNAMODB_HEAP_SIZE": "1g"}):
            env = settings.clean_environment()
        self.assertFalse({"AWS_PROFILE", "PYTHONPATH", "DYNAMODB_HEAP_SIZE"} & env.keys())

    def test_a_bad_port_variable_is_named(self) -> None:
        for text in ("abc", "0", "65536", "-1"):
            with mock.patch.dict(os.environ, {"TURNSTILE_LOCAL_PORT": text}), self.assertRaisesRegex(Failure, text):
                settings.default_port("TURNSTILE_LOCAL_PORT", 4566)


if __name__ == "__main__":
    unittest.main()

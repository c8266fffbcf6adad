"""The parts that use LocalStack's own classes, without starting it. Skipped where it is not installed."""

import time
import unittest
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

try:
    from localstack.aws.api.scheduler import ConflictException, ResourceNotFoundException, ValidationException
    from moto.scheduler.models import scheduler_backends

    from turnstile_localstack import event_sources, executor, scheduler
except ImportError as error:
    raise unittest.SkipTest(f"LocalStack is not installed ({error}); 'local.sh install' does it") from None

ACCOUNT, REGION = "000000000000", "us-east-1"
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:delay"


def at(seconds_from_now: float) -> str:
    return datetime.fromtimestamp(time.time() + seconds_from_now, UTC).strftime("at(%Y-%m-%dT%H:%M:%S)")


def arguments(**changes: Any) -> dict[str, Any]:
    return {
        "description": None,
        "end_date": None,
        "flexible_time_window": {"Mode": "OFF"},
        "group_name": "timers",
        "kms_key_arn": None,
        "name": "t-1",
        "schedule_expression": at(3600),
        "schedule_expression_timezone": None,
        "start_date": None,
        "state": None,
        "target": {"Arn": QUEUE, "RoleArn": "role", "Input": "{}"},
        "action_after_completion": "DELETE",
    } | changes


class ChecksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        scheduler.refuse_what_aws_refuses()

    def setUp(self) -> None:
        self.backend = scheduler_backends[ACCOUNT][REGION]
        self.addCleanup(self.backend.reset)
        self.backend.create_schedule_group("timers", [])

    def test_what_aws_takes_is_taken(self) -> None:
        for number, expression in enumerate((at(3600), at(0), "rate(5 minutes)")):
            with self.subTest(expression):
                self.backend.create_schedule(**arguments(name=f"t-{number}", schedule_expression=expression))

    def test_what_aws_refuses_is_refused(self) -> None:
        fifo = QUEUE + ".fifo"
        for changes, said in (
            ({"schedule_expression": at(-5)}, "in the past"),
            ({"schedule_expression": "at(2099-02-30T00:00:00)"}, "Invalid Schedule Expression"),
            ({"name": "no%20spaces"}, "'no spaces' must match"),
            ({"name": "x" * 65}, "64 characters"),
            ({"target": {"Arn": QUEUE, "DeadLetterConfig": {"Arn": fifo}}}, "standard SQS queue"),
            ({"target": {"Arn": fifo}}, "MessageGroupId is required"),
            ({"target": {"Arn": QUEUE, "Input": "x" * (256 * 1024 + 1)}}, "256 KiB"),
        ):
            with self.subTest(said), self.assertRaisesRegex(ValidationException, said):
                self.backend.create_schedule(**arguments(**changes))

    def test_an_unknown_group_is_not_found(self) -> None:
        with self.assertRaises(ResourceNotFoundException):
            self.backend.create_schedule(**arguments(group_name="nope"))

    def test_a_group_that_exists_keeps_its_schedules(self) -> None:
        self.backend.create_schedule(**arguments())
        with self.assertRaises(ConflictException):
            self.backend.create_schedule_group("timers", [])
        self.assertEqual(len(self.backend.schedule_groups["timers"].schedules), 1)

    def test_schedules_are_found_and_deleted(self) -> None:
        source = scheduler.Backends()
        kept = self.backend.create_schedule(**arguments())
        self.assertEqual([schedule.arn for schedule in source.schedules()], [kept.arn])
        self.assertTrue(source.is_current(kept))
        source.delete(kept)
        source.delete(kept)
        self.assertFalse(source.is_current(kept))
        self.backend.create_schedule(**arguments())
        self.assertFalse(source.is_current(kept), "another one of the same name is not the same")


class EventSourcesTest(unittest.TestCase):
    def test_no_pause_is_longer_than_the_settings_say(self) -> None:
        from localstack.services.lambda_.event_source_mapping import esm_worker

        self.addCleanup(setattr, esm_worker, "ExponentialBackoff", esm_worker.ExponentialBackoff)
        event_sources.keep_pauses_short()
        backoff = esm_worker.ExponentialBackoff(initial_interval=1, max_interval=0.2)
        for _ in range(20):
            self.assertLessEqual(backoff.next_backoff(), 0.2 * 1.5)  # it adds up to half at random


class EnvironmentTest(unittest.TestCase):
    def test_variables_are_as_lambda_sets_them(self) -> None:
        env = executor.environment({"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": 512, "AWS_LAMBDA_LOG_LEVEL": "Info"}, Path("/c"))
        self.assertEqual(env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"], "512")
        self.assertEqual(env["AWS_LAMBDA_LOG_LEVEL"], "INFO")
        self.assertEqual(env["LAMBDA_TASK_ROOT"], "/c")


if __name__ == "__main__":
    unittest.main()

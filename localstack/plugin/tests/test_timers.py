"""What fires when, on a clock that the test moves."""

import dataclasses
import json
import unittest
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from turnstile_localstack.timers import CallError, Firing, Request, at_time, request_of

QUEUE = "arn:aws:sqs:us-east-1:000000000000:turns.fifo"
DEAD = "arn:aws:sqs:us-east-1:000000000000:delay"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


@dataclasses.dataclass(eq=False)
class Schedule:
    name: str
    schedule_expression: str = "at(2026-01-02T03:04:05)"
    schedule_expression_timezone: str = "UTC"
    state: str | None = "ENABLED"
    group_name: str = "default"
    action_after_completion: str | None = "DELETE"
    last_modified_date: float = 1
    target: dict[str, Any] = dataclasses.field(
        default_factory=lambda: {
            "Arn": QUEUE,
            "Input": '{"kind":"TimerFired"}',
            "SqsParameters": {"MessageGroupId": "order-1"},
            "DeadLetterConfig": {"Arn": DEAD},
            "RetryPolicy": {"MaximumRetryAttempts": 2, "MaximumEventAgeInSeconds": 3600},
        }
    )

    @property
    def arn(self) -> str:
        return f"arn:aws:scheduler:us-east-1:000000000000:schedule/{self.group_name}/{self.name}"


class Store:
    def __init__(self, *schedules: Schedule) -> None:
        self.kept = list(schedules)

    def schedules(self) -> Iterable[Schedule]:
        return list(self.kept)

    def is_current(self, schedule: Schedule) -> bool:
        return schedule in self.kept

    def delete(self, schedule: Schedule) -> None:
        self.kept.remove(schedule)


class Recorder:
    """Takes calls, and answers those to ``failing`` queues with an error."""

    def __init__(self) -> None:
        self.calls: list[Request] = []
        self.failing: dict[str, CallError] = {}

    def queue_url(self, queue_arn: str) -> str:
        return "url:" + queue_arn.rsplit(":", 1)[1]

    def call(self, request: Request) -> None:
        self.calls.append(request)
        if error := self.failing.get(request.parameters.get("QueueUrl", "")):
            raise error

    def to(self, url: str) -> list[Request]:
        return [call for call in self.calls if call.parameters["QueueUrl"] == url]


class FiringTest(unittest.TestCase):
    def setUp(self) -> None:
        self.now = NOW
        self.outlet = Recorder()

    def firing(self, store: Store) -> Firing:
        return Firing(store, self.outlet, clock=lambda: self.now)

    def test_a_schedule_fires_when_due_and_is_deleted(self) -> None:
        store = Store(Schedule("a"))
        firing = self.firing(store)
        self.now = NOW - 1
        firing.tick()
        self.assertEqual(self.outlet.calls, [])
        self.now = NOW
        firing.tick()
        firing.tick()
        self.assertEqual(
            [call.parameters for call in self.outlet.calls],
            [{"QueueUrl": "url:turns.fifo", "MessageBody": '{"kind":"TimerFired"}', "MessageGroupId": "order-1"}],
        )
        self.assertEqual(store.kept, [])

    def test_one_that_is_to_stay_fires_once_and_stays(self) -> None:
        store = Store(Schedule("a", action_after_completion=None))
        firing = self.firing(store)
        firing.tick()
        firing.tick()
        self.assertEqual((len(self.outlet.calls), len(store.kept)), (1, 1))

    def test_an_update_lets_it_fire_again(self) -> None:
        schedule = Schedule("a", action_after_completion="NONE")
        firing = self.firing(Store(schedule))
        firing.tick()
        schedule.last_modified_date, schedule.state = 2, None
        firing.tick()
        self.assertEqual(len(self.outlet.calls), 2)

    def test_a_disabled_or_recurring_one_does_not_fire(self) -> None:
        self.firing(
            Store(Schedule("a", state="DISABLED"), Schedule("b", "rate(1 minute)"), Schedule("c", "cron(* * * * ? *)"))
        ).tick()
        self.assertEqual(self.outlet.calls, [])

    def test_the_earliest_goes_first(self) -> None:
        late, early = Schedule("a"), Schedule("b", "at(2026-01-02T03:04:04)")
        early.target["Input"] = "early"
        self.firing(Store(late, early)).tick()
        self.assertEqual(self.outlet.calls[0].parameters["MessageBody"], "early")

    def test_one_deleted_meanwhile_does_not_fire(self) -> None:
        store = Store(Schedule("a"))
        store.is_current = lambda schedule: False  # type: ignore[method-assign]
        self.firing(store).tick()
        self.assertEqual(self.outlet.calls, [])

    def test_a_target_that_is_gone_sends_the_request_to_the_dead_letter_queue_at_once(self) -> None:
        self.outlet.failing["url:turns.fifo"] = CallError(
            "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.", passing=False
        )
        store = Store(Schedule("a"))
        self.firing(store).tick()
        letter = self.outlet.to("url:delay")[0].parameters
        self.assertEqual(
            json.loads(letter["MessageBody"]),
            {"MessageBody": '{"kind":"TimerFired"}', "QueueUrl": "url:turns.fifo", "MessageGroupId": "order-1"},
        )
        attributes = {name: value["StringValue"] for name, value in letter["MessageAttributes"].items()}
        self.assertEqual(len(attributes.pop("EXECUTION_ID")), 16)
        self.assertEqual(
            attributes,
            {
                "ERROR_CODE": "AWS.SimpleQueueService.NonExistentQueue",
                "ERROR_MESSAGE": "The specified queue does not exist.",
                "IS_PAYLOAD_TRUNCATED": "false",
                "RETRY_ATTEMPTS": "0",
                "SCHEDULED_TIME": "2026-01-02T03:04:05Z",
                "SCHEDULE_ARN": "arn:aws:scheduler:us-east-1:000000000000:schedule/default/a",
                "TARGET_ARN": "arn:aws:scheduler:::aws-sdk:sqs:sendMessage",
            },
        )
        self.assertEqual(store.kept, [])

    def test_a_passing_fault_is_tried_again_with_growing_waits_then_dead_lettered(self) -> None:
        self.outlet.failing["url:turns.fifo"] = CallError("ServiceUnavailable", "later", passing=True)
        firing = self.firing(Store(Schedule("a")))
        counts = []
        for seconds in (0, 0.9, 1, 2.9, 3, 60):
            self.now = NOW + seconds
            firing.tick()
            counts.append(len(self.outlet.to("url:turns.fifo")))
        self.assertEqual(counts, [1, 1, 2, 2, 3, 3])
        attributes = self.outlet.to("url:delay")[0].parameters["MessageAttributes"]
        self.assertEqual(attributes["EXHAUSTED_RETRY_CONDITION"]["StringValue"], "MaximumRetryAttempts")
        self.assertEqual(attributes["RETRY_ATTEMPTS"]["StringValue"], "2")

    def test_an_old_event_is_not_tried_again(self) -> None:
        self.outlet.failing["url:turns.fifo"] = CallError("ServiceUnavailable", "later", passing=True)
        self.now = NOW + 3600
        self.firing(Store(Schedule("a"))).tick()
        attributes = self.outlet.to("url:delay")[0].parameters["MessageAttributes"]
        self.assertEqual(attributes["EXHAUSTED_RETRY_CONDITION"]["StringValue"], "MaximumEventAgeInSeconds")

    def test_it_recovers_when_the_fault_passes(self) -> None:
        self.outlet.failing["url:turns.fifo"] = CallError("ServiceUnavailable", "later", passing=True)
        store = Store(Schedule("a"))
        firing = self.firing(store)
        firing.tick()
        self.outlet.failing.clear()
        self.now = NOW + 1
        firing.tick()
        self.assertEqual((self.outlet.to("url:delay"), store.kept), ([], []))

    def test_a_dead_letter_queue_that_fails_too_is_logged_as_a_loss(self) -> None:
        for url in ("url:turns.fifo", "url:delay"):
            self.outlet.failing[url] = CallError("NonExistentQueue", "gone", passing=False)
        with self.assertLogs("turnstile_localstack.timers", "ERROR") as logs:
            self.firing(Store(Schedule("a"))).tick()
        self.assertIn("it is lost", logs.output[0])

    def test_one_bad_target_does_not_hold_up_the_others(self) -> None:
        bad = Schedule("a")
        bad.target["Arn"] = "arn:aws:states:us-east-1:000000000000:stateMachine:x"
        self.firing(Store(bad, Schedule("b"))).tick()
        self.assertEqual(len(self.outlet.to("url:turns.fifo")), 1)
        letter = self.outlet.to("url:delay")[0].parameters
        self.assertEqual(letter["MessageBody"], '{"kind":"TimerFired"}')
        self.assertIn("not modelled", letter["MessageAttributes"]["ERROR_MESSAGE"]["StringValue"])


class AtTimeTest(unittest.TestCase):
    def test_expressions(self) -> None:
        for expression, timezone, want in (
            ("at(2026-01-02T03:04:05)", None, NOW),
            ("at(2026-01-02T04:04:05)", "Europe/Berlin", NOW),
            ("at(2026-02-30T00:00:00)", "UTC", None),
            ("at(2026-01-02T03:04:05)", "Mars/Olympus", None),
            ("rate(1 minute)", "UTC", None),
        ):
            with self.subTest(expression, timezone=timezone):
                self.assertEqual(at_time(expression, timezone), want)


class RequestTest(unittest.TestCase):
    def test_targets(self) -> None:
        function = "arn:aws:lambda:us-east-1:000000000000:function:f"
        universal = "arn:aws:scheduler:::aws-sdk:sqs:sendMessage"
        for target, want in (
            ({"Arn": DEAD, "Input": "x"}, Request("sqs", "sendMessage", {"MessageBody": "x", "QueueUrl": "u"})),
            (
                {"Arn": function},
                Request("lambda", "invoke", {"FunctionName": function, "InvocationType": "Event", "Payload": "{}"}),
            ),
            ({"Arn": universal, "Input": '{"QueueUrl":"q"}'}, Request("sqs", "sendMessage", {"QueueUrl": "q"})),
            ({"Arn": "arn:aws:sns:us-east-1:000000000000:t"}, None),
        ):
            with self.subTest(target["Arn"]):
                self.assertEqual(request_of(target, lambda arn: "u"), want)


if __name__ == "__main__":
    unittest.main()

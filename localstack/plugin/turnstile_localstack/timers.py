"""Fires one-time schedules, and retries or dead-letters failed calls.

Free of LocalStack: schedules come from a Source, calls go out through an Outlet.
"""

import dataclasses
import json
import logging
import re
import secrets
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LOG = logging.getLogger(__name__)

RETRY_FIRST_SECONDS = 1.0
RETRY_LONGEST_SECONDS = 60.0
"""Delays between attempts double from the first to the longest. AWS publishes no numbers."""

INTERNAL_ERROR = "AWS.Scheduler.InternalServerError"
"""ERROR_CODE for errors of Scheduler itself, not of the target."""

_AT = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)")


class Schedule(Protocol):
    """The fields of a schedule that are used here; moto's objects have them."""

    arn: str
    name: str
    group_name: str
    schedule_expression: str
    schedule_expression_timezone: str
    state: str  # None after an update without it, in spite of moto's declaration
    target: dict[str, Any]
    action_after_completion: str | None
    last_modified_date: float


@dataclasses.dataclass(frozen=True)
class Request:
    """The API call of a target."""

    service: str
    action: str
    parameters: Mapping[str, Any]

    @property
    def arn(self) -> str:
        return f"arn:aws:scheduler:::aws-sdk:{self.service}:{self.action}"


class CallError(Exception):
    """A target did not accept its event."""

    def __init__(self, code: str, message: str, *, passing: bool) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.passing = passing
        """Reports whether a later attempt may succeed; otherwise there is none."""


class Outlet(Protocol):
    """Makes API calls."""

    def queue_url(self, queue_arn: str) -> str: ...

    def call(self, request: Request) -> None:
        """Makes the call; raises CallError if it fails."""


class Source(Protocol):
    """Stores schedules."""

    def schedules(self) -> Iterable[Schedule]: ...

    def is_current(self, schedule: Schedule) -> bool:
        """Reports whether exactly this schedule still exists."""

    def delete(self, schedule: Schedule) -> None: ...


def at_time(expression: str, timezone: str | None) -> float | None:
    """Returns the Unix time of an ``at(yyyy-mm-ddThh:mm:ss)`` expression; None for other kinds."""
    match = _AT.fullmatch(expression)
    if match is None:
        return None
    try:
        zone = ZoneInfo(timezone or "UTC")
        return datetime.fromisoformat(match[1]).replace(tzinfo=zone).timestamp()
    except (ValueError, ZoneInfoNotFoundError):
        return None


def request_of(target: Mapping[str, Any], queue_url: Callable[[str], str]) -> Request | None:
    """Returns the call for an SQS queue, a Lambda function or ``aws-sdk:sqs:sendMessage``; None for other targets."""
    arn, event = target["Arn"], target.get("Input") or "{}"
    match arn.split(":"):
        case [_, _, "sqs", *_]:
            parameters = {"MessageBody": event, "QueueUrl": queue_url(arn)}
            if group := (target.get("SqsParameters") or {}).get("MessageGroupId"):
                parameters["MessageGroupId"] = group
            return Request("sqs", "sendMessage", parameters)
        case [_, _, "lambda", *_]:
            return Request("lambda", "invoke", {"FunctionName": arn, "InvocationType": "Event", "Payload": event})
        case [_, _, "scheduler", _, _, "aws-sdk", "sqs", "sendMessage"]:
            return Request("sqs", "sendMessage", json.loads(event))
    return None


@dataclasses.dataclass
class _Progress:
    """The progress of one version of a schedule."""

    version: float
    attempts: int = 0
    next_attempt: float = 0
    done: bool = False
    execution_id: str = dataclasses.field(default_factory=lambda: secrets.token_hex(8))


class Firing:
    """Fires due schedules, retries temporary failures, and dead-letters the rest."""

    def __init__(self, source: Source, outlet: Outlet, clock: Callable[[], float] = time.time) -> None:
        self._source = source
        self._outlet = outlet
        self._clock = clock
        self._progress: weakref.WeakKeyDictionary[Schedule, _Progress] = weakref.WeakKeyDictionary()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, tick_seconds: float) -> None:
        self._thread = threading.Thread(target=self._run, args=(tick_seconds,), daemon=True, name="schedules")
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def tick(self) -> None:
        """Checks all schedules once."""
        now = self._clock()
        for schedule in sorted(self._source.schedules(), key=_order):
            if self._stop.is_set():
                return
            due = at_time(schedule.schedule_expression, schedule.schedule_expression_timezone)
            if due is None or due > now or schedule.state not in ("ENABLED", None):
                continue
            progress = self._progress.get(schedule)
            if progress is None or progress.version != schedule.last_modified_date:
                self._progress[schedule] = progress = _Progress(schedule.last_modified_date)
            if not progress.done and progress.next_attempt <= now and self._source.is_current(schedule):
                self._attempt(schedule, progress, due, now)

    def _attempt(self, schedule: Schedule, progress: _Progress, due: float, now: float) -> None:
        progress.attempts += 1
        request = request_of(schedule.target, self._outlet.queue_url)
        try:
            if request is None:
                raise CallError(INTERNAL_ERROR, f"target {schedule.target['Arn']} is not modelled here", passing=False)
            self._outlet.call(request)
        except CallError as error:
            exhausted = _exhausted(schedule, progress, due, now) if error.passing else ""
            if exhausted is None:
                wait = min(RETRY_LONGEST_SECONDS, RETRY_FIRST_SECONDS * 2 ** (progress.attempts - 1))
                progress.next_attempt = now + wait
                LOG.warning(
                    "schedule %s: attempt %d: %s; again in %.0f s", schedule.arn, progress.attempts, error, wait
                )
                return
            self._give_up(schedule, progress, due, request, error, exhausted)
        progress.done = True
        if schedule.action_after_completion == "DELETE" and self._source.is_current(schedule):
            self._source.delete(schedule)

    def _give_up(
        self,
        schedule: Schedule,
        progress: _Progress,
        due: float,
        request: Request | None,
        error: CallError,
        exhausted: str,
    ) -> None:
        """Sends the failed request to the schedule's dead-letter queue, as AWS documents it:
        https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html"""
        queue_arn = (schedule.target.get("DeadLetterConfig") or {}).get("Arn")
        if not queue_arn:
            LOG.error("schedule %s: %s; it has no DeadLetterConfig, so its event is lost", schedule.arn, error)
            return
        attributes = {
            "ERROR_CODE": error.code,
            "ERROR_MESSAGE": error.message,
            "EXECUTION_ID": progress.execution_id,
            "IS_PAYLOAD_TRUNCATED": "false",
            "RETRY_ATTEMPTS": str(progress.attempts - 1),
            "SCHEDULED_TIME": datetime.fromtimestamp(due, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "SCHEDULE_ARN": schedule.arn,
            "TARGET_ARN": request.arn if request else schedule.target["Arn"],
        }
        if exhausted:
            attributes["EXHAUSTED_RETRY_CONDITION"] = exhausted
        letter = Request(
            "sqs",
            "sendMessage",
            {
                "QueueUrl": self._outlet.queue_url(queue_arn),
                "MessageBody": json.dumps(request.parameters) if request else schedule.target.get("Input") or "{}",
                "MessageAttributes": {
                    name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()
                },
            },
        )
        try:
            self._outlet.call(letter)
        except CallError as failure:
            LOG.error("schedule %s: %s; %s refused its event (%s): it is lost", schedule.arn, error, queue_arn, failure)
        else:
            LOG.warning("schedule %s: %s; its event went to %s", schedule.arn, error, queue_arn)

    def _run(self, tick_seconds: float) -> None:
        while not self._stop.wait(tick_seconds):
            try:
                self.tick()
            except Exception:
                LOG.exception("firing of schedules: this look failed, the next comes in %s s", tick_seconds)


def _order(schedule: Schedule) -> tuple[float, str]:
    due = at_time(schedule.schedule_expression, schedule.schedule_expression_timezone)
    return (due if due is not None else float("inf"), schedule.arn)


def _exhausted(schedule: Schedule, progress: _Progress, due: float, now: float) -> str | None:
    """Returns the exhausted limit of the retry policy, as in EXHAUSTED_RETRY_CONDITION; None if there is none."""
    policy = schedule.target.get("RetryPolicy") or {}
    if progress.attempts > policy.get("MaximumRetryAttempts", 185):
        return "MaximumRetryAttempts"
    if now - due >= policy.get("MaximumEventAgeInSeconds", 86400):
        return "MaximumEventAgeInSeconds"
    return None

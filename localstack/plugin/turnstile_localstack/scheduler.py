"""LocalStack's side of timers: stores schedules, and makes calls.

LocalStack keeps schedules (in moto's backend) and never fires them.
"""

import logging
import os
import re
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote

from botocore.exceptions import BotoCoreError, ClientError
from localstack import config
from localstack.aws.api.scheduler import ConflictException, ResourceNotFoundException, ValidationException
from localstack.aws.connect import connect_to
from localstack.services.scheduler import provider as provider  # its own checks come first
from localstack.utils.patch import patch
from moto.scheduler.models import EventBridgeSchedulerBackend, scheduler_backends
from moto.scheduler.models import Schedule as MotoSchedule

from turnstile_localstack.timers import INTERNAL_ERROR, CallError, Firing, Request, Schedule, at_time

LOG = logging.getLogger(__name__)

TICK_SECONDS = 0.25
"""How often schedules are checked; TURNSTILE_SCHEDULER_TICK_SECONDS sets a different number."""

_NAME = re.compile(r"[0-9a-zA-Z\-_.]{1,64}")
_STANDARD_QUEUE = re.compile(r"arn:aws(-[a-z]+)?:sqs:[a-z0-9\-]+:\d{12}:[a-zA-Z0-9\-_]+")

_firing: Firing | None = None


def start() -> None:
    """Starts to fire schedules. LocalStack calls it once, when it is ready."""
    global _firing
    _firing = Firing(Backends(), Calls())
    _firing.start(float(os.environ.get("TURNSTILE_SCHEDULER_TICK_SECONDS") or TICK_SECONDS))


def stop() -> None:
    if _firing is not None:
        _firing.stop()


class Backends:
    """The schedules of all accounts and regions, as moto stores them."""

    def schedules(self) -> Iterable[Schedule]:
        # Copies, because requests change these while they are read here.
        for account in list(scheduler_backends.values()):
            for backend in list(account.values()):
                for group in list(backend.schedule_groups.values()):
                    yield from list(group.schedules.values())

    def is_current(self, schedule: Schedule) -> bool:
        group = _backend(schedule.arn).schedule_groups.get(schedule.group_name)
        return group is not None and group.schedules.get(schedule.name) is schedule

    def delete(self, schedule: Schedule) -> None:
        group = _backend(schedule.arn).schedule_groups.get(schedule.group_name)
        if group is not None:
            group.schedules.pop(schedule.name, None)


def _backend(arn: str) -> EventBridgeSchedulerBackend:
    _, _, _, region, account, _ = arn.split(":", 5)
    return scheduler_backends[account][region]


class Calls:
    """API calls to LocalStack itself, in the account and region that the target's ARN names."""

    def queue_url(self, queue_arn: str) -> str:
        _, _, _, region, account, name = queue_arn.split(":", 5)
        return f"http://localhost:{config.GATEWAY_LISTEN[0].port}/queue/{region}/{account}/{name}"

    def call(self, request: Request) -> None:
        try:
            if request.service == "sqs":
                region, account = request.parameters["QueueUrl"].split("/")[-3:-1]
                _client("sqs", region, account).send_message(**request.parameters)
            else:
                _, _, _, region, account, _ = request.parameters["FunctionName"].split(":", 5)
                _client("lambda", region, account).invoke(**request.parameters)
        except ClientError as error:
            raise _call_error(error) from error
        except (BotoCoreError, ValueError, KeyError) as error:
            raise CallError(INTERNAL_ERROR, f"{type(error).__name__}: {error}", passing=False) from error


def _client(service: str, region: str, account: str) -> Any:
    clients = connect_to(region_name=region, aws_access_key_id=account)
    return clients.sqs if service == "sqs" else clients.lambda_


def _call_error(error: ClientError) -> CallError:
    details = error.response.get("Error", {})
    code = details.get("Code", INTERNAL_ERROR)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    passing = status >= 500 or status == 429 or "Throttl" in code or "TooManyRequests" in code
    return CallError(code, details.get("Message", str(error)), passing=passing)


def refuse_what_aws_refuses() -> None:
    """Adds checks that LocalStack lacks, so that mistakes do not stay hidden."""

    @patch(EventBridgeSchedulerBackend.create_schedule)
    def create_schedule(
        fn: Callable[..., MotoSchedule], self: EventBridgeSchedulerBackend, **arguments: Any
    ) -> MotoSchedule:
        group = arguments.get("group_name") or "default"
        if group not in self.schedule_groups:
            raise ResourceNotFoundException(f"Schedule group {group} does not exist.")
        check(arguments, time.time())
        return fn(self, **arguments)

    @patch(EventBridgeSchedulerBackend.create_schedule_group)
    def create_schedule_group(fn: Callable[..., Any], self: EventBridgeSchedulerBackend, name: str, tags: Any) -> Any:
        if name in self.schedule_groups:  # LocalStack would create it again, and lose its schedules
            raise ConflictException(f"Schedule group {name} already exists.")
        return fn(self, name, tags)


def check(arguments: dict[str, Any], now: float) -> None:
    """Raises ValidationException for requests that LocalStack accepts and AWS rejects."""
    name = unquote(arguments["name"])  # moto takes it from the path without decoding
    if not _NAME.fullmatch(name):
        raise ValidationException(f"Name {name!r} must match [0-9a-zA-Z-_.]+ and have 1 to 64 characters.")
    expression = arguments.get("schedule_expression") or ""
    due = at_time(expression, arguments.get("schedule_expression_timezone"))
    if expression.startswith("at(") and due is None:
        raise ValidationException(f"Invalid Schedule Expression {expression}.")
    if due is not None and due + 1 <= now:
        raise ValidationException(f"Invalid Schedule Expression {expression}: it is in the past.")
    target = arguments.get("target") or {}
    queue = (target.get("DeadLetterConfig") or {}).get("Arn")
    if queue and not _STANDARD_QUEUE.fullmatch(queue):
        raise ValidationException(f"DeadLetterConfig {queue} is not the ARN of a standard SQS queue.")
    if _is_fifo(target.get("Arn", "")) and not (target.get("SqsParameters") or {}).get("MessageGroupId"):
        raise ValidationException("SqsParameters.MessageGroupId is required for a FIFO queue.")
    if target.get("Input") and len(target["Input"].encode()) > 256 * 1024:
        raise ValidationException("Target.Input is longer than 256 KiB.")


def _is_fifo(arn: str) -> bool:
    return ":sqs:" in arn and arn.endswith(".fifo")

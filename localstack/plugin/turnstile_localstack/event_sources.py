"""Event sources that look at their queues without long pauses.

LocalStack pauses half a second to one and a half after the first poll that
finds nothing, whatever its settings say: they cap the pauses after that one.
A chain of activities, each step a message on a queue that was just empty, would
take a second a step.
"""

from localstack.services.lambda_.event_source_mapping import esm_worker
from localstack.utils.backoff import ExponentialBackoff


def keep_pauses_short() -> None:
    """Lets the first pause obey the settings too. For event sources that start from now on."""
    esm_worker.ExponentialBackoff = capped  # type: ignore[assignment, misc]


def capped(initial_interval: float, max_interval: float) -> ExponentialBackoff:
    """A backoff that begins no higher than it may get."""
    first = min(initial_interval, max_interval)
    return ExponentialBackoff(initial_interval=first, max_interval=max_interval)  # type: ignore[call-arg] # defaults of pydantic

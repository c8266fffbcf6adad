"""Event sources that poll their queues without long pauses.

After the first poll that finds nothing, LocalStack pauses for 0.5 to 1.5 seconds; its
settings only cap later pauses. Each step of a chain of activities is a message on a
queue that was just empty, so it would take a second.
"""

from localstack.services.lambda_.event_source_mapping import esm_worker
from localstack.utils.backoff import ExponentialBackoff


def keep_pauses_short() -> None:
    """Applies the settings to the first pause too, for event sources that start later."""
    esm_worker.ExponentialBackoff = capped  # type: ignore[assignment, misc]


def capped(initial_interval: float, max_interval: float) -> ExponentialBackoff:
    """Returns a backoff whose first interval does not exceed its maximum."""
    first = min(initial_interval, max_interval)
    return ExponentialBackoff(initial_interval=first, max_interval=max_interval)  # type: ignore[call-arg] # defaults of pydantic

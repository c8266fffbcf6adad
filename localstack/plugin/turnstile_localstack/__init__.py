"""LocalStack plugins for what version 4.14.0 cannot do without Docker.

Lambda functions as plain processes
    ``plugins`` -> ``executor`` (LocalStack's side) -> ``sandbox`` (one bootstrap
    and its life) -> ``runtime_api`` (the Lambda Runtime API over HTTP).

Schedules that fire
    ``plugins`` -> ``scheduler`` (LocalStack's side) -> ``timers`` (which
    schedules are due, which calls to retry, and what becomes a dead letter).

Event sources without long pauses
    ``plugins`` -> ``event_sources``.

``sandbox``, ``runtime_api`` and ``timers`` import only the standard library, so
their tests do not need LocalStack.
"""

"""What LocalStack 4.14.0 lacks without Docker.

Lambda functions as plain processes
    ``plugins`` -> ``executor`` (LocalStack's side) -> ``sandbox`` (one bootstrap
    and its life) -> ``runtime_api`` (the Lambda Runtime API over HTTP).

Schedules that fire
    ``plugins`` -> ``scheduler`` (LocalStack's side) -> ``timers`` (what is due,
    what to try again, what goes to the dead-letter queue).

Event sources without long pauses
    ``plugins`` -> ``event_sources``.

``sandbox``, ``runtime_api`` and ``timers`` import the standard library alone, so
their tests need no LocalStack.
"""

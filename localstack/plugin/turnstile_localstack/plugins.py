"""The entry points that LocalStack finds. They import late, because LocalStack loads this module early."""

from typing import Any

from localstack.runtime import hooks
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """Chosen by ``LAMBDA_RUNTIME_EXECUTOR=process``."""

    name = "process"

    def load(self, *args: Any, **kwargs: Any) -> type:
        from turnstile_localstack.executor import ProcessExecutor

        return ProcessExecutor


@hooks.on_infra_start()
def check_schedules() -> None:
    from turnstile_localstack import scheduler

    scheduler.refuse_what_aws_refuses()


@hooks.on_infra_start()
def shorten_pauses() -> None:
    from turnstile_localstack import event_sources

    event_sources.keep_pauses_short()


@hooks.on_infra_ready()
def start_firing() -> None:
    from turnstile_localstack import scheduler

    scheduler.start()


@hooks.on_infra_shutdown()
def stop_firing() -> None:
    from turnstile_localstack import scheduler

    scheduler.stop()


@hooks.on_infra_shutdown()
def stop_sandboxes() -> None:
    from turnstile_localstack import executor

    executor.stop_all()

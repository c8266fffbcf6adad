"""local.sh COMMAND: AWS on this machine, for development and tests."""

import argparse
import contextlib
import fcntl
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from local import console, deploy, dynamodb, emulator, install, processes, settings
from local.settings import Failure, Place

COMMANDS = """
commands:
  install            install LocalStack, DynamoDB Local, the SAM CLI and the AWS CLI into .local/
  up                 install what is missing, start LocalStack, build and deploy template.yaml into it,
                     and serve the console
  down               stop LocalStack and everything it started
  status             list running emulators and their logs
  env                print export lines for clients and tests: eval "$(localstack/local.sh env)";
                     with --stack NAME for a stack that you deployed
  dynamodb-up PORT   start only DynamoDB Local, in memory (faster, for tests of storage)
  dynamodb-down PORT stop it
  test               run the tests of these commands and of the LocalStack plugins
"""


def main() -> int:
    # A terminated command stops what it started, as after an error.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        arguments = _parse()
        return arguments.run(arguments) or 0
    except Failure as failure:
        print(f"local.sh: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("local.sh: interrupted", file=sys.stderr)
        return 130


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="local.sh", description=__doc__, epilog=COMMANDS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: object, port: bool = False) -> argparse.ArgumentParser:
        sub = commands.add_parser(name)
        sub.set_defaults(run=run)
        if port:
            default = settings.default_port("TURNSTILE_LOCAL_PORT", 4566)
            sub.add_argument("--port", type=_port, default=default, help="LocalStack's port (TURNSTILE_LOCAL_PORT, 4566)")
        return sub

    command("install", _install)
    up = command("up", _up, port=True)
    up.add_argument("--no-deploy", action="store_true", help="start only the emulators")
    up.add_argument("--no-console", action="store_true", help="do not serve the console")
    up.add_argument("--template", type=Path, default=deploy.TEMPLATE, help="template to deploy (template.yaml)")
    up.add_argument("--parameter", action="append", default=[], metavar="KEY=VALUE", help="a template parameter")
    down = command("down", _down, port=True)
    down.add_argument("--all", action="store_true", help="stop every emulator that was started here")
    command("status", _status)
    env = command("env", _env, port=True)
    env.add_argument("--stack", default="", metavar="NAME", help="a stack other than the one that up deploys")
    for name, run in (("dynamodb-up", _dynamodb_up), ("dynamodb-down", _dynamodb_down)):
        default = settings.default_port("TURNSTILE_DYNAMODB_PORT", 8000)
        sub = command(name, run)
        sub.add_argument("port", type=_port, nargs="?", default=default, help="port (TURNSTILE_DYNAMODB_PORT, 8000)")
    command("test", _test)
    return parser.parse_args()


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 1 to 65535")
    return int(text)


def _install(arguments: argparse.Namespace) -> None:
    install.install()
    print(f"installed in {settings.LOCAL}")


def _up(arguments: argparse.Namespace) -> None:
    began = time.monotonic()
    place = settings.localstack(arguments.port)
    if not arguments.no_deploy and not arguments.template.is_file():
        raise Failure(f"the template {arguments.template} does not exist; 'up --no-deploy' starts only the emulators")
    install.install()
    with _locked(place):
        if processes.running(place) is not None:
            print(f"{place} is already running")
            if not arguments.no_deploy:
                stack = deploy.deploy(place, arguments.template.resolve(), arguments.parameter)
        else:
            with _stopped_on_failure(place):
                emulator.start(place)
                if not arguments.no_deploy:
                    stack = deploy.deploy(place, arguments.template.resolve(), arguments.parameter)
        if not arguments.no_deploy and not arguments.no_console:
            _serve_console(place)
    print(f"ready after {time.monotonic() - began:.0f} s: {place.endpoint} (log: {_relative(place.log)})")
    if not arguments.no_deploy:
        _show(place, stack)


def _serve_console(place: Place) -> None:
    """Starts the console. A failure is only printed, because the stack works without the console."""
    print("starting the console", flush=True)
    try:
        console.start(place)
    except Failure as failure:
        processes.stop(settings.console(place.port), patience=2)
        print(f"local.sh: the console did not start: {failure}", file=sys.stderr)


def _show(place: Place, stack: dict[str, str]) -> None:
    width = max((len(name) for name in stack), default=0)
    print("\nThe stack's outputs:")
    for name, value in sorted(stack.items()):
        print(f"  {name:<{width}}  {value}")
    port = "" if place.port == 4566 else f" --port {place.port}"
    if start := deploy.start_command(place, stack):
        print("\nTo start an orchestration:")
        print(f'  eval "$(localstack/local.sh env{port})"')
        print(f"  {start}")
    if processes.running(settings.console(place.port)) is not None:
        print(f"\nThe console: {console.address(settings.console(place.port))}")
    print(f"\nLogs of the functions: {_relative(place.folder / 'functions')}/")
    print(f"\nTo stop: localstack/local.sh down{port}")


def _down(arguments: argparse.Namespace) -> None:
    one = [settings.console(arguments.port), settings.localstack(arguments.port)]
    stop = {"localstack": emulator.stop, "console": console.stop, "dynamodb": dynamodb.stop}
    for place in settings.places() if arguments.all else one:
        with _locked(place):
            stopped = stop[place.kind](place)
        if place.kind == "console" and not stopped:
            continue  # It may never have been started.
        print(f"{place}: {'stopped' if stopped else 'was not running'}")


def _status(arguments: argparse.Namespace) -> int:
    running = 0
    for place in settings.places():
        process = processes.running(place)
        if process is None:
            print(f"{place}: has ended (log: {_relative(place.log)}); 'down' cleans up")
            continue
        running += 1
        state = "" if place.kind != "localstack" or emulator.is_healthy(place) else ", not healthy"
        where = console.address(place) if place.kind == "console" else place.endpoint
        print(f"{place}: process {process.pid}{state}, {where} (log: {_relative(place.log)})")
    if not running:
        print("nothing is running")
    return 0 if running else 3


def _env(arguments: argparse.Namespace) -> None:
    place = settings.localstack(arguments.port)
    if processes.running(place) is None:
        raise Failure(f"{place} is not running; start it with 'localstack/local.sh up'")
    for name, value in (deploy.environment(place, arguments.stack) | deploy.built(place)).items():
        print(f"export {name}={shlex.quote(value)}")
    served = settings.console(place.port)
    where = console.address(served) if processes.running(served) is not None and not arguments.stack else ""
    # Also without a console, because the shell may have the address of another stack's.
    print(f"export TURNSTILE_CONSOLE={shlex.quote(where)}")
    print(f'export PATH={shlex.quote(str(settings.BIN))}{os.pathsep}"$PATH"')


def _dynamodb_up(arguments: argparse.Namespace) -> None:
    place = settings.dynamodb(arguments.port)
    install.install(only_dynamodb=True)
    with _locked(place):
        if processes.running(place) is None:
            with _stopped_on_failure(place):
                dynamodb.start(place)
    print(f"ready: {place.endpoint}")


def _dynamodb_down(arguments: argparse.Namespace) -> None:
    place = settings.dynamodb(arguments.port)
    with _locked(place):
        stopped = dynamodb.stop(place)
    print(f"{place}: {'stopped' if stopped else 'was not running'}")


def _test(arguments: argparse.Namespace) -> int:
    # LocalStack's own Python, if it is installed, also runs the tests that need its classes.
    python = settings.LOCALSTACK_VENV / "bin" / "python" if install.LOCALSTACK.is_complete() else sys.executable
    status = 0
    for top, tests in ((settings.HERE, "local/tests"), (settings.HERE / "plugin", "tests")):
        command = [str(python), "-B", "-m", "unittest", "discover", "--buffer", "-t", str(top), "-s", str(top / tests)]
        status |= subprocess.run(command, cwd=top, env=settings.clean_environment()).returncode
    return status


@contextlib.contextmanager
def _stopped_on_failure(place: Place) -> Iterator[None]:
    try:
        yield
    except BaseException:
        # With little patience, because LocalStack may ignore signals while it starts.
        if processes.stop(place, patience=2):
            print(f"{place}: stopped after the failure", file=sys.stderr)
        raise


@contextlib.contextmanager
def _locked(place: Place) -> Iterator[None]:
    """Lets only one command at a time change an emulator."""
    settings.RUN.mkdir(parents=True, exist_ok=True)
    with (settings.RUN / f"{place.kind}-{place.port}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _relative(path: Path) -> Path:
    return path.relative_to(settings.ROOT)


if __name__ == "__main__":
    sys.exit(main())

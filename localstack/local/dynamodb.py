"""DynamoDB Local without LocalStack: in memory, with one database for all keys and regions."""

import shutil
import urllib.error
import urllib.request

from local import processes, settings
from local.settings import Failure, Place

READY_SECONDS = 600
"""Longer than the slowest machine needs, so that only a start that hangs fails."""


def start(place: Place) -> None:
    processes.check_port_is_free(place, "'dynamodb-up PORT'", "TURNSTILE_DYNAMODB_PORT")
    shutil.rmtree(place.folder, ignore_errors=True)
    place.folder.mkdir(parents=True)
    # A link, so that the command line of the running JVM identifies this place.
    program = place.folder / "program"
    program.symlink_to(settings.DYNAMODB)
    print(f"starting {place}", flush=True)
    process = processes.start(
        place,
        [
            settings.java() / "bin" / "java",
            f"-Djava.library.path={program}/DynamoDBLocal_lib",
            "-jar",
            program / "DynamoDBLocal.jar",
            "-inMemory",
            "-sharedDb",
            "-port",
            str(place.port),
        ],
        settings.clean_environment() | {"DDB_LOCAL_TELEMETRY": "0"},
    )
    if not processes.wait_until(lambda: answers(place) or not process.is_running(), READY_SECONDS):
        raise Failure(f"{place} did not answer in {READY_SECONDS} s.{processes.log_end(place.log)}")
    if not process.is_running():
        raise Failure(f"{place} ended while it started.{processes.log_end(place.log)}")


def stop(place: Place) -> bool:
    return processes.stop(place)


def answers(place: Place) -> bool:
    """Reports whether it answers; an error status, such as the 400 for a plain GET, counts."""
    try:
        urllib.request.urlopen(place.endpoint, timeout=2).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True

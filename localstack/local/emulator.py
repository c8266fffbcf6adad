"""LocalStack with DynamoDB Local, as one process group."""

import json
import os
import shutil
import urllib.request
from pathlib import Path

from local import processes, settings
from local.settings import Failure, Place

SERVICES = "sqs,dynamodb,dynamodbstreams,scheduler,lambda,iam,sts,cloudformation,cloudwatch,logs,s3,events,ssm,kms"
HEALTHY_SECONDS = 600
"""Longer than the slowest machine needs, so that only a start that hangs fails."""


def start(place: Place) -> None:
    """Starts LocalStack and waits until its services answer. A Failure contains the end of its log."""
    processes.check_port_is_free(place, "--port", "TURNSTILE_LOCAL_PORT")
    shutil.rmtree(place.folder, ignore_errors=True)
    root = place.folder / "root"
    _prepare(root)
    for name in ("tmp", "home", "functions"):
        (place.folder / name).mkdir(parents=True)
    print(f"starting {place}", flush=True)
    python = settings.LOCALSTACK_VENV / "bin" / "python"
    process = processes.start(place, [python, "-m", "localstack.runtime.main"], _environment(place, root))
    if not processes.wait_until(lambda: is_healthy(place) or not process.is_running(), HEALTHY_SECONDS):
        raise Failure(f"{place} did not become healthy in {HEALTHY_SECONDS} s.{processes.log_end(place.log)}")
    if not process.is_running():
        raise Failure(f"{place} ended while it started.{processes.log_end(place.log)}")
    if not _dynamodb_answers(place):
        raise Failure(f"DynamoDB Local inside {place} does not answer.{processes.log_end(place.log)}")


def stop(place: Place) -> bool:
    """Stops LocalStack and all it started, and deletes its state. The logs remain until the next start."""
    stopped = processes.stop(place)
    for name in ("root", "tmp", "home"):
        shutil.rmtree(place.folder / name, ignore_errors=True)
    return stopped


def is_healthy(place: Place) -> bool:
    try:
        with urllib.request.urlopen(f"{place.endpoint}/_localstack/health", timeout=2) as response:
            services = json.load(response)["services"]
    except (OSError, ValueError, KeyError):
        return False
    return all(services.get(name) in ("available", "running") for name in SERVICES.split(","))


def _dynamodb_answers(place: Place) -> bool:
    """Makes the first call, which starts the JVM and takes some seconds, so that no test has to wait for it."""
    request = urllib.request.Request(
        place.endpoint,
        data=b"{}",
        headers={
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
            "Authorization": f"AWS4-HMAC-SHA256 Credential=test/20260101/{settings.REGION}/dynamodb/aws4_request, "
            "SignedHeaders=host, Signature=0",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=HEALTHY_SECONDS) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _prepare(root: Path) -> None:
    """Provides what LocalStack would download: DynamoDB Local, a Java home, a Java agent."""
    packages = root / "var" / "lib" / "localstack" / "lib"
    dynamodb = packages / "dynamodb-local" / "2"
    dynamodb.mkdir(parents=True)
    for file in settings.DYNAMODB.iterdir():
        (dynamodb / file.name).symlink_to(file)
    (dynamodb / "ddb-local-loader-0.1.jar").symlink_to(settings.AGENT_JAR)
    (packages / "java").mkdir()
    (packages / "java" / "21").symlink_to(settings.java())


def _environment(place: Place, root: Path) -> dict[str, str]:
    env = settings.clean_environment()
    env |= {
        # LocalStack writes only to this folder, not even to a cache in the home folder.
        "HOME": str(place.folder / "home"),
        "XDG_CACHE_HOME": str(place.folder / "home" / ".cache"),
        "TMPDIR": str(place.folder / "tmp"),
        "FILESYSTEM_ROOT": str(root),
        "OVERRIDE_IN_DOCKER": "0",  # otherwise LocalStack ignores FILESYSTEM_ROOT on a machine with /.dockerenv
        "PYTHONUNBUFFERED": "1",
        "GATEWAY_LISTEN": f"127.0.0.1:{place.port}",
        "LOCALSTACK_HOST": f"localhost:{place.port}",
        "SERVICES": SERVICES,
        "EAGER_SERVICE_LOADING": "1",
        # LocalStack calls no external services.
        "ACTIVATE_PRO": "0",
        "DISABLE_EVENTS": "1",
        "SKIP_SSL_CERT_DOWNLOAD": "1",
        "DNS_ADDRESS": "0",
        # Queue URLs that resolve, and no unused metrics.
        "SQS_ENDPOINT_STRATEGY": "path",
        "SQS_DISABLE_CLOUDWATCH_METRICS": "1",
        "DYNAMODB_IN_MEMORY": "1",
        # Functions as processes, and event sources that poll without long pauses.
        "LAMBDA_RUNTIME_EXECUTOR": "process",
        "LAMBDA_SYNCHRONOUS_CREATE": "1",
        "LAMBDA_IGNORE_ARCHITECTURE": "1",
        "LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC": "0.05",
        "LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC": "0.2",
        "LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_ERROR_SEC": "0.5",
        "TURNSTILE_FUNCTION_LOGS": str(place.folder / "functions"),
    }
    for name in ("LS_LOG", "TURNSTILE_SCHEDULER_TICK_SECONDS"):
        if value := os.environ.get(name):
            env[name] = value
    return env

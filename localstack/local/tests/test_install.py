"""Stamps: what is made, made again, and left alone."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from local import install, settings
from local.settings import Failure


class PartTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        patch = mock.patch.object(settings, "LOCAL", self.folder / ".local")
        patch.start()
        self.addCleanup(patch.stop)
        self.source = self.folder / "lock.txt"
        self.source.write_text("one==1")
        self.made = 0

    def part(self) -> install.Part:
        return install.Part("thing", "a thing", self.folder / "target", (self.source,), self.make)

    def make(self, part: install.Part) -> None:
        self.made += 1
        part.target.mkdir(exist_ok=True)

    def test_a_complete_part_is_left_alone(self) -> None:
        self.part().install()
        self.assertTrue(self.part().is_complete())

    def test_a_changed_lock_makes_it_anew(self) -> None:
        self.part().install()
        self.source.write_text("one==2")
        self.assertFalse(self.part().is_complete())

    def test_a_removed_target_makes_it_anew(self) -> None:
        self.part().install()
        (self.folder / "target").rmdir()
        self.assertFalse(self.part().is_complete())

    def test_an_interrupted_one_is_not_complete(self) -> None:
        self.part().install()
        with mock.patch.object(self, "make", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            self.part().install()
        self.assertTrue((self.folder / "target").exists())
        self.assertFalse(self.part().is_complete())

    def test_a_step_that_fails_shows_the_end_of_its_log(self) -> None:
        part = self.part()
        part.log.parent.mkdir(parents=True)
        with self.assertRaisesRegex(Failure, r"(?s)could not install a thing: 'sh -c.*status 3.*no such package"):
            part.run(["sh", "-c", "echo no such package; exit 3"])


class LocksTest(unittest.TestCase):
    def test_every_entry_is_one_exact_version_with_its_hashes_and_names_no_place(self) -> None:
        for name in ("requirements.txt", "requirements-sam.txt"):
            for entry in (settings.HERE / name).read_text().replace("\\\n", "").splitlines():
                with self.subTest(file=name, entry=entry):
                    self.assertRegex(entry, r"^[A-Za-z0-9._-]+==[A-Za-z0-9.]+(\s+--hash=sha256:[0-9a-f]{64})+$")

    def test_nothing_is_installed_but_the_locked_files(self) -> None:
        part = mock.Mock(target=self.folder(), made_from=[settings.HERE / "requirements.txt"])
        install._make_venv(part)
        self.assertIn("--require-hashes", part.run.call_args_list[-1].args[0])

    def folder(self) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def test_the_versions_that_are_talked_about_are_the_locked_ones(self) -> None:
        self.assertIn("localstack-core==4.14.0 ", (settings.HERE / "requirements.txt").read_text())
        self.assertIn("aws-sam-cli==1.170.0 ", (settings.HERE / "requirements-sam.txt").read_text())
        self.assertIn("localstack/localstack:4.14.0\n", (settings.HERE / "compose.yaml").read_text())


if __name__ == "__main__":
    unittest.main()

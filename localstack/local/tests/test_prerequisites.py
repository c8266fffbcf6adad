"""local.sh on machines that lack something, made of stand-ins on PATH."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from local import settings

SCRIPT = settings.HERE / "local.sh"
TOOLS = ("bash", "dirname", "head", "sed", "env")


class PrerequisitesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = Path(folder.name)
        for tool in TOOLS:
            found = next(p for d in os.environ["PATH"].split(":") if (p := Path(d) / tool).exists())
            (self.bin / tool).symlink_to(found)

    def tool(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!{self.bin}/bash\n{script}\n")
        path.chmod(0o755)

    def run_script(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.bin / "bash", SCRIPT, *arguments],
            env={"PATH": str(self.bin), "HOME": str(self.bin), "TURNSTILE_PYTHON": str(self.bin / "python-3.13")},
            capture_output=True,
            text=True,
        )

    def python(self) -> None:
        self.tool("python-3.13", f'exec "{sys.executable}" "$@"')

    def test_all_that_is_missing_is_named_at_once(self) -> None:
        result = self.run_script("up")
        self.assertEqual(result.returncode, 1)
        for wanted in ("Python 3.13", "Java 17 or newer", "Node.js 18 or newer", "Go 1.", "Nothing was installed"):
            self.assertIn(wanted, result.stderr)

    def test_versions_that_are_too_old_are_told(self) -> None:
        self.python()
        self.tool("java", "echo '    java.home = /j'; echo '    java.specification.version = 1.8'")
        self.tool("node", "echo v16.20.0")
        self.tool("go", "echo go1.21.3")
        errors = self.run_script("install").stderr
        self.assertIn("java is 1.8", errors)
        self.assertIn("node is v16.20.0", errors)
        self.assertIn("go is 1.21", errors)
        self.assertNotIn("Python", errors)

    def test_a_java_without_a_compiler_is_told(self) -> None:
        self.python()
        self.tool("java", "echo '    java.home = /j'; echo '    java.specification.version = 21'")
        self.tool("node", "echo v22.0.0")
        self.tool("npm", "echo 10")
        self.tool("go", "echo go1.99.0")
        self.assertIn("Java 21 in /j has no javac", self.run_script("up").stderr)

    def test_a_python_that_fails_when_run_does_not_count(self) -> None:
        self.tool("python3.13", "echo 'no such version' >&2; exit 127")
        self.assertIn("Python 3.13", self.run_script("status").stderr)

    def test_what_only_looks_needs_python_alone(self) -> None:
        self.python()
        self.assertEqual(self.run_script("--help").returncode, 0)


if __name__ == "__main__":
    unittest.main()

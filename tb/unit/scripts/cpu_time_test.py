#!/usr/bin/python3
"""Tests scripts/bench/cpu_time: which times it accepts, and which it rejects."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SPIN = "import time\nwhile time.process_time() < {seconds}: pass\n"


class CpuTime(unittest.TestCase):
    """Runs with a stand-in for the compiler that takes a tenth of a second; a command of one second is therefore 10
    units."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.budget = pathlib.Path(self.folder.name) / "budget.json"
        self.compiler = self.program("compiler", 0.1)

    def tearDown(self):
        self.folder.cleanup()

    def program(self, name, seconds):
        path = pathlib.Path(self.folder.name) / name
        path.write_text("#!/usr/bin/python3\n" + SPIN.format(seconds=seconds), encoding="utf-8")
        path.chmod(0o755)
        return path

    def check(self, *words, budget=None):
        if budget is not None:
            self.budget.write_text(json.dumps({"one": budget}), encoding="utf-8")
        return subprocess.run([ROOT / "scripts" / "bench" / "cpu_time", "--budget", self.budget, *words],
                              env=dict(os.environ, CXX=str(self.compiler)), capture_output=True, text=True, check=False)

    def test_less_than_the_budget_passes(self):
        ended = self.check("one", self.program("command", 1), budget=20)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_more_than_the_budget_is_refused(self):
        ended = self.check("one", self.program("command", 1), budget=5)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("over its budget of 5", ended.stdout)

    def test_the_time_of_grandchildren_counts(self):
        ended = self.check("one", "sh", "-c", f"{self.program('command', 1)}; true", budget=5)
        self.assertEqual(ended.returncode, 1)

    def test_a_command_that_fails_ends_with_its_status(self):
        self.assertEqual(self.check("one", "sh", "-c", "exit 3", budget=5).returncode, 3)

    def test_a_command_without_a_budget_is_reported_with_how_to_store_one(self):
        ended = self.check("other", "true", budget=5)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("--write", ended.stdout)
        self.assertEqual(self.check("--write", "other", self.program("command", 1)).returncode, 0)
        self.assertGreater(json.loads(self.budget.read_text(encoding="utf-8"))["other"], 5)


if __name__ == "__main__":
    unittest.main()

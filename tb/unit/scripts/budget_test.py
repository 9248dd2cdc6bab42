#!/usr/bin/python3
"""Tests scripts/bench/budget: which counts it accepts, and which it rejects."""

import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import runs  # noqa: E402


class Budget(unittest.TestCase):
    """Runs with a stand-in for valgrind that prints given counts."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.budget = json.loads(runs.BUDGET.read_text(encoding="utf-8"))

    def tearDown(self):
        self.folder.cleanup()

    def check(self, factor, fails=False):
        total = {name: int(count * factor) for name, count in self.budget.items()}
        cases = "\n".join(f'if arguments == {[str(a) for a in runs.RUNS[name]]!r}: count = {count}'
                          for name, count in total.items())
        valgrind = pathlib.Path(self.folder.name) / "valgrind"
        valgrind.write_text("#!/usr/bin/python3\nimport sys\narguments = sys.argv[4:]\n" + cases +
                            f"\nprint(f'==1== Collected : {{count}}', file=sys.stderr)\nsys.exit({int(fails)})\n",
                            encoding="utf-8")
        valgrind.chmod(valgrind.stat().st_mode | stat.S_IXUSR)
        return subprocess.run([ROOT / "scripts" / "bench" / "budget", "--coppice", "/bin/true"],
                              env={"PATH": f"{self.folder.name}:/usr/bin:/bin"}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def test_every_run_has_a_budget(self):
        self.assertEqual(set(self.budget), set(runs.RUNS))

    def test_accepts_five_percent_more(self):
        self.assertEqual(self.check(1.04).returncode, 0)

    def test_rejects_more(self):
        done = self.check(1.06)
        self.assertEqual(done.returncode, 1)
        self.assertIn("more than 5% over its budget", done.stdout)

    def test_names_a_run_that_fails(self):
        done = self.check(1, fails=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("failed under callgrind", done.stderr)


if __name__ == "__main__":
    unittest.main()

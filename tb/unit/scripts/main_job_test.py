#!/usr/bin/python3
"""Tests main_job with a stand-in for the coppice command."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/main_job"

# Writes a result for each algorithm; $VERIFIED and $STATUS set the outcome.
COPPICE = """#!/usr/bin/python3
import json, os, sys
arguments = sys.argv[1:]
settings = dict(arguments[i + 1].split("=", 1) for i, word in enumerate(arguments) if word == "--set")
algorithm = settings["collective.algorithm"]
if algorithm == os.environ.get("FAILS"):
    print("the reason", file=sys.stderr)
    sys.exit(int(os.environ["STATUS"]))
cycles = {"ring": 150000, "multitree": 43000}[algorithm]
with open(arguments[arguments.index("--out") + 1], "w") as out:
    json.dump({"verified": os.environ.get("VERIFIED", settings["check"]), "cycles": cycles,
               "time_ns": float(cycles), "algbw_gb_s": 2 ** 20 / cycles, "efficiency": 33000 / cycles,
               "simulator": {"flit_hops_per_s": 1.25e7}}, out)
"""


class MainJob(unittest.TestCase):
    def run_job(self, **environment):
        with tempfile.TemporaryDirectory() as folder:
            coppice = pathlib.Path(folder) / "coppice"
            coppice.write_text(COPPICE)
            coppice.chmod(0o755)
            return subprocess.run([SCRIPT, "--coppice", coppice, "--config", "torus.yaml"], text=True,
                                  capture_output=True, check=False, env=environment)

    def test_prints_a_row_for_each_algorithm(self):
        run = self.run_job()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        ring, multitree = run.stdout.splitlines()[-2:]
        self.assertEqual(ring.split(), "ring 150,000 150.00 us 6.99 GB/s 22.0% values 12.5 million".split())
        self.assertEqual(multitree.split()[:3], ["multitree", "43,000", "43.00"])

    def test_returns_the_status_and_prints_the_reason_of_a_failed_run(self):
        run = self.run_job(FAILS="multitree", STATUS="2")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("the reason", run.stderr)
        self.assertIn("multitree", run.stderr)

    def test_an_unverified_result_is_a_failure(self):
        run = self.run_job(VERIFIED="off")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("verified is 'off'", run.stderr)

    def test_reports_that_the_command_is_not_built(self):
        run = subprocess.run([SCRIPT, "--coppice", "/nowhere/coppice"], text=True, capture_output=True,
                             check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("make build", run.stderr)


if __name__ == "__main__":
    unittest.main()

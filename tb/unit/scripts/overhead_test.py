#!/usr/bin/python3
"""Tests scripts/overhead on a table of areas that was made by hand."""

import csv
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "overhead"
COPPICE = """#!/usr/bin/python3
import json
print(json.dumps({"ni_overhead": {"ports": 2, "entries_per_node_max": 12, "entry_bits": 80, "table_bytes_per_node": 120,
                                  "bytes_per_node": 150}}))
"""
# Cell area in um2, for two ports.
AREAS = {"schedule_table": 10, "timestep_counter": 1, "lockstep_counter": 2, "command_decoder": 3, "dependency_tracker": 18,
         "reduction_unit": 150, "packetizer": 40, "depacketizer": 30, "dma_address_generator": 10, "fifo": 5,
         "injection_port": 10, "network_interface": 400}


class Overhead(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.coppice = self.folder / "coppice"
        self.coppice.write_text(COPPICE)
        self.coppice.chmod(0o755)

    def write(self, without=()):
        columns = ["block", "nodes", "ports", "flit_bits", "cell_area_um2", "macro_area_um2", "memory_bits"]
        rows = [[block, 16, 2, 128, area, 0, 0] for block, area in AREAS.items() if block not in without]
        # Every table contains a macro of 20 um2; the interface has two of them.
        rows[0][5:], rows[-1][4:] = [20, 2], [400, 40, 4]
        rows += [["router", "", 4, 128, 1000, 1000, 100], ["gradient_queue", "", "", "", 20, 0, 0]]
        with (self.folder / "area.csv").open("w", newline="") as file:
            csv.writer(file).writerows([columns, *rows])

    def run_overhead(self, coppice=None):
        return subprocess.run([SCRIPT, "--folder", self.folder, "--coppice", coppice or self.coppice], capture_output=True,
                              text=True, check=False)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib") and importlib.util.find_spec("pandas"),
                         "draws with the packages of make area")
    def test_compares_the_added_area_with_the_rest_and_with_the_router(self):
        self.write()
        run = self.run_overhead()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        with (self.folder / "overhead.csv").open(newline="") as file:
            rows = {row["part"]: row for row in csv.DictReader(file)}
        # Added area: 2 * (10 + 20 + 1 + 2 + 3) + 18 + 150 = 240 of 440 um2; the router has 2,000.
        of = {part: (row["area_um2"], row["of_plain_interface"], row["of_router"]) for part, row in rows.items()}
        self.assertEqual(of["added for schedules"], ("240", "120.0%", "12.0%"))
        self.assertEqual(of["added, without the reduction unit"], ("90", "45.0%", "4.5%"))
        self.assertEqual(of["plain network interface"], ("200", "100.0%", "10.0%"))
        self.assertEqual(of["the rest of it"], ("10", "5.0%", "0.5%"))
        self.assertEqual(of["gradient queue (C-Cube), beside it"], ("20", "10.0%", "1.0%"))
        self.assertEqual(rows["tables of MultiTree"]["memory_bits"], "960")
        self.assertTrue((self.folder / "overhead.svg").exists() and (self.folder / "overhead.png").exists())

    def test_reports_how_to_make_a_missing_table(self):
        self.assertIn("make area", self.run_overhead().stderr)
        self.write(without=["packetizer"])
        self.assertIn("packetizer", self.run_overhead().stderr)
        self.write()
        self.assertIn("--coppice", self.run_overhead(self.folder / "nowhere").stderr)


if __name__ == "__main__":
    unittest.main()

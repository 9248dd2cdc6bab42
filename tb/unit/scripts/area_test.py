#!/usr/bin/python3
"""scripts/area on small blocks whose figures are counted by hand, and what it says of what is missing."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "area"
sys.path.insert(0, str(ROOT / "scripts"))

from hardware import liberty, timing  # noqa: E402: its folder is no package of the system

# Delays that do not depend on load or slew: 1 ns through the inverter, 2 through the NAND, 3 from clock to Q.
CELLS = """library(small) {
  time_unit : "1ns"; /* a comment */
  lu_table_template(t) { variable_1 : total_output_net_capacitance; variable_2 : input_net_transition; }
  %s
}"""


def tables(delay):
    return "".join(f'{name}(t) {{ index_1 ("0, 1"); index_2 ("0, 1"); values ("{value}, {value}", \\\n"{value}, {value}"); }}'
                   for edge in ("rise", "fall") for name, value in ((f"cell_{edge}", delay), (f"{edge}_transition", 0.1)))


def cell(name, area, function, arcs, delay, rest=""):
    timings = "".join(f'timing() {{ related_pin : "{pin}"; {tables(delay)} }}' for pin in arcs)
    pins = "".join(f"pin({pin}) {{ direction : input; capacitance : 0.01; }}" for pin in arcs)
    return f'cell({name}) {{ area : {area}; {rest} {pins} pin(Y) {{ direction : output; function : "{function}"; {timings} }} }}'


SMALL = CELLS % (cell("inv", 2, "(!A)", "A", 1.0) + cell("nand", 4, "(!(A B))", "AB", 2.0) +
                 cell("nand_big", 6, "((A&B)')", "AB", 1.5) + cell("flop", 9, "IQ", ["C"], 3.0, "ff(IQ, IQN) { }"))


def gate(kind, **pins):
    return {"type": kind, "connections": {pin: [net] for pin, net in pins.items()}}


class Liberty(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".lib") as file:
            file.write(SMALL)
            file.flush()
            self.library = liberty.Library(pathlib.Path(file.name))

    def test_finds_areas_flip_flops_and_the_smallest_nand(self):
        cells = self.library.cells
        self.assertEqual({name: of.area for name, of in cells.items()}, {"inv": 2, "nand": 4, "nand_big": 6, "flop": 9})
        self.assertEqual([name for name, of in cells.items() if of.sequential], ["flop"])
        self.assertEqual(self.library.nand2, 4)

    def test_interpolates_delays_between_loads_and_slews(self):
        group = liberty.parse('library(l) { t() { index_1 ("0, 2"); index_2 ("0, 4"); values ("0, 4", "2, 10"); } }', "l")
        table = liberty.Table(group.all("t")[0], {})
        self.assertEqual([table.at(0, 0), table.at(2, 0), table.at(1, 2), table.at(4, 0)], [0, 2, 4, 4])

    def test_the_longest_path_crosses_modules_and_ends_at_flip_flops(self):
        # flop -> inv -> (child: nand -> inv) -> flop -> nand: 3 + 1 + 2 + 1 = 7 ns against 3 + 2.
        child = {"cells": {"n": gate("nand", A=2, B=3, Y=4), "i": gate("inv", A=4, Y=5)},
                 "ports": {"a": [2], "b": [3], "y": [5]}}
        top = {"cells": {"f": gate("flop", C=2, Y=3), "i": gate("inv", A=3, Y=4),
                         "c": {"type": "child", "connections": {"a": [4], "b": ["1"], "y": [5]}},
                         "g": gate("flop", C=2, D=5, Y=6), "n": gate("nand", A=6, B=6, Y=7)},
               "ports": {"clk": [2], "out": [7]}}
        modules = {"child": child, "top": top}
        self.assertAlmostEqual(timing.longest_path(modules, "top", self.library), 7000)
        self.assertAlmostEqual(timing.longest_path(modules, "child", self.library), 3000)


class Area(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_area(self, *arguments, **environment):
        return subprocess.run([SCRIPT, "--out", self.folder / "out", "--jobs", "1", *arguments], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})

    def figures(self, *arguments, **environment):
        run = self.run_area(*arguments, **environment)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        names = ["cells", "area", "nand2", "flops", "bits", "macro", "path"]
        return dict(zip(names, (int(word) for word in run.stdout.splitlines()[-1].split()[1:])))

    def test_counts_the_flip_flops_of_a_small_fifo_once(self):
        # 4 words of 8 bits, a head of 2 bits, a count of 3.
        small = ["--block", "fifo", "--parameter", "WIDTH=8", "DEPTH=4", "ADDR_W=2"]
        of = self.figures(*small)
        self.assertEqual((of["flops"], of["bits"], of["macro"]), (4 * 8 + 2 + 3, 0, 0))
        self.assertEqual(of["nand2"], round(of["area"] / 24))
        self.assertGreater(of["area"], 37 * 96)  # a flip-flop's, and some logic
        self.assertGreater(of["path"], 100)
        # What is done is kept: a second time needs no Yosys that works.
        stand_in = self.folder / "yosys"
        stand_in.write_text("#!/bin/sh\nexit 1\n")
        stand_in.chmod(0o755)
        again = self.figures(*small, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(again, of)

    def test_a_large_memory_is_a_macro_by_its_bits(self):
        # 16 words of 128 bits; left are a head of 4 bits and a count of 5.
        of = self.figures("--block", "fifo", "--density", "7")
        self.assertEqual((of["flops"], of["bits"], of["macro"]), (4 + 5, 16 * 128, 7 * 16 * 128))

    def test_names_what_is_missing(self):
        for arguments, environment, words in (
                (["--block", "fifo", "--liberty", "/nowhere.lib"], {}, ["/nowhere.lib", "--liberty"]),
                (["--block", "fifo", "--liberty", "/dev/null"], {}, ["/dev/null", "Liberty"]),
                (["--block", "fifos"], {}, ["fifos", "fifo,"]),
                (["--block", "fifo", "--parameter", "WIDE=8"], {}, ["fifo", "WIDE"]),
                (["--block", "fifo"], {"PATH": "/nowhere"}, ["yosys", "make setup"])):
            with self.subTest(arguments=arguments):
                run = self.run_area(*arguments, **environment)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertTrue(run.stderr.startswith("area: "))
                self.assertEqual(len(run.stderr.splitlines()), 1)
                for word in words:
                    self.assertIn(word, run.stderr)


if __name__ == "__main__":
    unittest.main()

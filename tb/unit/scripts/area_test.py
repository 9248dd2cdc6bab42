#!/usr/bin/python3
"""Tests scripts/area on small blocks whose figures were counted by hand, and its messages about missing inputs."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "area"
sys.path.insert(0, str(ROOT / "scripts"))

from hardware import liberty, synthesis  # noqa: E402: its folder is not an installed package

class Liberty(unittest.TestCase):
    def test_finds_areas_flip_flops_and_the_smallest_nand(self):
        pins = "pin(A) { direction : input; } pin(B) { direction : input; }"
        cells = "".join(f"cell({name}) {{ area : {area}; {rest} {pins} pin(Y) {{ direction : output; "
                        f"function : \"{function}\"; }} }}\n"
                        for name, area, function, rest in (
                            ("nor", 3, "(!(A+B))", ""), ("nand", 4, "(!(A B))", ""),
                            ("nand_big", 6, "((A&B)')", "/* area : 1; */"), ("nand_by_or", 5, "A' + B'", ""),
                            ("flop", 9, "IQ", 'ff(IQ, IQN) { clocked_on : "A"; next_state : "B"; }')))
        with tempfile.NamedTemporaryFile("w", suffix=".lib") as file:
            file.write(f"library(small) {{ {cells} }}")
            file.flush()
            library = liberty.Library(pathlib.Path(file.name))
        self.assertEqual({name: of.area for name, of in library.cells.items()},
                         {"nor": 3, "nand": 4, "nand_big": 6, "nand_by_or": 5, "flop": 9})
        self.assertEqual([name for name, of in library.cells.items() if of.sequential], ["flop"])
        self.assertEqual([name for name, of in library.cells.items() if of.computes(lambda a, b: not (a and b), 2)],
                         ["nand", "nand_big", "nand_by_or"])
        self.assertEqual(library.nand2, 4)


class Kept(unittest.TestCase):
    @unittest.skipUnless(shutil.which("yosys"), "needs Yosys")
    def test_a_module_is_mapped_again_if_its_children_have_other_names(self):
        library = types.SimpleNamespace(text="")
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(1) as pool:
            kept = synthesis.Synthesis(library, pathlib.Path(folder), 1024, pool)
            kept.sources = {"parent": "", "child": ""}
            kept.map = lambda name, modules, _: sorted(synthesis.instances(modules[name], modules))
            for child in (r"$paramod\child\W=1", r"$paramod\child\W=2"):
                modules = {"parent": {"cells": {"i_child": {"type": child}}}, child: {"cells": {}}}
                self.assertEqual(kept.start_mapping("parent", modules).result(), [child])


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
        names = ["cells", "area", "nand2", "flops", "bits", "macro"]
        return dict(zip(names, (int(word) for word in run.stdout.splitlines()[-1].split()[1:])))

    def test_counts_the_flip_flops_of_a_small_fifo_once(self):
        # 4 words of 8 bits, a head pointer of 2 bits and a count of 3 bits.
        small = ["--block", "fifo", "--parameter", "WIDTH=8", "DEPTH=4", "ADDR_W=2"]
        of = self.figures(*small)
        self.assertEqual((of["flops"], of["bits"], of["macro"]), (4 * 8 + 2 + 3, 0, 0))
        self.assertEqual(of["nand2"], round(of["area"] / 24))
        self.assertGreater(of["area"], 37 * 96)  # the flip-flops, plus some logic
        # Results are cached: in a second run, Yosys only reads the library.
        stand_in = self.folder / "yosys"
        stand_in.write_text("#!/bin/sh\ncase $* in *read_liberty*write_json*) "
                            f"exec {shutil.which('yosys')} \"$@\" ;; esac\nexit 1\n")
        stand_in.chmod(0o755)
        again = self.figures(*small, PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual(again, of)

    def test_a_large_memory_is_a_macro_with_its_bits(self):
        # 16 words of 128 bits become a macro; a head pointer of 4 bits and a count of 5 bits remain.
        of = self.figures("--block", "fifo", "--density", "7")
        self.assertEqual((of["flops"], of["bits"], of["macro"]), (4 + 5, 16 * 128, 7 * 16 * 128))

    def test_a_clock_gate_is_an_inverter_a_latch_and_an_and(self):
        of = self.figures("--block", "clock_gate", "--parameter", "GATES=1")
        self.assertEqual((of["cells"], of["area"], of["flops"]), (3, 16 + 56 + 32, 1))
        self.assertEqual(self.figures("--block", "clock_gate")["cells"], 0)
        # In returned credits, each gate has a latch, and enables need no multiplexers.
        with_gates, without = (self.figures("--block", "credit_return", "--parameter", f"GATES={gates}") for gates in (1, 0))
        self.assertEqual(with_gates["flops"], without["flops"] + 1)

    def test_a_pointer_has_no_flip_flop_for_its_constant_bit(self):
        # Pointers to 2 inputs with 2 virtual channels and to 2 outputs, and those of 2 outputs to 2 inputs. The first
        # position needs no bit.
        of = self.figures("--block", "switch_allocator", "--parameter", "PORTS=2", "VCS=2")
        self.assertEqual(of["flops"], 2 * (2 - 1) + 2 * (2 - 1) + 2 * (2 - 1))

    def test_reports_missing_inputs_and_tools(self):
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

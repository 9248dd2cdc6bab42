#!/usr/bin/python3
"""Tests scripts/layout: a block from netlist to metal, the readers of the tools' files, and that a wrong wire is
noticed."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "layout"
sys.path.insert(0, str(ROOT / "scripts"))

from hardware import layout, layout_files, timing  # noqa: E402: its folder is not an installed package
from hardware.errors import HardwareError  # noqa: E402

LIBRARY = types.SimpleNamespace(buffer="BUFX4")
LEF = """LAYER metal1
  WIDTH 0.5 ;
  RESISTANCE RPERSQ 0.1 ;
  CAPACITANCE CPERSQDIST 4e-05 ;
  EDGECAPACITANCE 1e-05 ;
END metal1
LAYER metal2
  WIDTH 0.5 ;
  RESISTANCE RPERSQ 0.1 ;
  CAPACITANCE CPERSQDIST 4e-05 ;
  EDGECAPACITANCE 2e-05 ;
END metal2
MACRO INVX1
  SIZE 1.600 BY 10.000 ;
END INVX1
"""
DEF = """DESIGN two ;
UNITS DISTANCE MICRONS 100 ;
DIEAREA ( -400 0 ) ( 1600 1000 ) ;
COMPONENTS 3 ;
- INVX1_1 INVX1 + PLACED ( 0 0 ) FS ;
- INVX1_2 INVX1 + PLACED ( 160 0 ) N ;
- FILL_1 FILL + PLACED ( 320 0 ) N ;
END COMPONENTS
NETS 3 ;
- a
  ( PIN a )
  ( INVX1_1 A )
+ ROUTED metal1 ( 0 0 ) ( 300 * ) M2_M1
  NEW metal2 ( 300 0 ) ( * 400 ) ( 500 * ) ;
- middle
  ( INVX1_1 Y )
  ( INVX1_2 A ) ;
- y
  ( INVX1_2 Y )
  ( PIN y ) ;
END NETS
SPECIALNETS 2 ;
- a
+ ROUTED metal1 40 ( 500 400 ) ( 510 * ) ;
- vdd
+ FIXED metal1 40 ( 0 50 ) ( * * ) via21
  NEW metal2 160 ( 0 0 ) ( * 1000 ) ;
END SPECIALNETS
END DESIGN
"""
SPICE = """.subckt INVX1 A gnd Y vdd
.ends
.subckt FILL gnd vdd
.ends
.subckt two vdd gnd a
+ y
XINVX1_1 a gnd INVX1_1/Y vdd INVX1
XINVX1_2 INVX1_1/Y gnd y
+ vdd INVX1
XFILL_1 gnd vdd FILL
.ends
"""


def written(folder, name, text):
    path = pathlib.Path(folder) / name
    path.write_text(text)
    return path


def module(cells, **ports):
    return {"ports": {name: {"direction": "input" if name[0] == "i" else "output", "bits": [bit]} for name, bit in ports.items()},
            "cells": {name: {"type": kind, "connections": pins} for name, (kind, pins) in cells.items()}}


TWO = layout.Netlist("two", ["a"], ["y"], {"first": ("INVX1", {"A": "a", "Y": "middle"}),
                                           "second": ("INVX1", {"A": "middle", "Y": "y"})}, {})


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lef = layout_files.read_lef(written(self.folder, "cells.lef", LEF))
        self.routed = layout_files.read_def(written(self.folder, "two.def", DEF))
        self.extracted = layout_files.spice_nets(written(self.folder, "two.spice", SPICE), "two")

    def test_reads_wires_cells_and_rails_from_a_def(self):
        self.assertEqual(self.routed.die, (-4, 0, 16, 10))
        self.assertEqual(self.routed.cells, {"INVX1_1": "INVX1", "INVX1_2": "INVX1", "FILL_1": "FILL"})
        self.assertEqual(self.routed.places["INVX1_2"], (1.6, 0, "N"))
        self.assertEqual(self.routed.wires["a"], [("metal1", 0, 0, 3, 0), ("metal2", 3, 0, 3, 4), ("metal2", 3, 4, 5, 4),
                                                  ("metal1", 5, 4, 5.1, 4)])
        self.assertEqual((self.routed.vias, self.routed.power), (1, [("metal2", 1.6, 0, 0, 0, 10)]))
        self.assertEqual(self.lef.sizes, {"INVX1": (1.6, 10)})

    def test_counts_both_edges_of_a_wire(self):
        # 4e-5 * 0.5 + 2 * 1e-5 of metal 1, 4e-5 * 0.5 + 2 * 2e-5 of metal 2
        self.assertAlmostEqual(layout_files.wire_pf(self.routed.wires["a"], self.lef.layers), 3.1 * 4e-5 + 6 * 6e-5)

    def test_cells_of_a_layout_are_recognised_by_the_nets_they_drive(self):
        self.assertEqual(layout.compare(TWO, self.routed, self.extracted), {"INVX1_1": "first", "INVX1_2": "second"})

    def test_notices_a_wrong_wire(self):
        short = layout_files.spice_nets(written(self.folder, "short", SPICE.replace("INVX1_1/Y", "y")), "two")
        cut = layout_files.spice_nets(written(self.folder, "cut", SPICE.replace("XINVX1_2 INVX1_1/Y", "XINVX1_2 other")), "two")
        for broken in (short, cut):
            with self.assertRaisesRegex(HardwareError, "according to magic"):
                layout.compare(TWO, self.routed, broken)
        swapped = layout_files.read_def(written(self.folder, "swapped", DEF.replace("( INVX1_1 A )", "( INVX1_2 A )", 1)))
        with self.assertRaisesRegex(HardwareError, "according to graywolf and qrouter"):
            layout.compare(TWO, swapped, self.extracted)

    def test_distributes_the_capacitance_over_the_tree(self):
        lines = written(self.folder, "two.rc", "a 1 PIN/a 1 ( 2.0 0.001 ( 4.0 0.003 INVX1_1/A ) )\n")
        text, loads = layout_files.spef(TWO, self.routed, {"INVX1_1": "first"}, layout_files.read_rc(lines), self.lef.layers)
        whole = layout_files.wire_pf(self.routed.wires["a"], self.lef.layers)
        self.assertEqual(loads, {"a": whole})
        self.assertIn(f"*CAP\n1 a:1 {whole / 4:.7f}\n2 a:2 {whole * 3 / 4:.7f}\n", text)
        self.assertIn("*RES\n1 a a:1 2.0000\n2 a:1 a:2 4.0000\n3 a:2 first:A 0.0010\n", text)


class Netlists(unittest.TestCase):
    def test_a_net_with_two_outputs_gets_a_buffer(self):
        of = layout.to_netlist("t", module({"g": ("INVX1", {"A": [2], "Y": [3]})}, i=2, one=3, two=3, through=2, low="0"), LIBRARY)
        self.assertEqual(of.outputs, ["one", "two", "through"])
        self.assertEqual(of.cells, {"g": ("INVX1", {"A": "i", "Y": "one"}), "buffer_two": ("BUFX4", {"A": "one", "Y": "two"}),
                                    "buffer_through": ("BUFX4", {"A": "i", "Y": "through"})})

    def test_a_memory_stays_outside_with_its_pins_at_the_edge(self):
        pins = {"RD_ADDR": [2, 4], "RD_DATA": [5, 6], "WR_EN": ["1"]}
        of = layout.to_netlist("t", module({"m.x": ("memory_4x2", pins), "g": ("NAND2X1", {"A": [5], "B": [2], "Y": [4]})},
                                           i=2, out=6), LIBRARY)
        self.assertEqual(of.macros, {"m_x": ("memory_4x2", {"RD_ADDR": ["i", "m_x_RD_ADDR_1"],
                                                            "RD_DATA": ["m_x_RD_DATA_0", "m_x_RD_DATA_1"], "WR_EN": ["1'b1"]})})
        self.assertEqual((of.inputs, of.outputs), (["i", "m_x_RD_DATA_0", "m_x_RD_DATA_1"], ["out", "m_x_RD_ADDR_1"]))
        self.assertIn("input i;\n  output out;\n", layout_files.verilog(of))

    def test_a_clock_with_many_flip_flops_is_a_tree(self):
        flops = {f"q{i}": ("DFFPOSX1", {"CLK": [2], "D": [10 + i], "Q": [11 + i]}) for i in range(700)}
        of = module(flops, out=710, out2=10) | {"cells": {name: {"type": kind, "connections": pins}
                                                          for name, (kind, pins) in flops.items()}}
        of["ports"]["clk_i"] = {"direction": "input", "bits": [2]}
        cells = layout.to_netlist("t", of, LIBRARY).cells
        sinks = {}
        for name, (_, pins) in cells.items():
            sinks.setdefault(pins.get("CLK", pins.get("A")), []).append(name)
        self.assertEqual(max(map(len, sinks.values())), layout.CLOCK_FAN_OUT)
        for i in range(700):
            net, steps = cells[f"q{i}"][1]["CLK"], 0
            while net != "clk_i":
                net, steps = cells[net.removesuffix("_net")][1]["A"], steps + 1
            self.assertEqual(steps, 2)  # 700, divided by 24 twice

    def test_rejects_what_the_library_cannot_build(self):
        with self.assertRaisesRegex(HardwareError, "constant input"):
            layout.to_netlist("t", module({"g": ("INVX1", {"A": ["0"], "Y": [3]})}, out=3), LIBRARY)


class Layout(unittest.TestCase):
    def run_layout(self, folder, *arguments, **environment):
        return subprocess.run([SCRIPT, "--out", f"{folder}/out", "--netlists", f"{folder}/netlists", "--jobs", "1", "--no-picture",
                               *arguments], capture_output=True, text=True, check=False, env={**os.environ, **environment})

    def test_lays_out_a_block(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_layout(folder, "timestep_counter")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            out = pathlib.Path(folder) / "out" / "timestep_counter"
            row = json.loads((out / "result.json").read_text())
            self.assertEqual(row["outcome"], "routed")
            self.assertEqual((row["from"], row["to"]), ("value_q", "value_q"))
            self.assertGreater(row["die_area_um2"], row["cell_area_um2"])
            # The path includes the wires; without them it is shorter.
            without = timing.worst(out, 3.6, 1.71, "BUFX4", 1)[0].ns
            self.assertGreater(timing.worst(out, 3.6, 1.71, "BUFX4", 1, out / "wires.spef")[0].ns, without + 0.05)

    def test_reports_the_tool_that_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_layout(folder, "timestep_counter", "--seconds", "0")
            self.assertEqual(run.returncode, 1)
            self.assertIn("graywolf: did not finish within 0 s", run.stdout)

    def test_reports_missing_blocks_and_tools(self):
        for arguments, environment, words in ((["fifos"], {}, ["fifos", "fifo,"]),
                                              (["fifo"], {"PATH": "/nowhere"}, ["qflow", "make setup"])):
            with self.subTest(arguments=arguments), tempfile.TemporaryDirectory() as folder:
                run = self.run_layout(folder, *arguments, **environment)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertTrue(run.stderr.startswith("layout: "))
                for word in words:
                    self.assertIn(word, run.stderr)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""Tests scripts/waveforms and the inputs that it shares with scripts/all_reduce_energy: the values before each rising
clock edge of a recorded run, fields of ports, and cycles that are left out.
"""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

from hardware import recorded  # noqa: E402: its folder is not an installed package
from hardware.errors import HardwareError  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("waveforms", str(ROOT / "scripts" / "waveforms"))
waveforms = importlib.util.module_from_spec(importlib.util.spec_from_loader("waveforms", LOADER))
LOADER.exec_module(waveforms)

# `a` changes at the rising edges of cycles 1 and 3, `w` before the rising edge of cycle 2. A port with two names has
# one code.
VCD = """$scope module network_tb $end
$var reg 1 ! clk $end
$scope module one $end
$var wire 1 " a $end
$var wire 4 # w $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
0!
x"
bx #
$end
#1
1!
#2
0!
b101 #
#3
1!
1"
#4
0!
b0 #
#5
1!
#6
0!
#7
1!
0"
#8
0!
#9
1!
#10
"""


class Recorded(unittest.TestCase):
    def read(self, wanted):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.vcd"
            path.write_text(VCD)
            return recorded.read(path, wanted)

    def test_a_cycle_has_the_values_before_its_rising_edge(self):
        one = self.read({"one": ["a", "w"]})["one"]
        self.assertEqual(one.ports["a"], ["x", "x", "1", "1", "0"])
        self.assertEqual(one.ports["w"], ["xxxx", "0101", "0000", "0000", "0000"])
        self.assertEqual((one.number("w", 0), one.known("w", 0), one.number("w", 1), one.known("w", 1)), (0, 0, 5, 15))

    def test_lists_ports_that_are_not_recorded(self):
        with self.assertRaisesRegex(HardwareError, "one.b"):
            self.read({"one": ["a", "b"]})

    def test_gates_must_behave_as_recorded(self):
        class Gates:
            """y is the complement of a, driven on other nets."""
            ports = {"clk_i": ("input", 1), "a": ("input", 2), "y": ("output", 3)}  # (direction, net)

            def __init__(self, gate):
                self.gate = gate

            def verilog(self):
                return f"module gates (clk_i, a, y);\n  input clk_i, a; output y;\n  wire n1 = clk_i, n2 = a; wire n3;\n" \
                       f"  {self.gate} (n3, n2);\n  assign y = n3;\nendmodule\n"
        seen = recorded.Recorded({"a": ["x", "0", "1", "0", "0", "1", "0", "0"], "y": ["x", "1", "0", "1", "1", "0", "1", "1"]})
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            run = recorded.Replay(Gates("not"), 8, 1, 6, 1000, folder / "not").activity(seen, folder / "not_0")
            self.assertEqual((run.cycles, run.rises[2], run.falls[2], run.rises[3], run.falls[3]), (5, 2, 1, 1, 2))
            with self.assertRaisesRegex(HardwareError, "the gates do not behave as recorded: rows 8 wrong 7"):
                recorded.Replay(Gates("buf"), 8, 1, 5, 1000, folder / "buf").activity(seen, folder / "buf_0")
            wide = recorded.Recorded({"a": ["00"] * 8, "y": ["1"] * 8})
            with self.assertRaisesRegex(HardwareError, "a: 2 bits, 1 in the netlist"):
                recorded.Replay(Gates("not"), 8, 1, 5, 1000, folder / "wide").activity(wide, folder / "wide_0")


class Waveforms(unittest.TestCase):
    def test_names_instances_as_the_testbench_does(self):
        testbench = (ROOT / "tb" / "tile" / "network_tb.v").read_text()
        self.assertIn(waveforms.NI[0].partition(".")[2] + ".", testbench)

    def test_selects_fields_and_channels(self):
        seen = recorded.Recorded({"entry_o": ["11010", "x0001"]})
        self.assertEqual(waveforms.part(seen, "entry_o[3:1]", 0, 0), ["101", "000"])
        self.assertEqual(waveforms.part(seen, "entry_o", 1, 2), ["10", "00"])
        self.assertEqual(waveforms.part(seen, "entry_o", 7, 0), ["11010", "x0001"])

    def test_finds_the_first_use_and_its_channel(self):
        self.assertEqual(waveforms.first_use(["0000", "xx00", "0100", "0001"]), (2, 2))
        self.assertIsNone(waveforms.first_use(["00", "x0"]))

    def test_omits_cycles_in_which_nothing_changes(self):
        signals = [("a", list("0011111110"))]
        self.assertEqual(waveforms.columns(signals, 0), [(0, 1), (1, 1), (2, 1), (3, 6), (9, 1)])
        self.assertEqual(waveforms.columns([("a", list("00111"))], 1), [(1, 1), (2, 1), (3, 1), (4, 1)])

    def test_draws_every_value_and_the_omitted_cycles_once(self):
        text = waveforms.drawing([("valid", list("0011111110")), ("word", ["0000"] * 2 + ["1010"] * 7 + ["xxxx"])], 0)
        texts = [node.firstChild.data for node in xml.dom.minidom.parseString(text).getElementsByTagName("text")]
        self.assertEqual(sorted(texts), sorted(["clk_i", "valid", "word", "0", "1", "2", "+6", "9", "0", "a"]))
        self.assertEqual(waveforms.widest([2, 4, 5]), 5)
        self.assertIsNone(waveforms.widest([]))


if __name__ == "__main__":
    unittest.main()

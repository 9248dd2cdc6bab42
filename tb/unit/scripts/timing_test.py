#!/usr/bin/python3
"""Tests scripts/timing: paths in a netlist made by hand, the time of memories, buffers behind registers, names of
registers."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "timing"
sys.path.insert(0, str(ROOT / "scripts"))

from hardware import netlist, timing  # noqa: E402: its folder is not an installed package
from hardware.errors import HardwareError  # noqa: E402

# Delays do not depend on load and slew: 1 ns for the inverter, 2 ns for the NAND, 3 ns from clock to Q.
HEAD = ('delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1uA"; '
        'pulling_resistance_unit : "1kohm"; '
        "capacitive_load_unit(1, pf);\n" +
        "".join(f"{at}_threshold_pct_{edge} : 50; slew_lower_threshold_pct_{edge} : 20; slew_upper_threshold_pct_{edge} : 80;\n"
                for at in ("input", "output") for edge in ("rise", "fall")))


def arc(related, delay, kind=""):
    edges = "".join(f'cell_{edge}(scalar) {{ values("{delay}"); }} {edge}_transition(scalar) {{ values("0.1"); }}'
                    for edge in ("rise", "fall"))
    return f'timing() {{ related_pin : "{related}"; {kind} {edges} }}'


def cell(name, function, arcs, delay):
    pins = "".join(f"pin({pin}) {{ direction : input; capacitance : 0.01; }}" for pin in arcs)
    return (f'cell({name}) {{ area : 2; {pins} pin(Y) {{ direction : output; function : "{function}"; '
            f'{"".join(arc(pin, delay) for pin in arcs)} }} }}\n')


CELLS = f"""library(small) {{ {HEAD}
{cell("inv", "(!A)", "A", 1)}{cell("nand", "(!(A B))", "AB", 2)}{cell("buf", "A", "A", 0.5)}
cell(flop) {{ area : 9; ff(IQ, IQN) {{ clocked_on : "C"; next_state : "D"; }}
  pin(C) {{ direction : input; clock : true; capacitance : 0.01; }} pin(D) {{ direction : input; capacitance : 0.01;
    timing() {{ related_pin : "C"; timing_type : setup_rising; rise_constraint(scalar) {{ values("0"); }}
      fall_constraint(scalar) {{ values("0"); }} }} }}
  pin(Y) {{ direction : output; function : "IQ"; {arc("C", 3, "timing_type : rising_edge;")} }} }}
}}"""
# flop -> inv -> nand -> inv -> flop: 3 + 1 + 2 + 1 = 7 ns. From the second flop to the output: 3 + 2 ns.
PIPELINE = """module top(clk_i, b, out); input clk_i, b; output out; wire a, n1, n2, n3, q;
  flop \\first_q[0].reg (.C(clk_i), .D(out), .Y(a)); inv i1(.A(a), .Y(n1)); nand n(.A(n1), .B(b), .Y(n2));
  inv i2(.A(n2), .Y(n3)); flop \\second_q[3].reg (.C(clk_i), .D(n3), .Y(q)); nand m(.A(q), .B(q), .Y(out)); endmodule
"""


class Paths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "cells.lib").write_text(CELLS)
        (self.folder / "macros.lib").write_text("")
        (self.folder / "netlist.v").write_text(PIPELINE)

    def test_the_longest_path_goes_from_register_to_register(self):
        paths = timing.worst(self.folder, 3.6, 1.0, "buf", 10)
        self.assertEqual((paths[0].start, paths[0].end), ("first_q", "second_q"))
        self.assertAlmostEqual(paths[0].ns, 7.0, places=2)
        ends = {(path.start, path.end): path.ns for path in paths}
        self.assertAlmostEqual(ends["second_q", "first_q"], 5.0, places=2)
        self.assertAlmostEqual(ends["second_q", "out"], 5.18, places=2)  # including the set-up time of the next block
        self.assertIn("i1", (self.folder / "paths.txt").read_text())

    def test_reports_the_message_of_opensta_about_a_wrong_netlist(self):
        (self.folder / "netlist.v").write_text(PIPELINE.replace("inv i1(.A", "inv i1(.Z"))
        with self.assertRaises(HardwareError):
            timing.worst(self.folder, 3.6, 1.0, "buf", 10)


class Netlist(unittest.TestCase):
    def test_a_memory_takes_90_ps_more_for_each_doubling(self):
        self.assertAlmostEqual(netlist.access(1024, 0.9), 0.9)
        self.assertAlmostEqual(netlist.access(8192, 0.9), 0.9 + 3 * 0.09)
        self.assertAlmostEqual(netlist.access(64, 0.9), 0.9)

    def test_buffers_the_net_of_a_register(self):
        cells = {"r": {"type": "flop", "connections": {"D": [9], "Q": [2]}}}
        cells |= {f"g{i}": {"type": "inv", "connections": {"A": [2], "Y": [100 + i]}} for i in range(235)}
        module = {"cells": cells, "ports": {}, "netnames": {"first_q": {"bits": [2]}}}
        netlist.buffer_nets(module, set(), "buf", {"flop"}, ["buf"])
        wires = netlist.Wires(module, {"Y", "Q"})
        self.assertLessEqual(max(len(sinks) for sinks in wires.sinks.values()), netlist.FAN_OUT)
        for i in range(235):
            bit, steps = cells[f"g{i}"]["connections"]["A"][0], 0
            while wires.driver[bit]["type"] == "buf":
                bit = wires.driver[bit]["connections"]["A"][0]
                steps += 1
            self.assertEqual(bit, 2)
            self.assertLessEqual(steps, 3)

    def test_the_sinks_farthest_from_a_register_are_closest_to_the_source(self):
        cells = {"r": {"type": "flop", "connections": {"D": [9], "Q": [2]}}}
        for chain in range(40):  # 1 to 40 gates, and then a flop
            for gate in range(chain + 1):
                cells[f"g{chain}_{gate}"] = {"type": "inv", "connections": {
                    "A": [100 * chain + 1000 + gate - 1 if gate else 2], "Y": [100 * chain + 1000 + gate]}}
            cells[f"f{chain}"] = {"type": "flop", "connections": {"D": [100 * chain + 1000 + chain], "Q": [9000 + chain]}}
        module = {"cells": cells, "ports": {}, "netnames": {"first_q": {"bits": [2]}}}
        netlist.buffer_nets(module, set(), "buf", {"flop"}, ["buf"])
        wires = netlist.Wires(module, {"Y", "Q"})
        steps = []
        for chain in range(40):
            bit = cells[f"g{chain}_0"]["connections"]["A"][0]
            steps.append(0)
            while wires.driver[bit]["type"] == "buf":
                bit = wires.driver[bit]["connections"]["A"][0]
                steps[-1] += 1
        self.assertEqual(steps, sorted(steps, reverse=True))
        self.assertEqual(steps[-1], 0)
        self.assertLessEqual(max(len(sinks) for sinks in wires.sinks.values()), netlist.FAN_OUT)

    def test_replaces_the_buffers_of_a_gate(self):
        cells = {"g": {"type": "inv", "connections": {"A": [3], "Y": [2]}},
                 "there": {"type": "large", "connections": {"A": [2], "Y": [4]}},
                 "out": {"type": "large", "connections": {"A": [4], "Y": [5]}}}
        cells |= {f"f{i}": {"type": "flop", "connections": {"D": [4], "Q": [100 + i]}} for i in range(20)}
        module = {"cells": cells, "ports": {"a": {"direction": "input", "bits": [3]}, "b": {"direction": "output", "bits": [5]}},
                  "netnames": {}}
        netlist.buffer_nets(module, set(), "buf", {"flop"}, ["buf", "large"])
        self.assertEqual([name for name, cell in cells.items() if cell["type"] == "large"], ["out"])  # it drives an output
        wires = netlist.Wires(module, {"Y", "Q"})
        self.assertLessEqual(len(wires.sinks[2]), netlist.FAN_OUT)
        self.assertLessEqual(max(len(sinks) for sinks in wires.sinks.values()), netlist.FAN_OUT)
        for sink in ["out", *(f"f{i}" for i in range(20))]:
            pin = "A" if sink == "out" else "D"
            bit = cells[sink]["connections"][pin][0]
            while wires.driver[bit]["type"] == "buf":
                bit = wires.driver[bit]["connections"]["A"][0]
            self.assertEqual(bit, 2)

    def test_names_registers_as_in_the_verilog(self):
        self.assertEqual(timing.register("i_port.words_q[1][3].reg/D"), "i_port.words_q")
        self.assertEqual(timing.register("memory25.i_table.lines_q.reg/RD_ADDR[3]"), "i_table.lines_q")
        self.assertEqual(timing.register("data_i[12]"), "data_i")
        self.assertEqual(timing.register("g_port\\[2\\].count_q[0].reg/Q"), "g_port[2].count_q")


class Timing(unittest.TestCase):
    def run_timing(self, *arguments, **environment):
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run([SCRIPT, "--out", folder, "--jobs", "1", *arguments], capture_output=True, text=True,
                                  check=False, env={**os.environ, **environment})

    def test_includes_the_access_of_a_memory(self):
        def slowest(access):
            run = self.run_timing("fifo", "--memory-ns", str(access), "--paths", "3")
            self.assertEqual(run.returncode, 0, run.stderr)
            rows = [line.split() for line in run.stdout.splitlines() if " -> " in line]
            self.assertEqual(rows[0][-3:], ["head_q", "->", "data_o"])
            return float(rows[0][0])
        self.assertAlmostEqual(slowest(3.6) - slowest(2.7), 0.9, places=2)

    def test_tries_other_structures_if_the_first_misses_the_period(self):
        def slowest(*arguments):
            run = self.run_timing("command_decoder", "--paths", "1", *arguments)
            self.assertEqual(run.returncode, 0, run.stderr)
            return float(run.stdout.split()[1])
        alone = [slowest("--structure", structure) for structure in netlist.STRUCTURES]
        self.assertEqual(slowest("--period", "0.1"), min(alone))
        self.assertEqual(slowest("--period", "10"), alone[0])

    def test_reports_missing_inputs_and_tools(self):
        for arguments, environment, words in (
                (["fifo", "--liberty", "/nowhere.lib"], {}, ["/nowhere.lib", "--liberty"]),
                (["fifos"], {}, ["fifos", "fifo,"]),
                (["fifo"], {"PATH": "/nowhere"}, ["yosys", "make setup"])):
            with self.subTest(arguments=arguments):
                run = self.run_timing(*arguments, **environment)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertTrue(run.stderr.startswith("timing: "))
                for word in words:
                    self.assertIn(word, run.stderr)


if __name__ == "__main__":
    unittest.main()

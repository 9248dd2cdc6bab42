#!/usr/bin/python3
"""Tests scripts/energy: energies calculated by hand from Liberty tables and by OpenSTA, and gates that behave like the
Verilog."""

import collections
import importlib.machinery
import importlib.util
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "energy"
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

from hardware import gates, liberty, netlist, power_tables, recorded, replay  # noqa: E402: its folder is not an installed package
from hardware.errors import HardwareError  # noqa: E402

LIBERTY = pathlib.Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
LIBRARY = liberty.Library(LIBERTY)
TABLES = power_tables.Tables(LIBRARY)
STA = """read_liberty {liberty}
read_verilog {verilog}
link_design top
create_clock -name clk -period 10 {clock}
set_input_delay 0 -clock clk [all_inputs]
set_input_transition 0.06 [all_inputs]
set_load 0.025 [all_outputs]
set_power_activity -input -activity 0 -duty 0.5
{activity}
report_power -instances [get_cells g] -digits 8
exit
"""
ONE = "module top(a, y); input a; output y; INVX1 g(.A(a), .Y(y)); endmodule\n"
FLOP = "module top(clk_i, d, q); input clk_i, d; output q; DFFPOSX1 g(.CLK(clk_i), .D(d), .Q(q)); endmodule\n"


def sta(verilog, activity, clock=""):
    """The power (internal, switching, leakage) of the cell g in W, according to OpenSTA."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "top.v").write_text(verilog)
        (pathlib.Path(folder) / "power.tcl").write_text(
            STA.format(liberty=LIBERTY, verilog=f"{folder}/top.v", clock=clock, activity=activity))
        said = subprocess.run(["sta", "-exit", "-no_splash", f"{folder}/power.tcl"], capture_output=True, text=True, check=True)
        found = re.search(r"^\s*(\S+) (\S+) (\S+) \S+ g$", said.stdout, re.MULTILINE)
        return tuple(float(number) for number in found.groups())


def gates_of(verilog, folder):
    (folder / "netlist.v").write_text(verilog)
    (folder / "macros.lib").write_text("")
    return gates.Gates(folder, LIBRARY, TABLES, 0)


class PowerTables(unittest.TestCase):
    def test_reads_energies_of_edges(self):
        rise, fall = TABLES.cells["INVX1"].energy["Y"]["A"]
        self.assertAlmostEqual(rise.at(0.025, 0.06), 0.023574)
        self.assertAlmostEqual(fall.at(0.025, 0.06), 0.008669)
        self.assertAlmostEqual(rise.at(0.05, 0.06), (0.023574 + 0.024479) / 2)            # between loads of 0.025 and 0.075
        self.assertAlmostEqual(rise.at(0.005, 0.12), (0.023555 + 0.029044) / 2)           # between slews of 0.06 and 0.18
        rise, fall = TABLES.cells["DFFPOSX1"].passive["CLK"]
        self.assertAlmostEqual(rise.at(0.06) + fall.at(0.06), 0.117205)

    def test_functions_agree_with_yosys(self):
        for name, cell in LIBRARY.cells.items():
            kinds = {gate["type"] for gate in cell.module["cells"].values()}
            if len(cell.outputs) != 1 or not kinds <= set(liberty.GATES):
                continue
            text = power_tables.expression(TABLES.cells[name].functions[cell.outputs[0]]).replace("~", " not ").replace("&", " and ")
            text = text.replace("|", " or ").replace("^", " != ")
            for values in itertools.product((False, True), repeat=len(cell.inputs)):
                gate_list = list(cell.module["cells"].values())
                self.assertEqual(bool(eval(text, dict(zip(cell.inputs, values)))), cell.value(gate_list, values), name)

    def test_rejects_a_file_that_is_not_a_library(self):
        with self.assertRaises(HardwareError):
            power_tables.parse("module top(a); endmodule")


class Energies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def edges(self, of, **count):
        """Numbers of rises and falls on the nets of the ports."""
        return collections.Counter({of.ports[port][1]: number for port, number in count.items()})

    def test_an_inverter_agrees_with_a_calculation_and_with_opensta(self):
        gates.OUTPUT_PF, before = 0.025, gates.OUTPUT_PF
        self.addCleanup(setattr, gates, "OUTPUT_PF", before)
        gates.INPUT_SLEW, slew = 0.06, gates.INPUT_SLEW
        self.addCleanup(setattr, gates, "INPUT_SLEW", slew)
        of = gates_of(ONE, self.folder)
        count = self.edges(of, a=1, y=1)  # one rise and one fall in ten cycles of 10 ns: 0.2 edges per cycle
        energy = of.energy(count, count, 10, 10)
        self.assertAlmostEqual(energy.gates, 0.023574 + 0.008669)
        pin = TABLES.cells["INVX1"].inputs["A"]
        self.assertAlmostEqual(energy.wires, 1.8 ** 2 * (0.025 + pin))
        self.assertEqual((energy.clock, energy.registers), (0, 0))
        internal, switching, leakage = sta(ONE, "set_power_activity -input_ports [get_ports a] -activity 0.2 -duty 0.5")
        self.assertAlmostEqual(switching * 100e-9 * 1e12, 1.8 ** 2 * 0.025, places=5)  # pJ in 100 ns
        self.assertAlmostEqual(leakage * 100e-9 * 1e12, energy.leakage, places=9)
        # OpenSTA of 2019 counts the energies of a rise and of a fall for every edge, which is twice the values of the
        # tables.
        self.assertAlmostEqual(internal * 100e-9 * 1e12, 2 * energy.gates, places=5)

    def test_a_clock_without_data_agrees_with_a_calculation(self):
        of = gates_of(FLOP, self.folder)
        energy = of.energy(collections.Counter(), collections.Counter(), 10, 10)
        self.assertAlmostEqual(energy.clock, 10 * (0.117205 + 1.8 ** 2 * 0.0279235), places=6)
        self.assertAlmostEqual(energy.clock, 10 * of.clock_pin_pj(), places=6)
        self.assertEqual((energy.registers, energy.gates, energy.wires), (0, 0, 0))
        internal, _, _ = sta(FLOP, "", "[get_ports clk_i]")
        self.assertAlmostEqual(internal * 10e-9 * 1e12, 2 * 0.117205, places=4)  # the same for the clock pin


class Replay(unittest.TestCase):
    def synthesised(self, folder, block="vc_buffer", parameters=None):
        settings = type("Settings", (), {"wire_um": 40, "macro_bits": 1024, "memory_ns": 0.9, "target_ps": 3000})
        netlist.write(block, {"DEPTH": 16, "ADDR_W": 4} if parameters is None else parameters, folder, LIBRARY, settings)
        return gates.Gates(folder, LIBRARY, power_tables.Tables(LIBRARY), 40)

    def test_gates_behave_like_the_verilog_and_broken_ones_are_noticed(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            of = self.synthesised(folder)
            settings = {"DEPTH": 16, "CYCLES": 60, "PERIOD": 10000}
            bench = replay.Bench("vc_buffer", {"DEPTH": 16, "ADDR_W": 4}, of, settings, folder / "run")
            run, still = bench.run(50), bench.run(0)
            self.assertGreater(run.events, 10)
            self.assertEqual((run.rises[of.clock], run.falls[of.clock]), (60, 60))
            busy, idle = of.energy(run.rises, run.falls, 60, 10), of.energy(still.rises, still.falls, 60, 10)
            self.assertGreater(busy.gates, 0)
            self.assertEqual((still.events, idle.registers, idle.gates, idle.wires), (0, 0, 0, 0))
            self.assertAlmostEqual(idle.clock, busy.clock)
            of.tables.cells["INVX1"].functions["Y"] = of.tables.cells["INVX2"].functions["Y"] = "A"
            broken = replay.Bench("vc_buffer", {"DEPTH": 16, "ADDR_W": 4}, of, settings, folder / "broken")
            with self.assertRaisesRegex(HardwareError, "the gates do not behave like the Verilog"):
                broken.run(50)

    def test_gates_of_separately_mapped_modules_behave_like_the_verilog(self):
        with tempfile.TemporaryDirectory() as scratch, unittest.mock.patch.object(netlist, "APART", ("fp32_adder",)):
            folder = pathlib.Path(scratch)
            of = self.synthesised(folder, "reduction_lane", {"GATES": 1})
            apart = json.loads((folder / "with_macros.json").read_text())["modules"]
            self.assertEqual(sum("fp32_adder" in name for name in apart), 2)  # one for fp32 and one for bf16
            bench = replay.Bench("reduction_lane", {"GATES": 1}, of, {"CYCLES": 40, "PERIOD": 10000, "TYPE": 0}, folder / "run")
            self.assertGreater(bench.run(50).events, 5)

    def test_counts_edges_and_the_cycles_with_changes(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "run.vcd"
            path.write_text("$var wire 1 ! n7 $end\n$var wire 1 \" other $end\n$var wire 1 # n12 $end\n$enddefinitions $end\n"
                            "#100\n$dumpvars\n0!\nx#\n1\"\n$end\n#150\n1!\n0\"\n#160\n0!\n0#\n#210\n1!\n1#\n")
            rises, falls, changed = replay.edges(path, 100)
            self.assertEqual((rises, falls), ({7: 2, 12: 1}, {7: 1, 12: 1}))
            self.assertEqual(changed, {7: {1, 2}, 12: {1, 2}})


class AllReduce(unittest.TestCase):
    """scripts/all_reduce_energy without its run; waveforms_test.py tests how the run is read and replayed."""

    def setUp(self):
        loader = importlib.machinery.SourceFileLoader("all_reduce_energy", str(ROOT / "scripts" / "all_reduce_energy"))
        self.script = importlib.util.module_from_spec(importlib.util.spec_from_loader("all_reduce_energy", loader))
        loader.exec_module(self.script)

    def test_counts_events_of_recorded_ports(self):
        known = self.script.instances()
        flits = recorded.Recorded({"flit_valid_o": ["101", "000", "1x1"]})
        self.assertEqual([known["router"][2](flits, row) for row in range(3)], [2, 0, 2])
        table = recorded.Recorded({"pop_i": list("1110"), "valid_o": list("1011"), "pass_o": list("0010")})
        self.assertEqual([known["schedule_table"][2](table, row) for row in range(4)], [1, 0, 0, 0])
        seen = {"one": recorded.Recorded({"flit_valid_o": ["0"] * 20 + ["1", "0", "1"] + ["0"] * 20})}
        self.assertEqual(self.script.window(seen, {"router": (["one"], "flit", known["router"][2])}, ["router"]), (10, 32))

    def test_rejects_a_run_with_other_events_than_the_model(self):
        result = {"flit_hops": 7, "hardware": {"energy": {"additions_uj": 0.00053}}}
        row = {"block": "router", "event": "flit", "events": 7}
        said = {"reduction_lane": 265}
        self.script.compare(row, result, said)
        self.script.compare({**row, "block": "reduction_lane", "events": 2}, result, said)
        with self.assertRaisesRegex(HardwareError, "router: 'flit' occurs 6 times in the run, but 7 times in the model"):
            self.script.compare({**row, "events": 6}, result, said)
        with self.assertRaisesRegex(HardwareError, "but 2 times in the model"):
            self.script.compare({**row, "block": "reduction_lane", "events": 3}, result, said)

    def test_lists_the_recorded_blocks(self):
        run = subprocess.run([ROOT / "scripts" / "all_reduce_energy", "fifos"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("no block 'fifos' is recorded: write one of router,", run.stderr)


class Energy(unittest.TestCase):
    def test_reports_missing_blocks_and_tools(self):
        for arguments, environment, words in ((["fifos"], {}, ["fifos", "vc_buffer"]),
                                              (["vc_buffer"], {"PATH": "/nowhere"}, ["yosys", "make setup"])):
            with self.subTest(arguments=arguments), tempfile.TemporaryDirectory() as folder:
                run = subprocess.run([SCRIPT, "--out", folder, "--netlists", folder, *arguments], capture_output=True, text=True,
                                     check=False, env={**os.environ, **environment})
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertTrue(run.stderr.startswith("energy: "))
                for word in words:
                    self.assertIn(word, run.stderr)


if __name__ == "__main__":
    unittest.main()

"""The gates of a netlist (hardware/netlist.py): their loads and slews, Verilog with a delay for every gate, and the
energy when they switch.

Memories are behavioural in this Verilog, and their energy is left out. The clock is ideal: it has no tree, clock gates
have no delay, and all clock edges have CLOCK_SLEW, even behind clock gates. The energy inside a cell depends on the
load at its output; a load above the largest that the cell can drive counts as that one.
"""

import collections
import dataclasses
import json
import re

from hardware import netlist, synthesis
from hardware.errors import HardwareError
from hardware.power_tables import expression

CLOCK_SLEW = 0.06   # ns
INPUT_SLEW = 0.1    # ns, at inputs
OUTPUT_PF = 0.05    # load of an output
ROUNDS = 6          # of slews(): in each round, slews propagate through one more gate
MEMORY = re.compile(r"memory_(\d+)x(\d+)(_clocked)?$")


@dataclasses.dataclass
class Energy:
    """The energy of a run in pJ, divided by cause."""
    clock: float = 0.0      # clock pins with their loads, and clock gates
    registers: float = 0.0  # inside flip-flops when their data changes
    gates: float = 0.0      # inside gates
    wires: float = 0.0      # charging of pins and wires
    leakage: float = 0.0

    @property
    def total(self):
        return self.clock + self.registers + self.gates + self.wires + self.leakage


class Gates:
    def __init__(self, folder, library, tables, wire_um):
        """The gates of the netlist in `folder`; `library` is a liberty.Library, `tables` a power_tables.Tables."""
        macros = f"read_liberty -lib {folder}/macros.lib; " if "cell(" in (folder / "macros.lib").read_text() else ""
        synthesis.Synthesis.yosys(f"read_liberty -lib {library.path}; {macros}read_verilog {folder}/netlist.v; "
                                  f"hierarchy -top top; write_json {folder}/gates.json")
        module = json.loads((folder / "gates.json").read_text())["modules"]["top"]
        self.tables = tables
        self.ports = {name: (of["direction"], of["bits"][0]) for name, of in module["ports"].items()}
        self.clock = self.ports.get("clk_i", (None, None))[1]
        self.cells, self.memories = [], []  # (name, Cell, {pin: bit}), (name, kind, {pin: bits})
        for name, cell in module["cells"].items():
            if MEMORY.match(cell["type"]):
                self.memories.append((name, cell["type"], cell["connections"]))
            elif cell["type"] in tables.cells:
                self.cells.append((name, tables.cells[cell["type"]], {pin: of[0] for pin, of in cell["connections"].items()}))
            else:
                raise HardwareError(f"{folder}: a {cell['type']}, which the cell library does not have")
        # The edges of clock nets are ideal; enable nets are inside clock gates.
        self.clocks, self.enables = {self.clock}, set()
        for name, _, pins in self.cells:
            if name.startswith("gate."):
                (self.enables if name.endswith(".latch") else self.clocks).update(pins[pin] for pin in ("Y", "Q") if pin in pins)
        self.load = collections.Counter()  # {bit: pF}
        for _, kind, pins in self.cells:
            for pin, capacitance in kind.inputs.items():
                self.load[pins[pin]] += capacitance + netlist.WIRE_PF * wire_um
        for _, _, pins in self.memories:
            for pin, bits in pins.items():
                for bit in bits:
                    if pin != "RD_DATA":
                        self.load[bit] += 0.015 + netlist.WIRE_PF * wire_um
        for way, bit in self.ports.values():
            if way == "output":
                self.load[bit] += OUTPUT_PF
        self.slews()

    def slews(self):
        """Computes the slew of every net and the delay of every cell in ns; both are means of rise and fall."""
        self.slew = {}
        self.delay = {}
        for _ in range(ROUNDS):
            slew = {}
            for name, kind, pins in self.cells:
                for output in kind.outputs:
                    bit = pins.get(output)
                    if bit is None:
                        continue
                    if bit in self.clocks:
                        self.delay[name] = slew[bit] = 0.0
                        continue
                    arcs = [(arc, self.slew_of(pins[pin])) for pin, arc in kind.arcs[output].items()]
                    slew[bit] = mean(table.at(self.load[bit], at) for arc, at in arcs for table in arc.transition if table)
                    self.delay[name] = mean(table.at(self.load[bit], at) for arc, at in arcs for table in arc.delay if table)
            self.slew = slew

    def slew_of(self, bit):
        return CLOCK_SLEW if bit in self.clocks else self.slew.get(bit, INPUT_SLEW)

    def idle(self, cycles):
        """{net: rises}, which equal the falls, if only the clock moves and all clock gates stay closed for `cycles`."""
        return collections.Counter({pins["Y"]: cycles for name, _, pins in self.cells
                                    if name.startswith("gate.") and name.endswith(".inverter") and pins["A"] == self.clock})

    def gate_count(self):
        return sum(name.startswith("gate.") and name.endswith(".latch") for name, _, _ in self.cells)

    def verilog(self):
        """The netlist in Verilog, with a delay of every gate in ps, and the models of the cells and memories."""
        text = ["`timescale 1ps/1ps\n`default_nettype none\n"]
        kinds = {kind.name: kind for _, kind, _ in self.cells}
        text += [cell_model(kind) for kind in kinds.values()] + [memory_model(kind) for kind in {m[1] for m in self.memories}]
        net = lambda bit: f"1'b{bit}" if isinstance(bit, str) else f"n{bit}"  # noqa: E731
        ports = [f"{way} wire {escaped(name)}" for name, (way, _) in self.ports.items()]
        text.append(f"module gates({', '.join(ports)});")
        bits = sorted({bit for _, _, pins in self.cells for bit in pins.values() if not isinstance(bit, str)} |
                      {bit for _, _, pins in self.memories for of in pins.values() for bit in of if not isinstance(bit, str)} |
                      {bit for _, bit in self.ports.values() if not isinstance(bit, str)})
        text += [f"  wire n{bit};" for bit in bits]
        for name, (way, bit) in self.ports.items():
            text.append(f"  assign n{bit} = {escaped(name)};" if way == "input" else f"  assign {escaped(name)} = {net(bit)};")
        for i, (name, kind, pins) in enumerate(self.cells):
            ends = ", ".join(f".{pin}({net(bit)})" for pin, bit in pins.items())
            text.append(f"  {kind.name} #({max(1, round(1000 * self.delay[name]))}) g{i} ({ends});")
        for i, (name, kind, pins) in enumerate(self.memories):
            ends = ", ".join(f".{pin}({{{', '.join(net(bit) for bit in reversed(of))}}})" for pin, of in pins.items())
            text.append(f"  {kind} m{i} ({ends});")
        return "\n".join([*text, "endmodule", "`default_nettype wire", ""])

    def energy(self, rises, falls, cycles, period):
        """The energy of a run of `cycles` with `period` ns, in which net `n` rises rises[n] times and falls falls[n]
        times."""
        total = Energy()
        square = self.tables.volts ** 2 / 2
        for bit, load in self.load.items():
            if bit == self.clock or isinstance(bit, str):
                continue
            if bit in self.clocks or bit in self.enables:
                total.clock += square * load * (rises[bit] + falls[bit])
            else:
                total.wires += square * load * (rises[bit] + falls[bit])
        total.clock += 2 * cycles * square * self.load[self.clock]
        for name, kind, pins in self.cells:
            total.leakage += kind.leakage_nw * cycles * period * 1e-6
            for pin, (rise, fall) in kind.passive.items():
                bit = pins[pin]
                if bit == self.clock:
                    total.clock += cycles * (rise.at(CLOCK_SLEW) + fall.at(CLOCK_SLEW))
                elif bit in self.clocks:
                    total.clock += rises[bit] * rise.at(CLOCK_SLEW) + falls[bit] * fall.at(CLOCK_SLEW)
                else:
                    slew = self.slew.get(bit, INPUT_SLEW)
                    total.registers += rises[bit] * rise.at(slew) + falls[bit] * fall.at(slew)
            inside = self.inside(kind, pins, rises, falls)
            if name.startswith("gate."):
                total.clock += inside
            elif kind.sequential:
                total.registers += inside
            else:
                total.gates += inside
        return total

    def inside(self, kind, pins, rises, falls):
        """The energy inside a cell (pJ) for the edges of its outputs. An edge is attributed to the inputs in proportion
        to their edges."""
        found = 0.0
        for output, causes in kind.energy.items():
            bit = pins.get(output)
            if bit is None or not rises[bit] + falls[bit]:
                continue
            share = {pin: rises[pins[pin]] + falls[pins[pin]] for pin in causes}
            whole = sum(share.values())
            for pin, (rise, fall) in causes.items():
                part = share[pin] / whole if whole else 1 / len(causes)
                slew, load = self.slew_of(pins[pin]), min(self.load[bit], kind.most_pf[output])
                found += part * (rises[bit] * rise.at(load, slew) + falls[bit] * fall.at(load, slew))
        return found

    def words(self):
        """{register of the Verilog: [nets of its bits]}."""
        found = {}
        for name, kind, pins in self.cells:
            if kind.sequential:
                word = re.sub(r"(\[\d+\])+$", "", name.replace("\\", "").strip().removesuffix(".reg"))
                found.setdefault(word, []).append(pins[kind.outputs[0]])
        return found

    def clock_pin_pj(self):
        """The energy of a flip-flop in one cycle: inside it, and to charge its clock pin and its share of the clock
        wire."""
        for _, kind, pins in self.cells:
            if kind.sequential:
                rise, fall = kind.passive[kind.clock]
                flops = sum(of.sequential for _, of, _ in self.cells)
                return rise.at(CLOCK_SLEW) + fall.at(CLOCK_SLEW) + self.tables.volts ** 2 * self.load[self.clock] / flops
        return 0.0


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def escaped(name):
    return f"\\{name} " if re.search(r"\W", name) else name


def cell_model(kind):
    ports = ", ".join([f"input wire {pin}" for pin in kind.inputs] + [f"output wire {pin}" for pin in kind.outputs])
    output = kind.outputs[0]
    if kind.latch:
        open_, data = kind.latch
        body = f"  reg q = 1'b0;\n  always @* if ({open_}) q = {data};\n  assign #DELAY {output} = q;"
    elif kind.sequential:
        edge = re.fullmatch(r"\w+", kind.clock)
        if not edge or not re.fullmatch(r"\w+", kind.data):
            raise HardwareError(f"{kind.name}: only flip-flops of the rising edge without set and reset are simulated")
        body = (f"  reg q = 1'b0;\n  always @(posedge {kind.clock}) q <= {kind.data};\n  assign #DELAY {output} = q;")
    else:
        body = "\n".join(f"  assign #DELAY {pin} = {expression(kind.functions[pin])};" for pin in kind.outputs)
    return f"module {kind.name} #(parameter DELAY = 1) ({ports});\n{body}\nendmodule\n"


def memory_model(kind):
    words, width, clocked = MEMORY.match(kind).groups()
    address = max(1, (int(words) - 1).bit_length()) - 1
    read = ("  reg [WIDTH-1:0] read = 0;\n  always @(posedge CLK) if (RD_EN) read <= words[RD_ADDR];\n"
            "  assign #900 RD_DATA = read;" if clocked else "  assign #900 RD_DATA = words[RD_ADDR];")
    return (f"module {kind} (input wire CLK, {'input wire RD_EN, ' if clocked else ''}input wire WR_EN,\n"
            f"    input wire [{address}:0] RD_ADDR, input wire [{address}:0] WR_ADDR, input wire [{int(width) - 1}:0] WR_DATA,\n"
            f"    output wire [{int(width) - 1}:0] RD_DATA);\n  localparam WIDTH = {width};\n"
            f"  reg [WIDTH-1:0] words [0:{int(words) - 1}];\n  integer i;\n"
            f"  initial for (i = 0; i < {words}; i = i + 1) words[i] = 0;\n"
            f"  always @(posedge CLK) if (WR_EN) words[WR_ADDR] <= WR_DATA;\n{read}\nendmodule\n")

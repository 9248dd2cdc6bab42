"""Synthesises a module of rtl/ with Yosys and ABC into one flat netlist of a library's cells. The netlist is mapped for
speed, and buffered and sized for the loads of its wires. Also writes a matching Liberty file, in which each memory
macro is a cell.

Registers keep the names of their nets, so that paths can be read.
"""

import bisect
import json
import math
import pathlib
import re

from hardware import synthesis
from hardware.errors import HardwareError

FO4 = 0.099  # ns: the delay of an INVX1 of OSU 0.18 um that drives four of them, in a chain; mean of rise and fall
# Assumptions about memory macros, in ns: the access time added by each doubling beyond 1,024 bits, and the setup time.
MEMORY_DOUBLING = 0.09
MEMORY_SETUP = 0.18
# Metal 2 of osu018_stdcells.lef with its width of 0.3 um: 0.019 fF per um2, 0.06 fF per um of each edge, 0.08 ohm per
# square.
WIRE_PF = 1.257e-4  # per um
WIRE_KOHM = 2.67e-4
LIBRARY = re.compile(r"library\s*\([^)]*\)\s*\{")
# These modules are mapped on their own, once for all instances, and then flattened: ABC's result then does not depend
# on what surrounds them. Their inputs and outputs should be registers.
APART = ("reduction_lane",)
ELABORATE = ("hierarchy -check -top {top} {parameters}; {kept}synth -flatten -nordff -noshare -run begin:fine; opt_clean")
# rtl/tile/clock_gate.v is not mapped as logic. It is kept until everything else is mapped, and then replaced with these
# cells: {name: (cell, {pin: port of the gate, or a net inside it})}.
GATE = "clock_gate"
GATE_CELLS = {"inverter": ("INVX1", {"A": "clk_i", "Y": "low"}), "latch": ("LATCH", {"CLK": "low", "D": "enable_i", "Q": "open"}),
              "and": ("AND2X2", {"A": "clk_i", "B": "open", "Y": "clk_o"})}
# ABC's result depends on how a block is restructured before it is mapped to cells, and no structure is the fastest for
# every block. All of these minimise the delay: lookup tables by delay, several times; structural choices; cells.
BY_DELAY = "strash;if,-g,-K,6;"
STRUCTURES = {
    "as_written": 3 * BY_DELAY + "strash;dch,-f;map,-B,0.5,-D,1;topo",
    "reduced": "strash;ifraig;scorr;dc2;" + 2 * BY_DELAY + "strash;dch,-f;map,-B,0.5,-D,1;topo",
    "small": 6 * BY_DELAY + "strash;&get,-n;&dch,-f;&nf,-D,1;&put;topo",
}
# Buffers large loads and sizes gates; then makes gates with slack smaller, and gates that this made slower larger.
SIZE = "buffer,-c,-p;upsize;dnsize,-D,{target};upsize;dnsize,-D,{target}"
MAP = ("read_liberty -lib {cells}; memory_map t:$mem_v2; opt; techmap; opt -fast; dfflibmap -liberty {cells}; opt; "
       "abc -liberty {liberty} -script +{abc}; opt_clean; setattr -mod -unset keep_hierarchy *; flatten; opt_clean; splitnets -ports; opt_clean; "
       "write_json {folder}/mapped.json")
FAN_OUT = 5  # the most sinks of a net
FEW = 3      # the most sinks of a net if the others are not critical
PINS = {"RD_ADDR": "input", "RD_DATA": "output", "WR_ADDR": "input", "WR_DATA": "input", "WR_EN": "input"}


def access(bits, base):
    """The time in ns from address or clock to data of a memory macro: `base` at 1,024 bits, and about one FO4 more for
    every doubling, as found by Amrutur and Horowitz (Speed and power scaling of SRAM's, IEEE JSSC 35(2), 2000)."""
    return base + MEMORY_DOUBLING * max(0.0, math.log2(bits / 1024))


def wire_loads(text, um):
    """The Liberty `text` with a wire load of `um` for each sink."""
    found = LIBRARY.search(text)
    if not found:
        raise HardwareError("the cell library is not a Liberty file: no library (...) {")
    model = (f'\n  wire_load("stated") {{ resistance : {WIRE_KOHM}; capacitance : {WIRE_PF}; area : 0; slope : {um};\n' +
             "".join(f"    fanout_length({n}, {um * n});\n" for n in (1, 2, 4, 8, 16, 32)) +
             '  }\n  default_wire_load : "stated";\n')
    return text[:found.end()] + model + text[found.end():]


def bus(name, width):
    return f'bus({name}) {{ bus_type : bits{width};'


def macro_cell(name, macro, base):
    """The Liberty cell of a memory of `words` x `width` bits with one read and one write port."""
    words, width, address, clocked = macro
    delay = f'values("{access(words * width, base):.3f}");'
    slow = 'values("0.1");'
    check = f'values("{MEMORY_SETUP:.3f}");'
    table = " ".join(f"cell_{edge}(scalar) {{ {delay} }} {edge}_transition(scalar) {{ {slow} }}" for edge in ("rise", "fall"))
    setup = (f'timing() {{ related_pin : "CLK"; timing_type : setup_rising; rise_constraint(scalar) {{ {check} }} '
             f'fall_constraint(scalar) {{ {check} }} }}')
    read = 'related_pin : "CLK"; timing_type : rising_edge;' if clocked else (
        f'related_pin : "{" ".join(f"RD_ADDR[{bit}]" for bit in range(address))}"; timing_sense : non_unate;')
    body = [f"cell({name}) {{ area : 0; interface_timing : true;",
            "  pin(CLK) { direction : input; clock : true; capacitance : 0.02; }"]
    for pin, bits in (("RD_ADDR", address), ("WR_ADDR", address), ("WR_DATA", width), ("WR_EN", 1)):
        checked = setup if clocked or pin != "RD_ADDR" else ""
        body.append(f"  {bus(pin, bits)} direction : input; capacitance : 0.015; {checked} }}")
    if clocked:
        body.append(f"  pin(RD_EN) {{ direction : input; capacitance : 0.015; {setup} }}")
    body.append(f"  {bus('RD_DATA', width)} direction : output; timing() {{ {read} {table} }} }} }}")
    return "\n".join(body)


def macro_library(macros, base):
    """The Liberty text of macros: {name: (words, width, address bits, clocked)}."""
    widths = sorted({bits for _, width, address, _ in macros.values() for bits in (width, address, 1)})
    types = "".join(f"  type(bits{n}) {{ base_type : array; data_type : bit; bit_width : {n}; bit_from : {n - 1}; bit_to : 0; "
                    "downto : true; }\n" for n in widths)
    cells = "\n".join(macro_cell(name, macro, base) for name, macro in macros.items())
    return ('library(macros) {\n  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1uA";\n'
            '  pulling_resistance_unit : "1kohm"; capacitive_load_unit(1, pf);\n'
            + "".join(f"  {at}_threshold_pct_{edge} : 50;\n" for at in ("input", "output") for edge in ("rise", "fall")) +
            "".join(f"  slew_{at}_threshold_pct_{edge} : {percent};\n" for at, percent in (("lower", 20), ("upper", 80))
                    for edge in ("rise", "fall")) +
            f"  default_fanout_load : 1; default_inout_pin_cap : 0; default_input_pin_cap : 0; default_output_pin_cap : 0;\n"
            f"{types}{cells}\n}}\n")


def is_macro(cell, macro_bits):
    """Whether a memory is large enough for a macro, and has one read port and one write port."""
    if cell["type"] != "$mem_v2":
        return False
    of = {name: synthesis.number(cell["parameters"][name]) for name in ("SIZE", "WIDTH", "RD_PORTS", "WR_PORTS")}
    return of["SIZE"] * of["WIDTH"] >= macro_bits and of["RD_PORTS"] == 1 and of["WR_PORTS"] == 1


def take_macros(module, macro_bits):
    """Replaces the memories that are macros with cells; returns {name: (words, width, address bits, clocked)}."""
    macros = {}
    for cell in module["cells"].values():
        if not is_macro(cell, macro_bits):
            continue
        words, width, address, clocked = (synthesis.number(cell["parameters"][name])
                                          for name in ("SIZE", "WIDTH", "ABITS", "RD_CLK_ENABLE"))
        wires = cell["connections"]
        if len(set(wires["WR_EN"])) != 1:
            raise HardwareError("a memory macro has several write enables, but a macro must have one")
        name = f"memory_{words}x{width}" + ("_clocked" if clocked else "")
        macros[name] = words, width, address, bool(clocked)
        kept = {pin: wires[pin] for pin in PINS} | {"WR_EN": wires["WR_EN"][:1], "CLK": wires["WR_CLK"]}
        if clocked:
            kept["RD_EN"] = wires["RD_EN"]
        cell.update(type=name, parameters={}, connections=kept,
                    port_directions={pin: PINS.get(pin, "input") for pin in kept})
    return macros


def black_box(macro):
    _, width, address, clocked = macro
    bits = {"RD_ADDR": address, "WR_ADDR": address, "RD_DATA": width, "WR_DATA": width, "WR_EN": 1, "CLK": 1}
    if clocked:
        bits["RD_EN"] = 1
    ports, at = {}, 2
    for pin, width_of in bits.items():
        ports[pin] = {"direction": PINS.get(pin, "input"), "bits": list(range(at, at + width_of))}
        at += width_of
    return {"attributes": {"blackbox": "1"}, "ports": ports, "cells": {}, "netnames": {}}


def gate_box():
    return {"attributes": {"blackbox": "1"}, "cells": {}, "netnames": {},
            "ports": {port: {"direction": "output" if port == "clk_o" else "input", "bits": [at]}
                      for at, port in enumerate(("clk_i", "enable_i", "clk_o"), 2)}}


def clocks(module):
    """The clock nets: clk_i and gated clocks."""
    return {module["ports"].get("clk_i", {"bits": [None]})["bits"][0],
            *(cell["connections"]["clk_o"][0] for cell in module["cells"].values() if cell["type"] == GATE)}


def gates_to_cells(module, library):
    """Replaces clock gates with GATE_CELLS."""
    free = 1 + max(bit for of in module["cells"].values() for bits in of["connections"].values() for bit in bits if not isinstance(bit, str))
    for name, cell in [(name, cell) for name, cell in module["cells"].items() if cell["type"] == GATE]:
        del module["cells"][name]
        nets = {port: bits[0] for port, bits in cell["connections"].items()}
        for part, (kind, pins) in GATE_CELLS.items():
            if kind not in library.cells:
                raise HardwareError(f"{library.path} has no {kind}, which a clock gate needs")
            for net in pins.values():
                if net not in nets:
                    nets[net], free = free, free + 1
            module["cells"][f"gate.{name}.{part}"] = {
                "hide_name": 0, "type": kind, "parameters": {}, "attributes": {},
                "port_directions": {pin: "output" if pin in ("Y", "Q") else "input" for pin in pins},
                "connections": {pin: [nets[net]] for pin, net in pins.items()}}


class Wires:
    """The driver and the readers of every bit of a mapped module."""

    def __init__(self, module, outputs):
        self.driver, self.sinks = {}, {}
        for name, cell in module["cells"].items():
            for pin, bits in cell["connections"].items():
                for at, bit in enumerate(bits):
                    if pin in outputs:
                        self.driver[bit] = cell
                    elif not isinstance(bit, str):
                        self.sinks.setdefault(bit, []).append((name, pin, at))


def take_buffers(module, buffers, outputs):
    """Removes all buffers from a mapped module, except those at its outputs."""
    ports = {bit for port in module["ports"].values() if port["direction"] == "output" for bit in port["bits"]}
    source = {}
    for name, cell in list(module["cells"].items()):
        if cell["type"] in buffers and cell["connections"]["Y"][0] not in ports:
            source[cell["connections"]["Y"][0]] = cell["connections"]["A"][0]
            del module["cells"][name]
    for cell in module["cells"].values():
        for pin, bits in cell["connections"].items():
            if pin not in outputs:
                for at, bit in enumerate(bits):
                    while bit in source:
                        bit = source[bit]
                    bits[at] = bit


def buffer_nets(module, not_these, buffer, registers, buffers):
    """Replaces the buffers from ABC with a tree of buffers for each net. ABC ignores registers, memories and inputs,
    and does not know which sinks are late. Nets are processed backwards from the registers, and the sinks with the
    longest path to the next register are closest to the source. `not_these` are the nets of clocks; `buffers` are all
    buffer cells, and `buffer` is the one to insert.
    """
    outputs = {"Y", "YC", "YS", "Q", "RD_DATA", "clk_o"}
    take_buffers(module, buffers, outputs)
    wires = Wires(module, outputs)
    free = 1 + max(bit for of in [*module["netnames"].values(), *module["ports"].values()] for bit in of["bits"]
                   if not isinstance(bit, str))
    free = max(free, 1 + max(wires.sinks, default=0), 1 + max((b for b in wires.driver if not isinstance(b, str)), default=0))
    cells = module["cells"]
    behind = {}  # {net: number of gates and buffers to the farthest register, memory or output}

    def through(cell):
        if cells[cell]["type"] in registers:
            return []
        return [bit for pin, bits in cells[cell]["connections"].items() if pin in outputs for bit in bits if not isinstance(bit, str)]

    for bit in backwards(wires, through):
        if bit in not_these:
            behind[bit] = 0
            continue
        left = sorted((max((1 + behind.get(net, 0) for net in through(sink[0])), default=0), at, sink)
                      for at, sink in enumerate(wires.sinks[bit]))
        many = len(left)
        while len(left) > FEW:
            # Sinks that are not on the longest path may be buffered, and others must be if there are too many. The last
            # buffer drives only as many sinks as it has to.
            spare = bisect.bisect_left(left, (left[-1][0],))
            taken = min(FAN_OUT, max(len(left) - FAN_OUT + 1, min(len(left) - FEW + 1, spare)))
            if taken < 2:
                break
            name = f"buffer_{free}"
            cells[name] = {"hide_name": 0, "type": buffer, "parameters": {}, "attributes": {},
                           "port_directions": {"A": "input", "Y": "output"}, "connections": {"A": [bit], "Y": [free]}}
            for _, _, (cell, pin, at) in left[:taken]:
                cells[cell]["connections"][pin][at] = free
            bisect.insort(left, (1 + left[taken - 1][0], many + free, (name, "A", 0)))
            del left[:taken]
            free += 1
        behind[bit] = left[-1][0]


def backwards(wires, through):
    """Yields all nets with sinks, each of them after the nets that its sinks drive. `through` returns the nets that a
    cell drives, from the cell's name.
    """
    done, left = set(), []
    for begin in wires.sinks:
        left.append(begin)
        while left:
            bit = left[-1]
            missing = [net for cell, _, _ in wires.sinks[bit] for net in through(cell) if net not in done and net in wires.sinks]
            if bit not in done and missing:
                left += missing
                continue
            left.pop()
            if bit not in done:
                done.add(bit)
                yield bit


def name_registers(module, registers):
    """Names every register and memory after the net that it drives, as in the Verilog."""
    names = {}
    for name, of in module["netnames"].items():
        if name[0] == "$" or of.get("hide_name"):
            continue
        for at, bit in enumerate(of["bits"]):
            bit_name = f"{name}[{at}]" if len(of["bits"]) > 1 else name
            if not isinstance(bit, str) and name_rank(bit_name) > name_rank(names.get(bit, "")):
                names[bit] = bit_name
    cells = {}
    for old, cell in module["cells"].items():
        name = names.get((cell["connections"].get("Q") or [None])[0]) if cell["type"] in registers else None
        if cell["type"].startswith("memory_"):
            name = old
        cells[f"{name}.reg" if name else f"c{len(cells)}"] = cell
    module["cells"] = cells


def name_rank(name):
    """Ranks names for a register: first those that end in _q, like the registers of this Verilog, and among them the
    shortest."""
    return (bool(re.search(r"_q(\[\d+\])*$", name)), bool(name), -len(name))


def coarse(top, parameters, folder, macro_bits):
    """(name, module, {name: module mapped on its own}) in Yosys' own cells, flattened except for APART. A memory
    macro is read with the clock if the Verilog does so.
    """
    chosen = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    files = " ".join(str(path) for path in sources_of(top))
    whole = [*(module for module in APART if module != top), *([GATE] if parameters.get("GATES", 0) else [])]
    kept = "".join(f"setattr -mod -set keep_hierarchy 1 *{module}*; " for module in whole)
    synthesis.Synthesis.yosys(f"{synthesis.READ} {files}; {ELABORATE.format(top=top, parameters=chosen, kept=kept)}; "
                              f"write_json {folder}/coarse.json")
    modules = json.loads((folder / "coarse.json").read_text())["modules"]
    name, module = next((name, module) for name, module in modules.items() if int(module["attributes"].get("top", "0"), 2))
    module["cells"] = {f"memory{i}.{cell_name.rsplit('.', 1)[0]}" if is_macro(cell, macro_bits) else cell_name: cell
                       for i, (cell_name, cell) in enumerate(module["cells"].items())}
    apart = {of: value for of, value in modules.items() if of != name and GATE not in of}
    for of, value in {name: module, **apart}.items():
        if of != name and any(is_macro(cell, macro_bits) for cell in value["cells"].values()):
            raise HardwareError(f"{of} is mapped separately and contains a memory macro, which must be in {top}")
        for cell in value["cells"].values():
            if GATE in cell["type"]:
                cell.update(type=GATE, parameters={}, attributes={})
        keep_names(value)
    macros = [cell_name for cell_name, cell in module["cells"].items() if is_macro(cell, macro_bits)]
    boxes = {GATE: gate_box()} | apart
    while macros:
        (folder / "before.json").write_text(json.dumps({"modules": {name: module} | boxes}))
        chosen = " ".join(f"{name}/{macro}" for macro in macros)
        synthesis.Synthesis.yosys(f"read_json {folder}/before.json; select {chosen}; memory_dff; select -clear; "
                                  f"opt_clean; write_json {folder}/clocked.json")
        clocked = json.loads((folder / "clocked.json").read_text())["modules"][name]
        # A macro cannot return a word that is written in the same cycle. Memories that must do so are read without a
        # clock.
        without = [macro for macro in macros if synthesis.number(clocked["cells"][macro]["parameters"]["RD_TRANSPARENCY_MASK"])]
        if not without:
            keep_names(clocked)
            return name, clocked, apart
        macros = [macro for macro in macros if macro not in without]
    return name, module, apart


def keep_names(module):
    """Renames what Yosys has named: it numbers new objects from 1 again, and their names must not be in use."""
    for part in ("cells", "netnames"):
        module[part] = {f"$kept{of}" if of[0] == "$" else of: value for of, value in module[part].items()}


def sources_of(top):
    """The source files of a module and of all its submodules, sorted, and the layout file that they may include."""
    files = {path.stem: path for path in synthesis.RTL.glob("*/*.v")}
    if top not in files:
        raise HardwareError(f"no block '{top}' in rtl/: write one of {', '.join(sorted(files))}")
    found, left = {top}, [top]
    while left:
        inside = set(re.findall(r"^\s*(\w+)\s*(?:#\(|i_\w+\s*\()", files[left.pop()].read_text(), re.MULTILINE)) & set(files)
        left += inside - found
        found |= inside
    return sorted([*(files[name] for name in found), synthesis.LAYOUT])


def source():
    """The text of this file, which is part of the key of cached results."""
    return pathlib.Path(__file__).read_text()


def write(top, parameters, folder, library, settings, structure="reduced"):
    """Writes netlist.v, cells.lib and macros.lib of `top` to `folder`, and returns the module's name in the netlist.
    `library` is a liberty.Library; `settings` has wire_um, macro_bits, memory_ns and target_ps; `structure` is one of
    STRUCTURES."""
    name, module, apart = coarse(top, parameters, folder, settings.macro_bits)
    macros = take_macros(module, settings.macro_bits)
    boxes = {macro: black_box(of) for macro, of in macros.items()}
    if parameters.get("GATES", 0):
        boxes[GATE] = gate_box()
    (folder / "with_macros.json").write_text(json.dumps({"modules": {"top": module} | boxes | apart}))
    (folder / "cells.lib").write_text(wire_loads(library.text, settings.wire_um), encoding="latin-1")
    (folder / "macros.lib").write_text(macro_library(macros, settings.memory_ns))
    abc = f"{STRUCTURES[structure]};{SIZE.format(target=settings.target_ps)}"
    synthesis.Synthesis.yosys(f"read_json {folder}/with_macros.json; " + MAP.format(
        cells=library.path, liberty=f"{folder}/cells.lib", abc=abc, folder=folder))
    mapped = json.loads((folder / "mapped.json").read_text())["modules"]
    module = mapped["top"]
    registers = {of for of, cell in library.cells.items() if cell.sequential} | set(macros)
    buffer_nets(module, clocks(module), library.buffer, registers, library.buffers)
    name_registers(module, registers)
    gates_to_cells(module, library)
    boxes.pop(GATE, None)
    (folder / "named.json").write_text(json.dumps({"modules": {"top": module} | boxes}))
    synthesis.Synthesis.yosys(f"read_liberty -lib {library.path}; read_json {folder}/named.json; "
                              f"opt_clean -purge; write_verilog -noattr -noexpr {folder}/netlist.v")
    return "top"

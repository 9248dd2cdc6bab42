"""The files of the layout tools: writes BLIF and Verilog; reads DEF, LEF, SPICE and the resistances from qrouter."""

import dataclasses
import re

from hardware.errors import HardwareError

OUTPUTS = {"Y", "YC", "YS", "Q"}  # output pins of cells in the library


def blif(netlist):
    lines = [f".model {netlist.top}", ".inputs " + " ".join(netlist.inputs), ".outputs " + " ".join(netlist.outputs)]
    lines += [f".gate {kind} " + " ".join(f"{pin}={net}" for pin, net in pins.items()) for kind, pins in netlist.cells.values()]
    return "\n".join([*lines, ".end\n"])


def top_ports(netlist):
    """(inputs, outputs) of the netlist, without the pins of memories."""
    memory = {net for _, pins in netlist.macros.values() for nets in pins.values() for net in nets}
    own = [port for port in [*netlist.inputs, *netlist.outputs] if port not in memory or not is_macro_port(netlist, port)]
    return [port for port in netlist.inputs if port in own], [port for port in netlist.outputs if port in own]


def is_macro_port(netlist, port):
    return any(port.startswith(f"{name}_") for name in netlist.macros)


def verilog(netlist):
    """The netlist in Verilog, including its memories."""
    inputs, outputs = top_ports(netlist)
    lines = [f"module top({', '.join([*inputs, *outputs])});"]
    lines += [f"  input {port};" for port in inputs] + [f"  output {port};" for port in outputs]
    lines += [f"  {kind} {name} ({', '.join(f'.{pin}({net})' for pin, net in pins.items())});"
              for name, (kind, pins) in netlist.cells.items()]
    for name, (kind, pins) in netlist.macros.items():
        joined = {pin: f"{{{', '.join(reversed(nets))}}}" if len(nets) > 1 else nets[0] for pin, nets in pins.items()}
        lines.append(f"  {kind} {name} ({', '.join(f'.{pin}({net})' for pin, net in joined.items())});")
    return "\n".join([*lines, "endmodule\n"])


@dataclasses.dataclass
class Layer:
    width: float  # um
    kohm: float   # per um of wire
    pf: float     # per um of wire, including both edges


@dataclasses.dataclass
class Cells:
    """The layers of a LEF file, and the sizes of its cells in um."""
    layers: dict
    sizes: dict


def read_lef(path):
    text = path.read_text()
    layers = {}
    for name, body in re.findall(r"^LAYER (metal\d+)\n(.*?)^END \1", text, re.MULTILINE | re.DOTALL):
        of = {key: float(value) for key, value in
              re.findall(r"\b(WIDTH|RPERSQ|CPERSQDIST|EDGECAPACITANCE)\s+([\d.e+-]+)", body)}
        layers[name] = Layer(of["WIDTH"], of["RPERSQ"] / of["WIDTH"] / 1000,
                             of["CPERSQDIST"] * of["WIDTH"] + 2 * of["EDGECAPACITANCE"])
    sizes = {name: (float(x), float(y)) for name, x, y in
             re.findall(r"^MACRO (\w+)$.*?SIZE\s+([\d.]+)\s+BY\s+([\d.]+)", text, re.MULTILINE | re.DOTALL)}
    return Cells(layers, sizes)


@dataclasses.dataclass
class Layout:
    """A layout read from a DEF file, in um."""
    die: tuple        # (left, bottom, right, top)
    cells: dict       # {name: kind}
    places: dict      # {name: (x, y, orientation)}
    nets: dict        # {net: {(cell, pin)}}
    wires: dict       # {net: [(layer, x, y, x, y)]}
    power: list       # [(layer, width, x, y, x, y)]
    vias: int


POINT = re.compile(r"\(\s*(\S+)\s+(\S+)\s*\)")
SEGMENT = re.compile(r"(metal\d+)\s+(?:(\d+)\s+)?((?:\(\s*\S+\s+\S+\s*\)\s*)+)(\w+)?")


def segments(text, scale):
    """The wires in the text of a DEF, as ([(layer, width or None, x, y, x, y)], the number of vias)."""
    found, vias = [], 0
    for layer, width, points, via in SEGMENT.findall(text):
        vias += bool(via)
        last = None
        for x, y in POINT.findall(points):
            at = (last[0] if x == "*" else float(x) / scale, last[1] if y == "*" else float(y) / scale)
            if last is not None and at != last:
                found.append((layer, float(width) / scale if width else None, *last, *at))
            last = at
    return found, vias


def section(text, name):
    found = re.search(rf"^{name} \d+ ;\n(.*?)^END {name}$", text, re.MULTILINE | re.DOTALL)
    return re.split(r"^- ", found[1], flags=re.MULTILINE)[1:] if found else []


def read_def(path):
    text = path.read_text()
    scale = float(re.search(r"UNITS DISTANCE MICRONS (\d+)", text)[1])
    corners = POINT.findall(re.search(r"^DIEAREA (.*);$", text, re.MULTILINE)[1])
    die = tuple(float(value) / scale for corner in corners for value in corner)
    cells, places, nets, wires, power, vias = {}, {}, {}, {}, [], 0
    for item in section(text, "COMPONENTS"):
        placed = re.match(r"(\S+) (\S+) \+ (?:PLACED|FIXED) \( (\S+) (\S+) \) (\w+)", item)
        if not placed:
            raise HardwareError(f"{path}: a component has no place: {item[:80]}")
        cells[placed[1]] = placed[2]
        places[placed[1]] = float(placed[3]) / scale, float(placed[4]) / scale, placed[5]
    for item in section(text, "NETS"):
        name = item.split(None, 1)[0]
        ends, _, route = item.partition("ROUTED")
        if not route:
            ends, _, route = item.partition("NEW")
        nets[name] = {(cell, pin if cell != "PIN" else pin) for cell, pin in POINT.findall(ends)}
        wires[name], count = segments(route, scale)
        vias += count
    for item in section(text, "SPECIALNETS"):
        name = item.split(None, 1)[0]
        found, count = segments(item, scale)
        if name in ("vdd", "gnd"):
            power += [segment for segment in found if segment[1]]
        else:  # stubs between a wire and its pin
            wires.setdefault(name, []).extend(found)
            vias += count
    return Layout(die, cells, places, nets, {net: [(layer, *at) for layer, _, *at in of] for net, of in wires.items()}, power,
                  vias)


def length(wire):
    _, x, y, to_x, to_y = wire
    return abs(to_x - x) + abs(to_y - y)


def wire_pf(wires, layers):
    return sum(length(wire) * layers[wire[0]].pf for wire in wires)


def spice_nets(path, top):
    """The nets in magic's flat SPICE netlist without the power rails, as {net: {(cell, pin) or ("PIN", port)}}."""
    text = re.sub(r"\n\+ ?", " ", path.read_text())
    pins = {words[1]: words[2:] for words in (line.split() for line in text.splitlines()) if words[:1] == [".subckt"]}
    nets = {}
    for port in pins[top]:
        nets.setdefault(port, set()).add(("PIN", port))
    for line in text.splitlines():
        if line[:1] != "X":
            continue
        name, *ends, kind = line.split()
        for pin, net in zip(pins[kind], ends, strict=True):
            if pin not in ("vdd", "gnd"):
                nets.setdefault(net, set()).add((name[1:], pin))
    return {net: ends for net, ends in nets.items() if net not in ("vdd", "gnd")}


def read_rc(path):
    """{net: (driver, trees)} from qrouter's file of resistances; a tree is (ohm, pf, [end], [subtree])."""
    found = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) < 4:
            continue
        name, driver, at = words[0], words[2], 4
        trees = []
        while at < len(words):
            tree, at = rc_tree(words, at)
            trees.append(tree)
            if at < len(words) and words[at] == ",":
                at += 1
        found[name] = driver, trees
    return found


def rc_tree(words, at):
    """Returns the tree that begins with the "(" at words[at], and the position after it."""
    if words[at] != "(":
        return (0.0, 0.0, [words[at]], []), at + 1
    ohm, pf, ends, below = float(words[at + 1]), float(words[at + 2]), [], []
    at += 3
    while words[at] != ")":
        if words[at] == ",":
            at += 1
        elif words[at] == "(":
            tree, at = rc_tree(words, at)
            below.append(tree)
        else:
            ends.append(words[at])
            at += 1
    return (ohm, pf, ends, below), at + 1


def spef(netlist, routed, own, resistances, layers):
    """The wires in SPEF, for OpenSTA: the trees of resistances from qrouter, with the capacitance of the wires in the
    DEF file. It includes both edges of a wire, while qrouter's includes only one. Returns the text and {net: pF}."""
    head = ('*SPEF "IEEE 1481-1998"\n*DESIGN "top"\n*DATE "none"\n*VENDOR "none"\n*PROGRAM "none"\n*VERSION "1"\n'
            '*DESIGN_FLOW "NONE"\n*DIVIDER /\n*DELIMITER :\n*BUS_DELIMITER [ ]\n'
            "*T_UNIT 1 PS\n*C_UNIT 1 PF\n*R_UNIT 1 OHM\n*L_UNIT 1 HENRY\n\n")
    text, loads, memory = [head], {}, {}
    for name, (_, pins) in netlist.macros.items():
        for pin, nets in pins.items():
            for at, net in enumerate(nets):
                memory.setdefault(net, []).append((f"{name}:{pin}[{at}]" if len(nets) > 1 else f"{name}:{pin}", "*I",
                                                   "O" if pin == "RD_DATA" else "I"))
    ways = dict.fromkeys(top_ports(netlist)[0], "I") | dict.fromkeys(top_ports(netlist)[1], "O")

    def nodes(end):
        """The names in SPEF for the end of a wire. A port of the layout is a port of the netlist, the pins of memories,
        or both."""
        cell, _, pin = end.partition("/")
        if cell != "PIN":
            return [(f"{own[cell]}:{pin}", "*I", "O" if pin in OUTPUTS else "I")]
        return ([(pin, "*P", ways[pin])] if pin in ways else []) + memory.get(pin, [])

    for net, (driver, trees) in resistances.items():
        if net not in routed.nets or net in ("vdd", "gnd"):
            continue
        whole = wire_pf(routed.wires[net], layers)
        caps, edges, ends, fresh = [], [], nodes(driver), [0]
        for other, _, _ in ends[1:]:
            edges.append((ends[0][0], other, 0.001))
        told = sum(tree_pf(tree) for tree in trees)

        def walk(tree, above):
            ohm, pf, reached, below = tree
            fresh[0] += 1
            here = f"{net}:{fresh[0]}"
            caps.append((here, whole * pf / told if told else 0.0))
            edges.append((above, here, max(ohm, 0.001)))
            for end in (node for name in reached for node in nodes(name)):
                ends.append(end)
                edges.append((here, end[0], 0.001))
            for child in below:
                walk(child, here)

        for tree in trees:
            walk(tree, ends[0][0])
        loads[net] = whole
        text.append(f"*D_NET {net} {whole:.6f}\n*CONN\n" + "".join(f"{kind} {name} {way}\n" for name, kind, way in ends) +
                    "*CAP\n" + "".join(f"{i} {name} {pf:.7f}\n" for i, (name, pf) in enumerate(caps, 1)) +
                    "*RES\n" + "".join(f"{i} {a} {b} {ohm:.4f}\n" for i, (a, b, ohm) in enumerate(edges, 1)) + "*END\n\n")
    return "".join(text), loads


def tree_pf(tree):
    return tree[1] + sum(tree_pf(child) for child in tree[3])

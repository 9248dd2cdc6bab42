"""Energies, delays and transitions of a cell library, from the tables in its Liberty file.

The energies of a table are per edge of the pin. Internal energies do not include the charge of the load, C V^2 / 2 per
edge.
"""

import bisect
import dataclasses
import re

from hardware.errors import HardwareError

TOKEN = re.compile(r'"[^"]*"|[\w.+\-*/!&|^\']+|[(){}:;,]')


@dataclasses.dataclass
class Group:
    """A Liberty group: kind (name) { attributes; groups }."""
    kind: str
    name: str
    values: dict  # {attribute: [words]}
    groups: list

    def all(self, kind):
        return [group for group in self.groups if group.kind == kind]

    def one(self, kind):
        found = self.all(kind)
        return found[0] if found else None

    def number(self, attribute, default=0.0):
        return float(self.values[attribute][0]) if attribute in self.values else default


def parse(text):
    """The first group of a Liberty file."""
    text = re.sub(r"/\*.*?\*/|\\\n", " ", text, flags=re.DOTALL)
    tokens = TOKEN.findall(text)
    group, _ = parse_group(tokens, 0)
    return group


def parse_group(tokens, at):
    kind, name, at = tokens[at], [], at + 1
    if tokens[at] != "(":
        raise HardwareError(f"the cell library is not a Liberty file: {kind} {tokens[at]}")
    while tokens[at] != ")":
        at += 1
        name.append(tokens[at])
    group = Group(kind, " ".join(name[:-1]).strip('"'), {}, [])
    at += 2  # after ) and {
    while tokens[at] != "}":
        word = tokens[at]
        if word == ";":
            at += 1
        elif tokens[at + 1] == ":":
            end = tokens.index(";", at)
            group.values[word] = [token.strip('"') for token in tokens[at + 2:end]]
            at = end + 1
        else:
            end = tokens.index(")", at)
            if end + 1 < len(tokens) and tokens[end + 1] == "{":
                inner, at = parse_group(tokens, at)
                group.groups.append(inner)
            else:
                group.values[word] = [token.strip('"') for token in tokens[at + 2:end] if token != ","]
                at = end + 1
    return group, at + 1


def numbers(words):
    return [float(number) for word in words for number in word.replace(",", " ").split()]


class Table:
    """Values over one or two axes. Between and beyond the entries, they are interpolated and extrapolated linearly."""

    def __init__(self, group):
        self.first = numbers(group.values["index_1"])
        self.second = numbers(group.values["index_2"]) if "index_2" in group.values else None
        flat = numbers(group.values["values"])
        width = len(self.second) if self.second else len(flat)
        self.rows = [flat[i:i + width] for i in range(0, len(flat), width)]
        if len(self.rows) != (len(self.first) if self.second else 1) or len(self.rows[-1]) != width:
            raise HardwareError(f"a Liberty table {group.kind} ({group.name}) whose values do not fit its axes")

    def at(self, first, second=None):
        if self.second is None:
            return along(self.first, self.rows[0], first)
        i = segment(self.first, first)
        return along(self.first[i:i + 2], [along(self.second, self.rows[i], second),
                                           along(self.second, self.rows[i + 1], second)], first)


def segment(axis, x):
    return min(max(bisect.bisect_right(axis, x) - 1, 0), len(axis) - 2)


def along(axis, values, x):
    i = segment(axis, x)
    return values[i] + (values[i + 1] - values[i]) * (x - axis[i]) / (axis[i + 1] - axis[i])


@dataclasses.dataclass
class Arc:
    """An arc from an input to an output: the tables over load and input slew for a rise and a fall of the output.
    Either may be None."""
    delay: tuple
    transition: tuple


def pair(group, names):
    """The tables for rise and fall; None for a table that does not exist."""
    return tuple(Table(group.one(name)) if group.one(name) else None for name in names)


class Cell:
    def __init__(self, group):
        self.name = group.name
        self.leakage_nw = group.number("cell_leakage_power")
        self.sequential = group.one("ff") is not None
        self.inputs, self.outputs, self.functions = {}, [], {}
        self.most_pf = {}   # {output: largest load}
        self.passive = {}   # {input: (rise, fall)}: pJ of an edge of the input, whatever the output does
        self.energy = {}    # {output: {input: (rise, fall)}}: pJ of an edge of the output
        self.arcs = {}      # {output: {input: Arc}}
        for pin in group.all("pin"):
            if pin.values["direction"] == ["input"]:
                self.inputs[pin.name] = pin.number("capacitance")
                for power in pin.all("internal_power"):
                    self.passive[pin.name] = pair(power, ("rise_power", "fall_power"))
                continue
            self.outputs.append(pin.name)
            self.most_pf[pin.name] = pin.number("max_capacitance", float("inf"))
            self.functions[pin.name] = " ".join(pin.values.get("function", []))
            self.energy[pin.name] = {power.values["related_pin"][0]: pair(power, ("rise_power", "fall_power"))
                                     for power in pin.all("internal_power")}
            self.arcs[pin.name] = {
                timing.values["related_pin"][0]: Arc(pair(timing, ("cell_rise", "cell_fall")),
                                                     pair(timing, ("rise_transition", "fall_transition")))
                for timing in pin.all("timing") if timing.one("cell_rise") or timing.one("cell_fall")}
        flop = group.one("ff")
        self.clock = flop.values["clocked_on"][0] if flop else None
        self.data = flop.values["next_state"][0] if flop else None
        latch = group.one("latch")
        self.latch = (latch.values["enable"][0], latch.values["data_in"][0]) if latch else None  # transparent while the enable pin is high


class Tables:
    """{cell: Cell} of a liberty.Library, and its voltage."""

    def __init__(self, library):
        top = parse(library.text)
        self.volts = top.number("nom_voltage")
        self.cells = {group.name: Cell(group) for group in top.all("cell")}


def expression(function):
    """A Liberty function in Verilog; operands that are adjacent or joined by * are ANDed."""
    text = re.sub(r"(\w+)'", r"!\1", function).replace("*", "&").replace("+", "|").replace("!", "~")
    return re.sub(r"(?<=[\w)])\s+(?=[\w(~])", " & ", text)

"""A cell library in Liberty format: areas, functions, pins, delays. Only what area and timing need."""

import bisect
import re

from hardware.errors import HardwareError

TOKENS = re.compile(r'"[^"]*"|[{}();:,]|[^\s{}();:,"]+')
# Of a function without blanks and outer brackets: NAND of two pins, in the spellings of the format.
NAND = re.compile(r"^(!\((\w+)[*&]?(\w+)\)|\((\w+)[*&]?(\w+)\)'|!(\w+)[+|]!(\w+)|(\w+)'[+|](\w+)')$")


class Group:
    """name(arguments) { attributes and groups }."""

    def __init__(self, name, arguments):
        self.name = name
        self.arguments = arguments
        self.attributes = {}  # name -> value, of `name : value;` and `name(values);`
        self.groups = []

    def all(self, name):
        return [group for group in self.groups if group.name == name]


def parse(text, path):
    """The outermost group, library(...)."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL).replace("\\\n", " ")
    tokens = [token.strip('"') if token[0] == '"' else token for token in TOKENS.findall(text)]
    outermost = Group("", [])
    open_groups = [outermost]
    at = 0
    try:
        while at < len(tokens):
            name = tokens[at]
            if name == "}":
                open_groups.pop()
                at += 1
            elif name == ";":
                at += 1
            elif tokens[at + 1] == ":":
                end = tokens.index(";", at)
                open_groups[-1].attributes[name] = " ".join(tokens[at + 2:end])
                at = end + 1
            else:
                end = tokens.index(")", at)
                arguments = [token for token in tokens[at + 2:end] if token != ","]
                at = end + 1
                if tokens[at] == "{":
                    open_groups[-1].groups.append(Group(name, arguments))
                    open_groups.append(open_groups[-1].groups[-1])
                    at += 1
                else:
                    open_groups[-1].attributes[name] = arguments
        return outermost.all("library")[0]
    except (IndexError, ValueError) as error:
        raise HardwareError(f"{path}: not a Liberty file that ends where it should") from error


def numbers(strings):
    return [float(word) for string in strings for word in re.split(r"[\s,]+", string.strip()) if word]


class Table:
    """A delay or a transition over load and slew, linear between its points, kept at its edges' slope beyond."""

    def __init__(self, group, templates):
        template = templates.get(group.arguments[0]) if group.arguments else None

        def attribute(name, default):
            return group.attributes.get(name, template.attributes.get(name, default) if template else default)

        rows, columns = numbers(attribute("index_1", ["0"])), numbers(attribute("index_2", ["0"]))
        values = numbers(group.attributes["values"])
        grid = [values[i * len(columns):(i + 1) * len(columns)] for i in range(len(rows))]
        if attribute("variable_1", "").startswith("input"):  # slew first
            rows, columns, grid = columns, rows, [list(column) for column in zip(*grid)]
        self.loads, self.slews, self.grid = rows, columns, grid

    @staticmethod
    def place(points, value):
        """(index, fraction) of `value` between two neighbouring points."""
        if len(points) == 1:
            return 0, 0.0
        index = min(max(bisect.bisect_right(points, value) - 1, 0), len(points) - 2)
        return index, (value - points[index]) / (points[index + 1] - points[index])

    def at(self, load, slew):
        i, x = self.place(self.loads, load)
        j, y = self.place(self.slews, min(max(slew, self.slews[0]), self.slews[-1]))
        low, high = self.grid[i], self.grid[min(i + 1, len(self.grid) - 1)]
        next_j = min(j + 1, len(low) - 1)
        near = low[j] + (low[next_j] - low[j]) * y
        return near + (high[j] + (high[next_j] - high[j]) * y - near) * x


class Cell:
    def __init__(self, group, templates):
        self.name = group.arguments[0]
        self.area = float(group.attributes.get("area", 0))
        self.sequential = bool(group.all("ff") or group.all("latch"))
        self.function = ""
        self.inputs = {}   # pin -> capacitance
        self.outputs = {}  # pin -> {related pin: [(delays, transitions)]}, of rising and falling edges
        for pin in group.all("pin"):
            if pin.attributes.get("direction") == "input":
                self.inputs[pin.arguments[0]] = float(pin.attributes.get("capacitance", 0))
                continue
            self.function = re.sub(r"\s+", "", pin.attributes.get("function", ""))
            arcs = self.outputs.setdefault(pin.arguments[0], {})
            for timing in pin.all("timing"):
                edges = [(timing.all(f"cell_{edge}"), timing.all(f"{edge}_transition")) for edge in ("rise", "fall")]
                tables = [(Table(delay[0], templates), Table(slew[0], templates)) for delay, slew in edges if delay and slew]
                for related in timing.attributes.get("related_pin", "").split():
                    arcs.setdefault(related, []).extend(tables)

    def is_nand2(self):
        function = self.function
        while function.startswith("(") and function.endswith(")"):
            function = function[1:-1]
        return len(self.inputs) == 2 and len(self.outputs) == 1 and NAND.match(function) is not None


class Library:
    """All cells of a file, and the area of its smallest two-input NAND (a gate equivalent)."""

    def __init__(self, path):
        try:
            text = path.read_text(encoding="latin-1")
        except OSError as error:
            raise HardwareError(f"{path}: {error.strerror}: install qflow-tech-osu018 (make setup), or name a cell library with "
                                "--liberty") from error
        library = parse(text, path)
        templates = {group.arguments[0]: group for group in library.all("lu_table_template")}
        self.path = path
        self.text = text
        self.cells = {cell.name: cell for cell in (Cell(group, templates) for group in library.all("cell"))}
        nands = [cell.area for cell in self.cells.values() if cell.is_nand2()]
        if not nands:
            raise HardwareError(f"{path}: no two-input NAND to count gate equivalents in")
        self.nand2 = min(nands)
        unit = re.match(r"([\d.]+)(ps|ns)", library.attributes.get("time_unit", "1ns"))
        self.picoseconds = float(unit[1]) * {"ps": 1, "ns": 1000}[unit[2]]

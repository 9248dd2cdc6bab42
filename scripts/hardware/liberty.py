"""Reads a Liberty cell library with Yosys: the areas and functions of cells, and which cells are registers."""

import functools
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from hardware.errors import HardwareError

# Yosys reads functions and registers, but not areas.
AREA = re.compile(r"\bcell\s*\(\s*\"?(\w+)\"?\s*\)\s*\{[^{}]*?\barea\s*:\s*\"?([\d.eE+-]+)")
GATES = {"$_NOT_": lambda a: not a, "$_AND_": lambda a, b: a and b, "$_OR_": lambda a, b: a or b, "$_XOR_": lambda a, b: a != b}

UNSAID = {"LATCH": 56.0}  # um2, from the LEF file; the Liberty file of OSU 0.18 um has no area for these cells


class Cell:
    def __init__(self, name, module, area):
        self.name = name
        self.area = area
        self.module = module
        kinds = [gate["type"] for gate in module["cells"].values()]
        self.sequential = any(re.match(r"\$_(DFF|SDFF|ALDFF|DLATCH|SR)", kind) for kind in kinds)
        self.inputs = [pin for pin, of in module["ports"].items() if of["direction"] == "input"]
        self.outputs = [pin for pin, of in module["ports"].items() if of["direction"] == "output"]

    def computes(self, function, inputs):
        """Whether the cell has a single output, which is function(inputs) with the inputs in any order."""
        gates = list(self.module["cells"].values())
        if len(self.inputs) != inputs or len(self.outputs) != 1 or any(gate["type"] not in GATES for gate in gates):
            return False
        return all(self.value(gates, values) == bool(function(*values))
                   for values in itertools.product((False, True), repeat=inputs))

    def value(self, gates, values):
        known = {"0": False, "1": True} | {self.module["ports"][pin]["bits"][0]: of for pin, of in zip(self.inputs, values)}
        for _ in gates:
            for gate in gates:
                wires = gate["connections"]
                arguments = [known.get(wires[pin][0]) for pin in ("A", "B") if pin in wires]
                if None not in arguments:
                    known[wires["Y"][0]] = GATES[gate["type"]](*arguments)
        return known.get(self.module["ports"][self.outputs[0]]["bits"][0])


class Library:
    """All cells of a file, the area of the smallest two-input NAND (a gate equivalent), and a buffer of medium
    strength."""

    def __init__(self, path):
        try:
            self.text = path.read_text(encoding="latin-1")
        except OSError as error:
            raise HardwareError(f"{path}: {error.strerror}: install qflow-tech-osu018 (make setup), or name a cell library with "
                                "--liberty") from error
        self.path = path
        modules = self.modules(path)
        areas = dict(AREA.findall(re.sub(r"/\*.*?\*/", " ", self.text, flags=re.DOTALL)))
        self.cells = {name: Cell(name, module, float(areas.get(name, 0)) or UNSAID.get(name, 0.0)) for name, module in modules.items()}
        nands = [cell.area for cell in self.cells.values() if cell.computes(lambda a, b: not (a and b), 2)]
        if not nands:
            raise HardwareError(f"{path}: the library has no two-input NAND, the unit of gate equivalents")
        self.nand2 = min(nands)

    @property
    def buffer(self):
        if not self.buffers:
            raise HardwareError(f"{self.path}: the library has no buffer")
        return self.buffers[min(1, len(self.buffers) - 1)]

    @functools.cached_property
    def buffers(self):
        """The names of all buffers, smallest first."""
        found = sorted((cell.area, name) for name, cell in self.cells.items() if cell.computes(lambda a: a, 1))
        return [name for _, name in found]

    def latch(self):
        """The {cell, enable, data, output} names of a latch that is transparent while its clock is high."""
        for name, cell in self.cells.items():
            held = [gate for gate in cell.module["cells"].values() if gate["type"] == "$_DLATCH_P_"]
            if len(held) == 1 and len(cell.inputs) == 2 and len(cell.outputs) == 1:
                pins = {cell.module["ports"][pin]["bits"][0]: pin for pin in cell.inputs}
                return {"cell": name, "enable": pins[held[0]["connections"]["E"][0]], "data": pins[held[0]["connections"]["D"][0]],
                        "output": cell.outputs[0]}
        raise HardwareError(f"{self.path}: the library has no latch, which a clock gate needs")

    @staticmethod
    def modules(path):
        if shutil.which("yosys") is None:
            raise HardwareError("yosys is not installed: make setup installs it")
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "cells.json"
            run = subprocess.run(["yosys", "-q", "-p", f"read_liberty -ignore_miss_func {path}; write_json {out}"],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise HardwareError(f"{path}: Yosys cannot read it as a Liberty file: {(run.stderr or run.stdout).strip()[-300:]}")
            return json.loads(out.read_text())["modules"]

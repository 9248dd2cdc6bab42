"""Synthesises a module of rtl/ with given parameters in Yosys and measures it. Every module of the hierarchy is
synthesised once and on its own, except arbiters.

Memories of at least `macro_bits` with one write port and one read port become macros, whose bits are counted; all other
memories become flip-flops. Results are cached by everything that they depend on. An interrupted run therefore continues
where it stopped, and different sizes share the modules that they have in common.
"""

import collections
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from hardware.errors import HardwareError

RTL = pathlib.Path(__file__).resolve().parents[2] / "rtl"
LAYOUT = RTL / "ni" / "coppice_layout.vh"  # the layout of table entries and head flits
READ = f"read_verilog -I {LAYOUT.parent}"
FAN_OUT = 16
# Flip-flops at the outputs of memories are merged into macros, but not into other memories. Constant and unused logic
# is removed, and no logic is shared. Arbiters are flattened into their blocks, because the blocks' pointers have
# constant bits and constants do not cross hierarchy.
ARBITER = "round_robin"
ELABORATE = ("hierarchy -check -top {top} {parameters}; proc; setattr -mod -set keep_hierarchy 1 *; "
             f"setattr -mod -unset keep_hierarchy *{ARBITER}*; flatten; setattr -mod -unset keep_hierarchy *; opt_clean; "
             "memory_collect")
COARSE = "synth -noshare -nordff -run coarse:fine"
ABC = f"strash;ifraig;scorr;dc2;dc2;map,-B,0.9;topo;buffer,-p,-N,{FAN_OUT};upsize;dnsize"
MAP = ("memory_dff top/macro* ; opt -fast -full; memory_map top/* top/macro* %d; opt -undriven -fine; techmap; opt -fast; "
       f"dfflibmap -liberty {{liberty}}; opt; abc -liberty {{liberty}} -script +{ABC}; opt_clean")
VERSION = 1  # version of the cached results
# dfflibmap does not map latches. The latch of each clock gate becomes the library's behind an inverter: the library's
# latch is open while its clock input is high.
LATCHES = "read_liberty -lib {liberty}; techmap t:$dlatch; techmap -map {folder}/latch.v; "
LATCH = """module \\$_DLATCH_N_ (input E, input D, output Q);
  wire open;
  \\$_NOT_ invert (.A(E), .Y(open));
  {cell} latch (.{enable}(open), .{data}(D), .{output}(Q));
endmodule
"""


@dataclasses.dataclass(frozen=True)
class Figures:
    """The figures of a module with everything that it contains."""
    cells: int = 0
    area: float = 0.0      # um2 of cells, including flip-flops
    flops: int = 0
    flop_area: float = 0.0
    memory_bits: int = 0   # bits in macros

    def __add__(self, other):
        return Figures(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))


def plain(module):
    """The name of the module in its file."""
    return re.sub(r"^\$paramod(?:\$\w+)?\\(\w+).*$", r"\1", module, flags=re.DOTALL)


def instances(module, modules):
    """{child: number of its instances} of a module."""
    return collections.Counter(cell["type"] for cell in module["cells"].values() if cell["type"] in modules)


def has_latches(module):
    return any(cell["type"] == "$dlatch" for cell in module["cells"].values())


def number(bits):
    return int(bits, 2)


class Design:
    """A synthesised hierarchy, and the figures of any module in it."""

    def __init__(self, top, modules, library):
        self.top = top
        self.modules = modules  # {name: {"cells": mapped, "ports": {name: bits}}}
        self.library = library

    @functools.cache
    def figures(self, module):
        total = Figures()
        for cell in self.modules[module]["cells"].values():
            kind = cell["type"]
            if kind in self.modules:
                total += self.figures(kind)
            elif kind in self.library.cells:
                known = self.library.cells[kind]
                total += Figures(1, known.area, known.sequential, known.area * known.sequential)
            elif kind == "$mem_v2":
                total += Figures(memory_bits=number(cell["parameters"]["SIZE"]) * number(cell["parameters"]["WIDTH"]))
            else:
                raise HardwareError(f"{module}: Yosys left a {kind}, which {self.library.path} does not have")
        return total

    def blocks(self):
        """{name in its file: module}; if modules of a name have different parameters, the largest one."""
        found = {}
        for module in sorted(self.modules, key=lambda name: self.figures(name).area):
            found[plain(module)] = module
        return found


class Synthesis:
    def __init__(self, library, folder, macro_bits, pool):
        """`folder` keeps the results; each worker of the thread pool `pool` runs one Yosys."""
        if shutil.which("yosys") is None:
            raise HardwareError("yosys is not installed: make setup installs it")
        self.library = library
        self.folder = folder
        self.macro_bits = macro_bits
        self.pool = pool
        self.sources = {path.stem: path.read_text() for path in sorted(RTL.glob("*/*.v"))}
        self.mapping = {}  # key -> future of a mapped module
        folder.mkdir(parents=True, exist_ok=True)

    def design(self, top, parameters):
        """Synthesises `top` with these parameters, and all modules below it. Must not be called in a worker of the
        pool."""
        if top not in self.sources:
            raise HardwareError(f"no block '{top}' in rtl/: write one of {', '.join(sorted(self.sources))}")
        elaborated = self.pool.submit(self.kept, [ELABORATE, top, sorted(parameters.items()), self.sources],
                                      lambda folder: self.elaborate(top, parameters, folder)).result()
        modules = elaborated["modules"]
        mapped = {name: self.start_mapping(name, modules) for name in modules}
        return Design(elaborated["top"], {name: future.result() for name, future in mapped.items()}, self.library)

    def start_mapping(self, name, modules):
        # In cached results, children have the names of this elaboration.
        parts = [plain(name), modules[name].get("parameter_default_values"), sorted(instances(modules[name], modules)),
                 self.sources[plain(name)], self.library.text, self.macro_bits, COARSE, MAP,
                 *([LATCHES, LATCH] if has_latches(modules[name]) else [])]
        key = digest(parts)
        if key not in self.mapping:
            self.mapping[key] = self.pool.submit(self.kept, parts, lambda folder: self.map(name, modules, folder))
        return self.mapping[key]

    def kept(self, parts, make):
        """The result of make(scratch folder), which is computed once for each value of `parts`."""
        path = self.folder / f"{digest(parts)}.json"
        try:
            return json.loads(path.read_text())
        except (OSError, ValueError):
            pass
        with tempfile.TemporaryDirectory() as scratch:
            result = make(pathlib.Path(scratch))
        partial = path.with_suffix(f".partial.{os.getpid()}")
        partial.write_text(json.dumps(result))
        os.replace(partial, path)
        return result

    def elaborate(self, top, parameters, folder):
        chosen = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
        for name in parameters:
            if not re.search(rf"\bparameter\s+{name}\b", self.sources[top]):
                raise HardwareError(f"{top} has no parameter {name}")
        self.yosys(f"{READ} {' '.join(str(path) for path in sorted(RTL.glob('*/*.v')))}; "
                   f"{ELABORATE.format(top=top, parameters=chosen)}; write_json {folder}/elaborated.json")
        modules = json.loads((folder / "elaborated.json").read_text())["modules"]
        root = next(name for name, module in modules.items() if int(module["attributes"].get("top", "0"), 2))
        return {"top": root, "modules": modules}

    def map(self, name, modules, folder):
        """The module mapped to cells of the library; macros remain."""
        aliases = {child: f"child{i}" for i, child in enumerate(instances(modules[name], modules))}
        module = {**modules[name], "attributes": {"top": "1"}, "cells": {}}
        for cell_name, cell in modules[name]["cells"].items():
            module["cells"][cell_name] = {**cell, "type": aliases.get(cell["type"], cell["type"])}
        boxes = {alias: {"attributes": {"blackbox": "1"}, "ports": modules[child]["ports"], "cells": {}, "netnames": {}}
                 for child, alias in aliases.items()}
        coarse = self.pass_over({"top": module, **boxes}, COARSE, folder)
        coarse["cells"] = {f"macro{i}" if self.is_macro(cell) else cell_name: cell
                           for i, (cell_name, cell) in enumerate(coarse["cells"].items())}
        script = MAP.format(liberty=self.library.path)
        if has_latches(coarse):
            (folder / "latch.v").write_text(LATCH.format(**self.library.latch()))
            script = LATCHES.format(liberty=self.library.path, folder=folder) + script
        mapped = self.pass_over({"top": coarse, **boxes}, script, folder)
        children = {alias: child for child, alias in aliases.items()}
        cells = {}
        for cell_name, cell in mapped["cells"].items():
            kind = children.get(cell["type"], cell["type"])
            cells[cell_name] = {"type": kind, "connections": cell["connections"]}
            if kind == "$mem_v2":
                cells[cell_name]["parameters"] = {of: cell["parameters"][of] for of in ("SIZE", "WIDTH")}
        return {"cells": cells, "ports": {port: of["bits"] for port, of in mapped["ports"].items()}}

    def pass_over(self, modules, script, folder):
        """The module "top" after the commands of `script`."""
        # Yosys numbers new objects from 1 again, and their names must not be in use.
        for part in ("cells", "netnames"):
            modules["top"][part] = {f"$kept{name}" if name[0] == "$" else name: of for name, of in modules["top"][part].items()}
        (folder / "before.json").write_text(json.dumps({"modules": modules}))
        self.yosys(f"read_json {folder}/before.json; {script}; write_json {folder}/after.json")
        return json.loads((folder / "after.json").read_text())["modules"]["top"]

    def is_macro(self, cell):
        """Whether a memory is large enough for a macro and has no more ports than a macro."""
        if cell["type"] != "$mem_v2":
            return False
        of = {name: number(cell["parameters"][name]) for name in ("SIZE", "WIDTH", "RD_PORTS", "WR_PORTS")}
        return of["SIZE"] * of["WIDTH"] >= self.macro_bits and of["RD_PORTS"] <= 1 and of["WR_PORTS"] <= 1

    @staticmethod
    def yosys(script):
        run = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise HardwareError(f"yosys: {(run.stderr or run.stdout).strip()[-2000:]}")


def digest(parts):
    return hashlib.sha256(json.dumps([VERSION, parts]).encode()).hexdigest()[:24]

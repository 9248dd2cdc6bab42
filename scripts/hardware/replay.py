"""Runs a block in Icarus with the stimulus of tb/energy, both as Verilog and as gates with delays. Counts the rises
and falls of each net of the gates.
"""

import collections
import dataclasses
import pathlib
import re
import shutil
import subprocess

from hardware import netlist, synthesis
from hardware.errors import HardwareError

BENCHES = pathlib.Path(__file__).resolve().parents[2] / "tb" / "energy"


@dataclasses.dataclass
class Activity:
    """The activity in a run of `cycles` cycles: its outputs, {net: edges}, and {net: cycles in which it changed}."""
    cycles: int
    events: int
    rises: collections.Counter
    falls: collections.Counter
    changed: dict


def buses(ports):
    """{port of the Verilog: (direction, [port of the gates of each bit])}."""
    found = {}
    for name, (way, _) in ports.items():
        base, _, index = name.partition("[")
        bits = found.setdefault(base, (way, {}))[1]
        bits[int(index[:-1]) if index else 0] = name
    return {base: (way, [bits[i] for i in sorted(bits)]) for base, (way, bits) in found.items()}


def shell(gates):
    """A module `dut` with the ports of the block and its gates inside."""
    ports, ends = [], []
    for base, (way, bits) in buses(gates.ports).items():
        ports.append(f"{way} wire {f'[{len(bits) - 1}:0] ' if len(bits) > 1 else ''}{base}")
        ends += [f".\\{name} ({base}{f'[{i}]' if len(bits) > 1 else ''})" for i, name in enumerate(bits)]
    return f"module dut ({', '.join(ports)});\n  gates i_gates ({', '.join(ends)});\nendmodule\n"


def plain_block(block, gates, parameters, folder):
    """A module `dut` with the ports of the block and, inside, the block as Yosys reads it: Icarus 11 does not
    truncate a sum that is used as an index, such as in the writes of vc_buffer.
    """
    chosen = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    files = " ".join(str(path) for path in netlist.sources_of(block))
    synthesis.Synthesis.yosys(f"{synthesis.READ} {files}; hierarchy -check -top {block} {chosen}; proc; flatten; opt_clean; "
                              f"rename -top block; write_verilog -noattr {folder}/block.v")
    ports = [f"{way} wire {f'[{len(bits) - 1}:0] ' if len(bits) > 1 else ''}{base}"
             for base, (way, bits) in buses(gates.ports).items()]
    ends = ", ".join(f".{base}({base})" for base in buses(gates.ports))
    return (folder / "block.v").read_text() + f"module dut ({', '.join(ports)});\n  block i_block ({ends});\nendmodule\n"


class Bench:
    """tb/energy/BLOCK_tb.v with the gates and with the Verilog; it can run at any load."""

    def __init__(self, block, parameters, gates, settings, folder):
        """`settings` are the parameters of the bench, including CYCLES and PERIOD (ps); compiled files go to
        `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.block, self.settings, self.folder = block, settings, folder
        (folder / "gates.v").write_text(gates.verilog() + shell(gates))
        (folder / "dut.v").write_text(plain_block(block, gates, parameters, folder))
        self.programs = [self.compile("dut"), self.compile("gates", "-DDUMP")]

    def compile(self, name, *options):
        if shutil.which("iverilog") is None:
            raise HardwareError("iverilog is not installed: make setup installs it")
        program = self.folder / f"{name}.vvp"
        self.run_tool(["iverilog", "-g2005-sv", "-I", BENCHES, "-o", program, "-s", "tb", *options,
                       *(f"-Ptb.{parameter}={value}" for parameter, value in self.settings.items()),
                       BENCHES / f"{self.block}_tb.v", self.folder / f"{name}.v"])
        return program

    def run_tool(self, command):
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise HardwareError(f"{self.block}: Icarus: {(run.stderr or run.stdout).strip()[-500:]}")
        return run.stdout

    def run(self, load):
        """The Activity of the gates at a load in percent. Raises HardwareError if they behave differently from the
        Verilog."""
        said = [re.search(r"^events (\d+) check (\w+)$", self.run_tool(["vvp", "-n", program, f"+load={load}"]), re.MULTILINE)
                for program in self.programs]
        if None in said:
            raise HardwareError(f"{self.block}: the bench did not print its counts")
        wanted, found = (of.groups() for of in said)
        if wanted != found:
            raise HardwareError(f"{self.block}: the gates do not behave like the Verilog: {found} instead of {wanted} (events, check)")
        dump = self.folder / "dump.vcd"
        rises, falls, changed = edges(dump, self.settings["PERIOD"])
        dump.unlink()
        return Activity(self.settings["CYCLES"], int(found[0]), rises, falls, changed)


def edges(path, period):
    """Counts the edges of the nets n1, n2, ... in a VCD, and the cycles in which each of them changes."""
    names, rises, falls, changed, values = {}, collections.Counter(), collections.Counter(), {}, {}
    with path.open() as file:
        for line in file:
            if line.startswith("$var"):
                _, _, _, code, name, *_ = line.split()
                if name[0] == "n" and name[1:].isdigit():
                    names.setdefault(code, int(name[1:]))
            elif line.startswith("$enddefinitions"):
                break
        cycle = 0
        for line in file:
            kind = line[0]
            if kind == "#":
                cycle = int(line[1:]) // period
            elif kind in "01xz":
                code = line[1:-1]
                before = values.get(code)
                values[code] = kind
                if before is None or before == kind or code not in names:
                    continue
                net = names[code]
                if kind == "1":
                    rises[net] += 1
                elif kind == "0":
                    falls[net] += 1
                changed.setdefault(net, set()).add(cycle)
    return rises, falls, changed

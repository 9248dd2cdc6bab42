"""Records the ports of instances while tiles run in Icarus, and replays the recording through the gates of a block."""

import dataclasses
import pathlib
import re
import subprocess

from hardware import replay
from hardware.errors import HardwareError

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIMULATE = ROOT / "tb" / "tile" / "simulate"
TOP = "network_tb"
DUMP = "recorded.vcd"


def run(settings, instances, folder, coppice):
    """Runs `tb/tile/simulate` in `folder`. DUMP names the instances below the testbench that are recorded."""
    folder.mkdir(parents=True, exist_ok=True)
    dumps = "".join(f"    $dumpvars(1, {TOP}.{instance});\n" for instance in instances)
    (folder / "observer.v").write_text(f"module observer;\n  initial begin\n    $dumpfile(\"{DUMP}\");\n    $dumpvars(0, {TOP}.clk);\n"
                                       f"{dumps}  end\nendmodule\n")
    command = [SIMULATE, "--coppice", coppice, "--simulator", "icarus", "--keep", folder, "--observer", folder / "observer.v", *settings]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HardwareError(f"{SIMULATE.name}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


@dataclasses.dataclass
class Recorded:
    """The recorded ports of an instance: {port: [its value in each cycle, as the bits 0, 1, x and z, highest bit
    first]}."""
    ports: dict

    def rows(self):
        return len(next(iter(self.ports.values())))

    def number(self, port, row):
        """A port's value as a number; unknown bits are 0."""
        return int(re.sub("[xz]", "0", self.ports[port][row]), 2)

    def known(self, port, row):
        return int(re.sub("[xz]", "0", self.ports[port][row].replace("0", "1")), 2)


def read(path, wanted):
    """{instance: Recorded} from a VCD; `wanted` is {instance: [ports]}. The values of a cycle are those before its
    rising edge."""
    places, widths, clock, scope = {}, {}, None, []
    rows = {(instance, port): [] for instance, ports in wanted.items() for port in ports}
    values, changes, rises = {}, {}, False
    with path.open() as file:
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == "$scope":
                scope.append(words[2])
            elif words[0] == "$upscope":
                scope.pop()
            elif words[0] == "$var":
                code, name, instance = words[3], words[4], ".".join(scope[1:])
                if (instance, name) in rows:
                    places[instance, name] = code
                    widths[code] = int(words[2])
                elif not instance and name == "clk":
                    clock = code
            elif words[0] == "$enddefinitions":
                break
        missing = [f"{instance}.{port}" for instance, port in rows if (instance, port) not in places]
        if missing or clock is None:
            raise HardwareError(f"{path}: lacks {', '.join(missing[:5]) or 'the clock'}")
        codes = set(places.values())
        for line in file:
            if line[0] == "#":
                if rises:
                    for key, code in places.items():
                        rows[key].append(values[code])
                values.update(changes)
                changes, rises = {}, False
            elif line[0] == "b":
                bits, code = line[1:].split()
                if code in codes:
                    # Digits that the VCD omits are zeros, or unknown if the first digit is unknown.
                    changes[code] = bits.rjust(widths[code], bits[0] if bits[0] in "xz" else "0")
            elif line[0] in "01xz":
                code = line[1:-1]
                if code == clock:
                    rises = line[0] == "1"
                elif code in codes:
                    changes[code] = line[0]
    return {instance: Recorded({port: rows[instance, port] for port in ports}) for instance, ports in wanted.items()}


def packed(recorded, ports, row, value):
    """The values of the ports in one word, the first port in the lowest bits."""
    bits, at = 0, 0
    for name, width in ports:
        bits |= value(recorded, name, row) << at
        at += width
    return bits


class Replay:
    """The gates of a block in tb/energy/recorded_tb.v, built once for all instances of a run."""

    def __init__(self, gates, rows, first, last, period, folder):
        """Counts the edges in the rows [first, last); `period` is the clock period in ps."""
        folder.mkdir(parents=True, exist_ok=True)
        self.rows, self.cycles, self.period, self.program = rows, last - first, period, folder / "replay.vvp"
        ports = {base: (way, len(bits)) for base, (way, bits) in replay.buses(gates.ports).items()}
        self.inputs = [(base, width) for base, (way, width) in ports.items() if way == "input" and base != "clk_i"]
        self.outputs = [(base, width) for base, (way, width) in ports.items() if way == "output"]
        ends = []
        for side, of in (("in", self.inputs), ("out", self.outputs)):
            at = 0
            for base, width in of:
                ends.append(f".{base}({side}[{at}+:{width}])")
                at += width
        (folder / "recorded.vh").write_text(
            f"localparam INPUTS = {sum(width for _, width in self.inputs)}, OUTPUTS = {sum(width for _, width in self.outputs)}, "
            f"ROWS = {rows};\nreg [INPUTS-1:0] in;\nwire [OUTPUTS-1:0] out;\ndut i_dut (.clk_i(clk), {', '.join(ends)});\n")
        (folder / "gates.v").write_text(gates.verilog() + replay.shell(gates))
        tool(["iverilog", "-g2005-sv", "-I", folder, "-o", self.program, "-s", "tb", f"-Ptb.WARM={first}", f"-Ptb.CYCLES={self.cycles}",
              f"-Ptb.PERIOD={period}", replay.BENCHES / "recorded_tb.v", "gates.v"], folder)

    def activity(self, recorded, folder):
        """The replay.Activity for the recorded inputs of an instance. Raises HardwareError if the gates' outputs differ
        from the recorded ones."""
        other = [f"{base}: {len(recorded.ports[base][0])} bits, {width} in the netlist" for base, width in self.inputs + self.outputs
                 if len(recorded.ports[base][0]) != width]
        if other:
            raise HardwareError(f"the run has other parameters: {'; '.join(other)}")
        folder.mkdir(parents=True, exist_ok=True)
        for name, of, value in (("stimulus", self.inputs, Recorded.number), ("wanted", self.outputs, Recorded.number),
                                ("known", self.outputs, Recorded.known)):
            (folder / f"{name}.hex").write_text("".join(f"{packed(recorded, of, row, value):x}\n" for row in range(self.rows)))
        said = re.search(r"^rows (\d+) wrong (\d+)$", tool(["vvp", "-n", self.program], folder), re.MULTILINE)
        if said is None or int(said[1]) != self.rows or int(said[2]) != 0:
            raise HardwareError(f"{folder}: the gates do not behave as recorded: {said[0] if said else 'no end'}")
        rises, falls, changed = replay.edges(folder / "dump.vcd", self.period)
        (folder / "dump.vcd").unlink()
        return replay.Activity(self.cycles, 0, rises, falls, changed)


def tool(command, folder):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise HardwareError(f"Icarus: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout

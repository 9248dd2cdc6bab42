"""Turns a netlist into a placed and routed layout with graywolf and qrouter from qflow, and checks it with magic.

The netlist comes from hardware/netlist.py, not from qflow's synthesis. Memories stay outside: their pins are ports of
the layout. Every layout is compared with the netlist twice: by the connections that the router reports, and by those
that magic extracts from the metal.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from hardware import layout_files, synthesis
from hardware.errors import HardwareError

TECHNOLOGY = pathlib.Path("/usr/share/qflow/tech/osu018")
QFLOW = pathlib.Path("/usr/lib/qflow")
RULES = TECHNOLOGY / "SCN6M_SUBM.10.tech"  # of magic
CELLS = TECHNOLOGY / "osu018_stdcells.lef"
TOOLS = {"qflow": "qflow", "graywolf": "graywolf", "qrouter": "qrouter", "magic": "magic"}  # command: Debian package
CLOCK_FAN_OUT = 24
CLOCK_BUFFER = "CLKBUF1"
MAGIC = """drc off
box 0 0 0 0
lef read {cells}
def read {definition}
load {top}
select top cell
extract do local
extract all
ext2spice lvs
ext2spice
drc euclidean on
select top cell
drc check
drc catchup
puts "violations: [drc list count total]"
drc why
quit -noprompt
"""


@dataclasses.dataclass
class Netlist:
    """The cells of a block to be placed, by plain names."""
    top: str
    inputs: list
    outputs: list
    cells: dict   # {name: (kind, {pin: net})}
    macros: dict  # {name: (kind, {pin: [net]})}; they are outside the layout

    def nets(self):
        """The nets of the layout: {net: {(cell, pin) or ("PIN", port)}}."""
        found = {}
        for name, (_, pins) in self.cells.items():
            for pin, net in pins.items():
                found.setdefault(net, set()).add((name, pin))
        for port in [*self.inputs, *self.outputs]:
            found.setdefault(port, set()).add(("PIN", port))
        # A net that connects only ports has no wire.
        return {net: ends for net, ends in found.items() if any(end[0] != "PIN" for end in ends)}


def plain(name):
    return re.sub(r"\W+", "_", name).strip("_")


def to_netlist(top, module, library):
    """The netlist of a flat module from Yosys. An output that shares its net with an input or another output gets a
    buffer.
    """
    names, macros, extra, cells = {}, {}, [], {}
    ports = {way: {plain(port): of["bits"][0] for port, of in module["ports"].items() if of["direction"] == way}
             for way in ("input", "output")}
    memories = {plain(name): cell for name, cell in module["cells"].items() if cell["type"].startswith("memory_")}
    inputs = dict(ports["input"])
    for name, cell in memories.items():
        inputs |= {f"{name}_RD_DATA_{at}": bit for at, bit in enumerate(cell["connections"]["RD_DATA"])}
    for port, bit in inputs.items():
        names[bit] = port
    outputs = [port for port, bit in ports["output"].items() if not isinstance(bit, str)]
    for port in outputs:
        bit = ports["output"][port]
        if bit in names:
            extra.append((port, bit))
        else:
            names[bit] = port
    for name, cell in memories.items():
        pins = {}
        for pin, bits in cell["connections"].items():
            for at, bit in enumerate(bits):
                if not isinstance(bit, str) and bit not in names:
                    names[bit] = f"{name}_{pin}_{at}"
                    outputs.append(names[bit])
                pins.setdefault(pin, []).append(f"1'b{bit}" if isinstance(bit, str) else names[bit])
        macros[name] = cell["type"], pins
    for name, cell in module["cells"].items():
        if plain(name) in memories:
            continue
        if any(isinstance(bits[0], str) for bits in cell["connections"].values()):
            raise HardwareError(f"{top}: {cell['type']} {name} has a constant input, for which the library has no cell")
        cells[plain(name)] = cell["type"], {pin: names.get(bits[0], f"n{bits[0]}")
                                            for pin, bits in cell["connections"].items()}
    for port, bit in extra:
        cells[f"buffer_{port}"] = library.buffer, {"A": names[bit], "Y": port}
    if len(cells) + len(macros) != len(module["cells"]) + len(extra):
        raise HardwareError(f"{top}: two cells have the same plain name")
    buffer_clock(cells)
    return Netlist(top, list(inputs), outputs, cells, macros)


def buffer_clock(cells):
    """If a clock has more than CLOCK_FAN_OUT flip-flops, adds a tree of buffers, since qrouter cannot route a net with
    hundreds of pins. Flip-flops that are adjacent in the netlist, such as those of a register, share a buffer.
    """
    net, level = "clk_i", 0
    sinks = [(name, pin) for name, (_, pins) in cells.items() for pin, of in pins.items() if of == net]
    while len(sinks) > CLOCK_FAN_OUT:
        upper = []
        for group in range(0, len(sinks), CLOCK_FAN_OUT):
            name = f"clock_{level}_{group // CLOCK_FAN_OUT}"
            cells[name] = CLOCK_BUFFER, {"A": net, "Y": f"{name}_net"}
            for sink, pin in sinks[group:group + CLOCK_FAN_OUT]:
                cells[sink][1][pin] = f"{name}_net"
            upper.append((name, "A"))
        sinks, level = upper, level + 1


def read_netlist(top, folder, library, scratch):
    """The netlist that hardware/netlist.py has written to `folder`."""
    macros = f"read_liberty -lib {folder}/macros.lib; " if "cell(" in (folder / "macros.lib").read_text() else ""
    synthesis.Synthesis.yosys(f"read_liberty -lib {library.path}; {macros}read_verilog {folder}/netlist.v; "
                              f"hierarchy -top top; write_json {scratch}/netlist.json")
    return to_netlist(top, json.loads((scratch / "netlist.json").read_text())["modules"]["top"], library)


def place_folder(netlist, folder):
    """Writes a qflow project that is ready to be placed."""
    for part in ("source", "synthesis", "layout", "log"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    inside, top = folder / "synthesis", netlist.top
    (inside / f"{top}.blif").write_text(layout_files.blif(netlist))
    for kind in ("rtl.v", "rtlnopwr.v", "rtlbb.v"):
        (inside / f"{top}.{kind}").write_text("")  # qflow's placement copies these files of its synthesis
    (inside / f"{top}_powerground").write_text("set vddnet=vdd\nset gndnet=gnd\n")
    (folder / "log" / "synth.log").write_text("the netlist is hardware/netlist.py's\n")
    (folder / "layout" / f"{top}.par").write_text((TECHNOLOGY / "osu018.par").read_text())
    paths = {"projectpath": folder, "techdir": TECHNOLOGY, "sourcedir": folder / "source", "synthdir": inside,
             "layoutdir": folder / "layout", "techname": "osu018", "scriptdir": QFLOW / "scripts", "bindir": QFLOW / "bin",
             "logdir": folder / "log"}
    (folder / "qflow_vars.sh").write_text("".join(f"set {name}={value}\n" for name, value in paths.items()))


running = set()  # the running tools, each of them the leader of a process group


def stop():
    """Ends all running tools; a layout may take an hour."""
    for process in list(running):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def step(command, folder, seconds, log):
    """Runs a tool and writes its output to `log`; returns "" or the reason why it failed."""
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}  # no windows
    with log.open("w") as out, subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                env=environment, start_new_session=True) as run:
        running.add(run)
        try:
            code = run.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return f"did not finish within {seconds} s"
        finally:
            running.discard(run)
    return f"status {code}" if code else ""


def place(netlist, folder, seconds):
    """Places a project; returns its DEF."""
    failed = step([QFLOW / "scripts" / "placement.sh", "-d", folder, netlist.top], folder, seconds, folder / "placement.txt")
    placed = folder / "layout" / f"{netlist.top}_unroute.def"
    if failed or not placed.exists():
        raise HardwareError(f"{netlist.top}: graywolf: {failed or 'no DEF'}: {last_words(folder / 'log' / 'place.log')}")
    return placed


def route(netlist, folder, seconds):
    """Routes a project; returns its DEF and qrouter's resistances."""
    failed = step([QFLOW / "scripts" / "router.sh", folder, netlist.top], folder, seconds, folder / "routing.txt")
    said = (folder / "log" / "route.log").read_text(errors="replace")
    if not failed and "Final: No failed routes!" not in said:
        failed = re.findall(r"^.*Final:.*$|^.*[Ff]ailed.*$", said, re.MULTILINE)[-1:] or "no route"
    if failed:
        raise HardwareError(f"{netlist.top}: qrouter: {failed}: {last_words(folder / 'log' / 'route.log')}")
    return folder / "layout" / f"{netlist.top}.def", folder / "layout" / f"{netlist.top}.rc"


def extract(netlist, definition, folder, seconds):
    """The metal that magic extracts: ({net: ends}, number of violations of design rules, their descriptions)."""
    inside = folder / "magic"
    inside.mkdir(exist_ok=True)
    (inside / "magic.tcl").write_text(MAGIC.format(cells=CELLS, definition=definition, top=netlist.top))
    failed = step(["magic", "-dnull", "-noconsole", "-T", RULES, "magic.tcl"], inside, seconds, inside / "magic.txt")
    said, extracted = (inside / "magic.txt").read_text(errors="replace"), inside / f"{netlist.top}.spice"
    counted = re.search(r"^violations: (.*)$", said, re.MULTILINE)
    if failed or not counted or not extracted.exists():
        raise HardwareError(f"{netlist.top}: magic: {failed or 'no netlist'}: {last_words(inside / 'magic.txt')}")
    numbers = re.findall(r"\d+", counted[1])
    why = said[counted.end():].strip().splitlines()
    return layout_files.spice_nets(extracted, netlist.top), int(numbers[-1]) if numbers else 0, "; ".join(why)


def last_words(path):
    return " / ".join(path.read_text(errors="replace").strip().splitlines()[-3:])[-300:] if path.exists() else "no message"


def different(wanted, found):
    """The nets that only one of the two has; a net is the set of its ends."""
    return {frozenset(ends) for ends in wanted} ^ {frozenset(ends) for ends in found}


def compare(netlist, routed, extracted):
    """Raises HardwareError unless the layout connects exactly what the netlist connects. Cells have other names in the
    layout, so a cell is recognised by the net that it drives.
    """
    drivers = {}
    for name, (kind, pins) in netlist.cells.items():
        for pin, net in pins.items():
            if pin in layout_files.OUTPUTS:
                drivers[net] = name
    own = {}
    for net, ends in routed.nets.items():
        for cell, pin in ends:
            if pin in layout_files.OUTPUTS and cell != "PIN" and net in drivers:
                own[cell] = drivers[net]
    for cell, kind in routed.cells.items():
        if cell in own and netlist.cells[own[cell]][0] != kind:
            raise HardwareError(f"{netlist.top}: {cell} is not a {netlist.cells[own[cell]][0]}")
    known = lambda ends: {(own.get(cell, cell), pin) for cell, pin in ends}  # noqa: E731
    wanted = netlist.nets().values()
    for tool, nets in (("graywolf and qrouter", routed.nets.values()), ("magic", extracted.values())):
        wrong = different(wanted, [known(ends) for ends in nets if any(cell != "PIN" for cell, _ in ends)])
        if wrong:
            raise HardwareError(f"{netlist.top}: according to {tool}, {len(wrong)} nets differ from the netlist: "
                                f"{sorted(map(sorted, wrong))[:2]}")
    return own


def require_tools():
    for command, package in TOOLS.items():
        if shutil.which(command) is None:
            raise HardwareError(f"{command} is not installed: make setup installs it (Debian's package {package})")
    if not RULES.exists():
        raise HardwareError(f"{RULES} is missing: make setup installs it (Debian's package qflow-tech-osu018)")

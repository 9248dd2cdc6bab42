"""Runs OpenSTA: finds the worst paths of a netlist (hardware/netlist.py) with hardware/block.sdc, and their
registers."""

import dataclasses
import pathlib
import re
import shutil
import subprocess

from hardware.errors import HardwareError

SDC = pathlib.Path(__file__).with_name("block.sdc")
ROW = re.compile(r"^(\S+) \(\S+\)\s+(\S+) \(\S+\)\s+(-?[\d.]+)$")
LOOKED_AT = 4000  # ends of paths to read: a register of many bits has many ends, but is one row
SCRIPT = """
read_liberty {folder}/cells.lib
{macros}
read_verilog {folder}/netlist.v
link_design top
{parasitics}
set period {period}
set memory_access {memory_access}
set driver {driver}
source {sdc}
check_setup -verbose
report_checks -path_delay max -group_count {looked_at} -format summary
report_checks -path_delay max -group_count {paths} -format full -fields {{capacitance slew input_pin}} > {folder}/paths.txt
exit
"""


@dataclasses.dataclass(frozen=True)
class Path:
    """A path between registers, memories or inputs. Its time includes the delay from clock to output and the setup
    time."""
    start: str
    end: str
    ns: float


def register(pin):
    """The register of a pin or port, as named in the Verilog: without bit index, pin name and suffixes from the
    netlist."""
    name = pin.rsplit("/", 1)[0].replace("\\", "") if "/" in pin else pin
    name = re.sub(r"^memory\d+\.", "", name.replace("\\", "").removesuffix(".reg"))
    return re.sub(r"(\[\d+\])+$", "", name)


def worst(folder, period, memory_access, driver, paths, parasitics=None):
    """The `paths` worst paths of a netlist, slowest first, one for each pair of registers. `parasitics` is the SPEF of
    its wires."""
    if shutil.which("sta") is None:
        raise HardwareError("sta is not installed: make setup installs OpenSTA (Debian's package opensta)")
    script = folder / "sta.tcl"
    macros = f"read_liberty {folder}/macros.lib" if "cell(" in (folder / "macros.lib").read_text() else ""
    script.write_text(SCRIPT.format(folder=folder, macros=macros, period=period, memory_access=memory_access, driver=driver,
                                    sdc=SDC, parasitics=f"read_spef -quiet {parasitics}" if parasitics else "",
                                    looked_at=LOOKED_AT, paths=paths))
    run = subprocess.run(["sta", "-exit", "-no_splash", script], capture_output=True, text=True, check=False)
    if run.returncode != 0 or re.search("Error|not found", run.stdout + run.stderr):
        raise HardwareError(f"sta: {(run.stderr + run.stdout).strip()[-1000:]}")
    if "loop" in run.stdout:
        raise HardwareError(f"{folder}: a combinational loop")
    found = {}
    for line in run.stdout.splitlines():
        row = ROW.match(line.strip())
        if row:
            found.setdefault((register(row[1]), register(row[2])), round(period - float(row[3]), 3))
    if not found:
        raise HardwareError(f"{folder}: OpenSTA found no path: {run.stdout.strip()[-300:]}")
    return [Path(*names, ns) for names, ns in sorted(found.items(), key=lambda item: -item[1])[:paths]]

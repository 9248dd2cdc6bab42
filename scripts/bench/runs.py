"""The small runs that measure the cost of the simulator, and how many instructions and how much time they take."""

import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYSTEMS = ROOT / "configs" / "systems"
BUDGET = ROOT / "tb" / "bench" / "instructions.json"

# {name: arguments of the command}. Each run executes a few hundred million instructions.
RUNS = {
    "flits_values": ["run", SYSTEMS / "torus_8x8.yaml", "--set", "collective.algorithm=multitree", "--set",
                     "collective.size=32KiB", "--set", "fidelity=flit", "--set", "check=values"],
    "flits_short_packets": ["traffic", SYSTEMS / "mesh_8x8_booksim.yaml", "--pattern", "uniform", "--rate", "0.1",
                            "--packet-flits", "1", "--warmup", "1000", "--measure", "4000"],
    "flits_long_packets": ["traffic", SYSTEMS / "mesh_8x8_booksim.yaml", "--pattern", "uniform", "--rate", "0.35",
                           "--packet-flits", "16", "--warmup", "1000", "--measure", "4000"],
    "trains": ["run", SYSTEMS / "torus_16x16.yaml", "--set", "collective.algorithm=multitree_optimal", "--set",
               "collective.size=16MiB", "--set", "fidelity=train", "--set", "check=contributions"],
    "compile_and_prove": ["run", SYSTEMS / "mesh_8x8.yaml", "--set", "collective.algorithm=packed_trees", "--set",
                          "collective.size=64KiB", "--set", "fidelity=train", "--set", "check=off"],
}


def without_address_randomization(command):
    """The command with fixed addresses: instruction counts depend slightly on alignment and on hash tables of
    pointers."""
    return ["setarch", "--addr-no-randomize", *command]


def instructions(coppice, name):
    """The instruction count from callgrind, which does not depend on the load of the machine."""
    with tempfile.NamedTemporaryFile(suffix=".callgrind") as out:
        done = subprocess.run(
            without_address_randomization(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", coppice,
                                           *RUNS[name]]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False)
    counts = re.findall(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not counts:
        raise SystemExit(f"bench: {name} failed under callgrind with exit status {done.returncode}:\n{done.stderr}")
    # The sum of all processes, since a fidelity may run in a process of its own.
    return sum(map(int, counts))


def cpu_seconds(coppice, name):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([coppice, *RUNS[name]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_json(path, value):
    path = pathlib.Path(path)
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    os.replace(scratch, path)

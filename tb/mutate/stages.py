"""The tests that mutants run through, the cheapest first."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import drawing

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Networks of tiles: {name: arguments of tb/tile/simulate}.
NETWORKS = {
    "packets": ["--set", "system.topology.dims=[2, 2]", "--set", "collective.size=1 KiB", "--runs", "3"],
    "bf16": ["--set", "system.topology.dims=[2, 2]", "--set", "collective.size=1164 B", "--type", "bf16", "--runs", "2",
             "--set", "system.ni.lockstep=false", "--set", "system.ni.payload=64 B"],
    "messages": ["--set", "collective.size=4 KiB", "--set", "system.ni.flow_control=message", "--type", "int32"],
    "direct": ["--set", "collective.algorithm=direct", "--set", "collective.size=4 KiB", "--set", "system.ni.lockstep=false"],
    # Table lines for iterations, some of which are skipped.
    "pieces": ["--set", "system.topology.dims=[2, 2]", "--set", "collective.algorithm=double_tree", "--set", "collective.chunks=12",
               "--set", "system.link.latency=8 ns", "--set", "collective.size=256 B", "--runs", "2"],
    # Links hold more flits than a buffer, so credits run out.
    "long_links": ["--set", "system.topology.dims=[2, 2]", "--set", "collective.size=32 KiB", "--set", "system.link.latency=500 ns",
                   "--set", "system.ni.flow_control=message"],
}
TILES = "tile_network_4_128"  # the program that connects the tiles
# Networks over AXI4-Lite: check bits must correct a bit that is flipped in every table line, and parity must report a
# bit that is flipped on a link.
ICARUS = ["--simulator", "icarus", "--set", "system.topology.dims=[2, 2]", "--set", "system.link.latency=8 ns",
          "--set", "system.router.vc_depth=32"]
OVER_AXI = {
    "corrected": [*ICARUS, "--set", "collective.size=256 B", "--runs", "2", "--parity", "--flip-tables"],
    "flipped": [*ICARUS, "--set", "collective.size=128 B", "--flip", "77"],
    "spill": [*ICARUS, "--set", "collective.size=148 B", "--spill"],  # flits with words of two lines
}
# Testbenches of blocks in Icarus: {name: (block, testbench, parameters)}.
BENCHES = {
    "registers": ("tile_registers", "registers_tb", []),
    "fifo": ("fifo", "queue_tb", ["VC_BUFFER=0"]),
    "fifo_front": ("fifo", "queue_tb", ["FRONT=1"]),
    "buffer": ("vc_buffer", "queue_tb", ["VC_BUFFER=1"]),
    "clock_gate": ("clock_gate", "clock_gate_tb", []),
    "spill": ("spill_register", "spill_register_tb", []),
    "table_ecc": ("schedule_table", "table_ecc_tb", []),
    "memory": ("gradient_memory", "gradient_memory_tb", ["ROUNDS=10"]),
    "memory_narrow": ("gradient_memory", "gradient_memory_tb",
                      ["PORTS=2", "BANKS=2", "AXI_W=32", "LINE_WORDS=8", "LINES=8", "QUEUE=8", "LATENCY=40", "SEED=2", "ROUNDS=10"]),
    "memory_wide": ("gradient_memory", "gradient_memory_tb",
                    ["PORTS=3", "BANKS=8", "AXI_W=64", "LINE_WORDS=64", "QUEUE=32", "BUFFER=64", "SLOW=0", "LATENCY=2", "SEED=3",
                     "ROUNDS=5"]),
}
# These tests take minutes; explained survivors run through them only on request.
SLOW_TESTS = "^proof (reduction_unit|network_interface|ni_port|fp32_adder)$|^icarus|^bench memory"
SLOW = 10      # a test fails if it takes this many times as long as without a mutant
SECONDS = 60   # and this many seconds more


def load(path):
    """Loads a script as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    spec = importlib.util.spec_from_loader(path.name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.name] = module
    loader.exec_module(module)
    return module


class Stage:
    """A test for mutants: a command, and the output that it must print."""

    running = set()   # processes of all tests; each is the leader of a process group

    @classmethod
    def end_all(cls):
        for process in list(cls.running):
            os.killpg(process.pid, signal.SIGKILL)

    def __init__(self, name, command, folder, normal=None, broken=None):
        self.name = name
        self.command = command    # returns the command line for a mutant's number
        self.folder = folder
        self.normal = normal      # the part of the output that must be as without a mutant
        self.broken = broken      # the output of a tool that could not run; the mutant is then not detected
        self.seconds = None       # time limit
        self.expected = None

    def run(self, number):
        """Runs the test. If it takes too long, ends it with all its processes (solvers, simulators) and returns
        None."""
        command = ["env", f"COPPICE_MUTANT={number}", *(str(word) for word in self.command(number))]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              start_new_session=True) as process:
            self.running.add(process)
            try:
                out, err = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None
            finally:
                self.running.discard(process)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def passes(self, number):
        result = self.run(number)
        if result is None or result.returncode != 0:
            if result is not None and self.broken and re.search(self.broken, result.stdout + result.stderr):
                raise SystemExit(f"{self.name}, mutant {number}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
            return False
        if self.normal is None:
            return True
        seen = re.findall(self.normal, result.stdout, re.MULTILINE)
        if number == 0:
            self.expected = seen
        return seen == self.expected


class Bench:
    """Everything that can run the mutants in BUILD/rtl."""

    def __init__(self, build, coppice, jobs, tests):
        self.folder, self.rtl, self.coppice, self.jobs, self.tests = build, build / "rtl", coppice, jobs, tests
        self.formal, self.gates = (load(ROOT / "tb" / "formal" / name) for name in ("formal", "gates"))
        self.holds = self.hierarchy()
        self.stages = {}   # name: Stage
        self.lock, self.locks = threading.Lock(), {}

    def build(self):
        subprocess.run(["cmake", "--preset", "mutate"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", str(self.folder), "--parallel", str(self.jobs), "--target", "cosim_tests", TILES],
                       check=True)

    def hierarchy(self):
        """Returns {module: all modules in it, and itself}."""
        texts = {pathlib.Path(source).stem: (drawing.RTL / source).read_text() for source in drawing.sources()}
        parts = {name: {other for other in texts if re.search(rf"^\s*{other}\s+(#|i_)", text, re.MULTILINE)}
                 for name, text in texts.items()}

        def all_in(name):
            return {name}.union(*(all_in(part) for part in parts[name]))

        return {name: all_in(name) for name in texts}

    def names_of(self, mutant):
        """The names of the tests that can notice a mutant, the cheapest first."""
        module = pathlib.Path(mutant.source).stem
        tops = sorted((top for top, parts in self.holds.items() if module in parts), key=lambda top: len(self.holds[top]))
        names = [f"block {top}" for top in tops if self.suite(top)]
        names += [f"bench {name}" for name, (top, _, _) in BENCHES.items() if top in tops]
        if "tile" in tops:
            names += [f"network {name}" for name in NETWORKS]
        gates = [p for p in self.gates.PROOFS if self.rtl / mutant.source in p.sources(self.rtl)]
        names += [f"gates {proof.name}" for proof in sorted(gates, key=lambda p: len(p.sources(self.rtl)))]
        proofs = [p for p in self.formal.PROOFS if mutant.source in p.sources and f"any_{module}.v" not in p.stand_ins]
        names += [f"proof {proof.name}" for proof in sorted(proofs, key=lambda p: len(p.sources))]
        if "axi_tile" in tops:
            names += [f"icarus {name}" for name in OVER_AXI]
        return [name for name in names if re.search(self.tests, name)]

    def stage(self, name):
        """Returns the test with this name, after it has passed without a mutant."""
        with self.lock:
            lock = self.locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self.stages:
                stage = self.made(*name.split(" "))
                self.check(stage)
                self.stages[name] = stage
            return self.stages[name]

    @staticmethod
    def suite(module):
        """The prefix of the suites in the block tests of a module; None if it has no block tests."""
        suite = "".join(part.capitalize() for part in module.split("_"))
        tests = (ROOT / "tb" / "cosim").glob("*_test.cpp")
        return suite if any(re.search(rf"TEST\({suite}\w*,", path.read_text()) for path in tests) else None

    def made(self, kind, what=""):
        program = self.folder / "tb" / "cosim" / "cosim_tests"
        if kind == "block":
            return Stage(f"block {what}", lambda _: [program, f"--gtest_filter={self.suite(what)}*", "--gtest_fail_fast"],
                         self.folder)
        if kind == "network":
            folder = self.prepared(what, NETWORKS[what])
            return Stage(f"network {what}", lambda _: [self.folder / "tb" / "tile" / TILES, "."], folder, "^.*cycles.*$")
        if kind == "proof":
            return Stage(f"proof {what}", lambda n: [ROOT / "tb" / "formal" / "formal", "--intact", "--jobs", 1, "--rtl", self.rtl,
                                                     "--mutant", n, what], self.folder, broken=r"yosys(-smtbmc)?: (?!.*logic loop)")
        if kind == "gates":
            return Stage(f"gates {what}", lambda n: [ROOT / "tb" / "formal" / "gates", "--intact", "--jobs", 1, "--rtl", self.rtl,
                                                     "--mutant", n, what], self.folder, broken=r"yosys(-abc)?: (?!.*logic loop)")
        if kind == "bench":
            return self.icarus(f"bench {what}", self.folder / "networks" / what, *BENCHES[what][1:])
        return self.icarus(f"icarus {what}", self.prepared(what, OVER_AXI[what]), "network_tb", [])

    def icarus(self, name, folder, top, parameters):
        """Prepares a testbench of tb/tile in FOLDER with all of rtl/."""
        folder.mkdir(parents=True, exist_ok=True)
        if top == "registers_tb":
            subprocess.run([ROOT / "tb" / "tile" / "registers", "--prepare", folder], check=True)
        benches = [top, "axi_memory"] if top in ("network_tb", "gradient_memory_tb") else [top]
        sources = [ROOT / "tb" / "tile" / f"{bench}.v" for bench in benches] + [self.rtl / source for source in drawing.sources()]
        # Ends the test at its first failure.
        script = ('number=$1; shift; simulation=$(mktemp); trap "rm -f $simulation" EXIT; '
                  'iverilog -g2005 -DMUTANT=$number -o $simulation "$@" || exit 1; '
                  'exec 3< <(exec stdbuf -oL vvp -n $simulation); sed -u /FAILED/q <&3; kill $! 2> /dev/null; exit 0')
        return Stage(name, lambda n: ["bash", "-c", script, "icarus", n, "-I", folder, "-I", self.rtl / "ni", "-I", self.rtl / "tile", "-s", top,
                                      *(f"-P{top}.{parameter}" for parameter in parameters), *sources],
                     folder, "^.*(?:verified|FAILED|wrong).*$", broken="error")

    def prepared(self, name, arguments):
        """Prepares a folder with the inputs of a network of tiles. A run without a mutant verifies its sums."""
        folder = self.folder / "networks" / name
        subprocess.run([ROOT / "tb" / "tile" / "simulate", "--coppice", self.coppice.resolve(), "--programs",
                        self.folder / "tb" / "tile", "--keep", folder, *arguments], check=True,
                       stdout=subprocess.DEVNULL)
        return folder

    @staticmethod
    def check(stage):
        """Checks that the test passes without a mutant, and sets its time limit accordingly."""
        began = time.monotonic()
        if not stage.passes(0):
            result = stage.run(0)
            raise SystemExit(f"{stage.name} fails without a mutant:\n" + (result.stdout + result.stderr)[-3000:])
        seconds = time.monotonic() - began
        stage.seconds = SLOW * seconds + SECONDS
        print(f"passes without a mutant: {stage.name} ({seconds:.1f} s)", flush=True)

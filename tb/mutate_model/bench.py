"""Builds the sources with mutants in a copy of the checkout, and runs its tests."""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import drawing

ROOT = drawing.ROOT
LEFT_OUT = {".git", "build", "results", "__pycache__"}
# The folders with unit tests, in the order of their libraries.
UNITS = tuple(re.findall(r"^coppice_unit_tests\((\w+)", (ROOT / "tb" / "unit" / "CMakeLists.txt").read_text(), re.MULTILINE))
# The Google Test programs outside tb/unit.
PROGRAMS = sorted(name for lists in (ROOT / "tb").glob("*/CMakeLists.txt")
                  for name in re.findall(r"^add_executable\((\w+_tests)\b", lists.read_text(), re.MULTILINE))
EXAMPLES = sorted(f"example_{source.stem}" for source in (ROOT / "tb" / "examples").glob("*.cpp"))
TARGETS = ["coppice", "coppice_verilog", "coppice_cosim_check", "unit_tests", *PROGRAMS, *EXAMPLES]
# Tests that run the model, by the first part of their names: unit tests, and then whole runs.
FOLDERS = rf"({'|'.join(UNITS)})\."
WIDE = r"golden$|command\.|fuzz\.|runs\.|cosim\.|examples\."
TEST_OF = re.compile(r"^\s*\w*(?:TEST|PROP)\w*\(\s*(\w+)", re.MULTILINE)
MEMORY = 6 << 30  # bytes per process
MARKS = 4096      # kMost in mutant.h

Test = collections.namedtuple("Test", "name command environment folder")


class Timed:
    """A test that passes without a mutant, the time that it takes, and the mutants that it reaches."""

    def __init__(self, test, seconds, reached):
        self.test, self.seconds, self.reached = test, seconds, reached


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run(test, mutant, seconds, scratch, reached=None):
    """Whether a test passes within SECONDS in a process with mutant number MUTANT."""
    environment = {**os.environ, **test.environment, "COPPICE_MUTANT": str(mutant), "TMPDIR": scratch}
    if reached:
        environment["COPPICE_MUTANTS_REACHED"] = reached
    process = subprocess.Popen(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limit)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        end(process)


def end(process):
    """Ends a process with its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Bench:
    """The copy and its tests. ONLY: builds and runs only the unit tests of these folders; empty: all tests."""

    def __init__(self, folder, jobs, only=()):
        self.jobs = jobs
        self.only = only
        self.targets = [f"{name}_tests" for name in only] or TARGETS
        self.copy = folder / "source"
        self.build_folder = self.copy / "build" / "release"
        self.log = folder / "build.log"

    def write(self, mutants):
        """Updates the copy and inserts MUTANTS; files that are unchanged are not written."""
        by_source = collections.defaultdict(list)
        for mutant in mutants:
            by_source[f"systemc/{mutant.source}"].append(mutant)
        self.places, kept = {}, set()
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            for name in files:
                path = pathlib.Path(folder) / name
                relative = str(path.relative_to(ROOT))
                kept.add(relative)
                content = path.read_bytes()
                if relative in by_source:
                    text, places = drawing.with_mutants(content.decode(), by_source[relative])
                    content = text.encode()
                    self.places[relative] = places
                target = self.copy / relative
                if not target.exists() or target.read_bytes() != content:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
                    shutil.copymode(path, target)
        for part in ("systemc", "tb"):
            for path in (self.copy / part).rglob("*"):
                if path.is_file() and "__pycache__" not in path.parts and str(path.relative_to(self.copy)) not in kept:
                    path.unlink()

    def build(self):
        """Builds the copy; returns the mutants that do not compile."""
        configure = ["cmake", "--preset", "release", "-DCOPPICE_LEVEL=-O1", "-DCOPPICE_BENCH=OFF"]
        with self.log.open("w") as log:
            subprocess.run(configure, cwd=self.copy, stdout=log, stderr=log, check=True)
            build = subprocess.Popen(["cmake", "--build", str(self.build_folder), "--parallel", str(self.jobs), "--target", *self.targets,
                                      "--", "-k", "0"], stdout=log, stderr=log, start_new_session=True)
            try:
                status = build.wait()
            finally:
                end(build)
        if status == 0:
            return set()
        said = set(re.findall(r"(systemc/[\w/]+\.cpp):(\d+)[:,]", self.log.read_text()))
        wrong = {mutant for source, line in said for mutant, lines in self.places.get(source, {}).items() if int(line) in lines}
        if not wrong:
            raise SystemExit(f"mutate_model: the build fails, but not because of a mutant: {self.log}")
        return wrong

    def tests(self):
        """Returns all tests; each is a process of its own."""
        listed = json.loads(subprocess.run(["ctest", "--test-dir", str(self.build_folder), "--show-only=json-v1"], capture_output=True,
                                           text=True, check=True).stdout)
        found = []
        names = f"({'|'.join(self.only)})\\." if self.only else f"{FOLDERS}|{WIDE}"
        for test in listed["tests"]:
            if not re.match(names, test["name"]) or "command" not in test or test["name"].endswith("_NOT_BUILT"):
                continue
            properties = {p["name"]: p["value"] for p in test["properties"]}
            environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
            folder = properties.get("WORKING_DIRECTORY", str(self.build_folder))
            part = re.match(r"(\w+)\.(\d+)_of_\d+$", test["name"])
            if not part:
                found.append(Test(test["name"], test["command"], environment, folder))
            elif part[2] == "1":
                program = test["command"][0]
                del environment["GTEST_TOTAL_SHARDS"], environment["GTEST_SHARD_INDEX"]
                found += [Test(f"{part[1]}.{name}", [program, f"--gtest_filter={name}"], environment, folder)
                          for name in names_of(program)]
        return found

    def measure(self, tests, mutants):
        """Returns the tests that pass with the unchanged sources, with their times and reached mutants, and the names
        of the other tests."""
        numbers = {mutant.number: mutant for mutant in mutants}

        def one(test):
            with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
                marks = pathlib.Path(scratch) / "reached"
                marks.write_bytes(bytes(MARKS))
                start = time.monotonic()
                passes = run(test, 0, 900, scratch, str(marks))
                seconds = time.monotonic() - start
                reached = {numbers[i] for i, mark in enumerate(marks.read_bytes()) if mark and i in numbers}
                return passes, Timed(test, seconds, reached)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            results = list(pool.map(one, tests))
        return [timed for passes, timed in results if passes], [timed.test.name for passes, timed in results if not passes]

    def command_of(self, source):
        """The entry of compile_commands.json for a source, or for a unit in which it is joined with others."""
        folder = source.split("/")[0]
        target = "coppice_verilog" if "/verilated/" in source else "coppice" if folder == "app" else f"coppice_{folder}"
        joined = None
        for entry in json.loads((self.build_folder / "compile_commands.json").read_text()):
            if entry["file"] == str(self.copy / "systemc" / source):
                return entry
            ours = f"/{target}.dir/" in entry["command"] and "_fast_" not in entry["command"]
            if ours and not entry["file"].endswith("cmake_pch.hxx.cxx"):
                joined = joined or entry
        return joined

    def equivalent(self, mutant):
        """Whether a mutant compiles to the same code as the original."""
        entry = self.command_of(mutant.source)
        words = shlex.split(entry["command"])
        for option in ("-MT", "-MF", "-o", "-c"):
            if option in words:
                at = words.index(option)
                del words[at:at + 2]
        text = (drawing.MODEL / mutant.source).read_text()
        objects = []
        with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
            source = pathlib.Path(scratch) / pathlib.Path(mutant.source).name
            for content in (text, drawing.mutated(text, mutant)):
                source.write_text(content)
                out = str(source.with_suffix(".o"))
                command = [word for word in words if word != "-MD"] + ["-w", "-O2", "-o", out, "-c", str(source)]
                if subprocess.run(command, cwd=entry["directory"], capture_output=True, check=False).returncode != 0:
                    return False
                subprocess.run(["strip", "--strip-all", out], check=True)
                objects.append(pathlib.Path(out).read_bytes())
        return objects[0] == objects[1]


def names_of(program):
    """The tests of a Google Test program."""
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    names, suite = [], ""
    for line in listed.splitlines():
        line = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.append(suite + line.strip())
        elif line.endswith("."):
            suite = line
    return names


def suites_below(folder):
    """Returns {test file below a folder: its suites}."""
    return {str(path.relative_to(folder)): set(TEST_OF.findall(path.read_text())) for path in folder.rglob("*_test.cpp")}


class Order:
    """The order of the tests for a mutant: those of its file, of its sub-folder, of its library, and then all others;
    fast tests first."""

    LAYERS = ("its file's", "its room's", "its folder's", "others")

    def __init__(self):
        self.suites = {folder.name: suites_below(folder) for folder in (ROOT / "tb" / "unit").iterdir() if folder.is_dir()}
        self.suites["app"] = suites_below(ROOT / "tb" / "system")

    def layer(self, mutant, test):
        folder, _, rest = mutant.source.partition("/")
        prefix, _, name = test.name.partition(".")
        if prefix != ("command" if folder == "app" else folder):
            return 3
        suites = set(name.split(".")[0].split("/"))
        files = self.suites.get(folder, {})
        if suites & files.get(rest.replace(".cpp", "_test.cpp"), set()):
            return 0
        room = str(pathlib.Path(rest).parent)
        if any(suites & held for file, held in files.items() if str(pathlib.Path(file).parent) == room):
            return 1
        return 2

    def tests_of(self, mutant, timed):
        chosen = [(self.layer(mutant, t.test), t.seconds, t.test.name, t) for t in timed if mutant in t.reached]
        return [(layer, t) for layer, _, _, t in sorted(chosen, key=lambda c: c[:3])]

#!/usr/bin/python3
"""Tests scripts/mutate_model: it finds the sites in a small source and changes nothing else, and a source with all
mutants behaves like the mutant whose number is selected.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tb" / "mutate_model"))

import bench  # noqa: E402: its folder is not an installed package
import drawing  # noqa: E402
import sites  # noqa: E402

SOURCE = r'''#include "a/b.h"  // 1 + 2

namespace coppice {
namespace {

constexpr int kTable[] = {1, 2 + 3};
struct Two {
  int first = 1;
};
constexpr int twice(int x) { return 2 * x; }

}  // namespace

Thing::Thing(int a) : a_{a + 1}, b_(a) { start(a); }

int low(int a, int b) {
  static constexpr int kMost = 7 + 1;
  std::vector<int> all;
  all.reserve(a + 4);
  if (a < b && b > 0) {
    all.push_back(a + b);  // removed if a > b
  }
  if (b == 8) throw ConfigError(fmt::format("{} + 1", a - 1));
  if (const auto* one = find(a)) return *one;
  for (int i = 0; i < b; ++i) all[i] = a;
  return std::min(a, b) + (b != 3 ? 1 : kMost);
}

}  // namespace coppice
'''

PROGRAM = r'''#include <cstdio>

int last = 0;
void set(int value) { last = value; }

int main() {
  const int a = 3;
  set(a + 4);
  if (last > 7) std::printf("more ");
  std::printf("%d\n", last);
  return 0;
}
'''


def mutants_of(text):
    return {(site.kind, text[site.start:site.end], what) for site in sites.Source(text).sites() for what, _ in site.mutants}


class Sites(unittest.TestCase):
    def test_operators_conditions_constants_and_statements_are_changed(self):
        found = mutants_of(SOURCE)
        for expected in [("comparison", "a < b", "'<' becomes '<='"), ("boolean", "a < b && b > 0", "'&&' becomes '||'"),
                         ("condition", "a < b && b > 0", "'a < b && b > 0' is negated"),
                         ("removal", "all.push_back(a + b)", "'all.push_back(a + b)' is left out"),
                         ("arithmetic", "a + b", "'+' becomes '-'"), ("condition", "b != 3", "'b != 3' is negated"),
                         ("extreme", "std::min(a, b) + (b != 3 ? 1 : kMost)", "'min' becomes 'max'"),
                         ("constant", "1", "'1' becomes '0'"), ("removal", "all[i] = a", "'all[i] = a' is left out"),
                         ("removal", "start(a)", "'start(a)' is left out"), ("comparison", "b == 8", "'==' becomes '!='")]:
            self.assertIn(expected, found)

    def test_tables_comments_errors_and_hints_are_not_changed(self):
        changed = " ".join(f"{old} {what}" for _, old, what in mutants_of(SOURCE))
        for text in ("reserve", "a + 4", "2 * x", "a > b", "a - 1", "7 + 1", "find", "2 + 3", "const auto"):
            self.assertNotIn(text, changed)

    def test_the_chosen_mutants_depend_only_on_the_seed(self):
        def drawn(seed):
            return [str(mutant) for mutant in drawing.Drawing(seed).draw(60)]

        self.assertEqual(drawn(3), drawn(3))
        self.assertNotEqual(drawn(3), drawn(4))
        rooms = {line.split("/")[1] for line in drawn(3)}
        self.assertTrue({"schedule", "system", "topology", "fabric", "workload", "config"} <= rooms)

    def test_named_mutants_are_in_the_sources(self):
        self.assertEqual(len(drawing.Drawing(1).named()), len(drawing.named.MUTANTS))


class Targets(unittest.TestCase):
    def test_every_folder_with_unit_tests_is_built_and_run(self):
        folders = {path.relative_to(ROOT / "tb" / "unit").parts[0] for path in (ROOT / "tb" / "unit").rglob("*_test.cpp")}
        self.assertEqual(set(bench.UNITS), folders)
        for folder in sorted(folders):
            self.assertRegex(f"{folder}.Suite.Test", bench.FOLDERS)

    def test_test_programs_and_examples_are_built_and_run(self):
        lists = "".join(path.read_text() for path in (ROOT / "tb").glob("*/CMakeLists.txt"))
        for program in ("command_tests", "fuzz_tests", "cosim_tests", "ni_model_tests", "example_small_simulator"):
            self.assertIn(program, bench.TARGETS)
            self.assertIn(f"add_executable({program} ", lists)
        for prefix in re.findall(r"TEST_PREFIX (\w+)\.", lists):
            self.assertRegex(f"{prefix}.Suite.Test", bench.WIDE)
        self.assertEqual(len(bench.TARGETS), len(set(bench.TARGETS)))

    def test_only_sources_without_unit_tests_have_only_whole_runs(self):
        whole_runs = {line.split("/")[1] for line in (str(m) for m in drawing.Drawing(1).draw(150))} - set(bench.UNITS)
        self.assertLessEqual(whole_runs, {"app", "cosim"})


class Processes(unittest.TestCase):
    def test_each_process_is_its_selected_mutant(self):
        found = []
        for site in sites.Source(PROGRAM).sites():
            for what, new in site.mutants:
                mutant = drawing.Mutant.__new__(drawing.Mutant)
                mutant.source, mutant.site, mutant.what, mutant.new = "p.cpp", site, what, new
                mutant.old = PROGRAM[site.start:site.end]
                if not any(mutant.overlaps(other) for other in found):
                    found.append(mutant)
        for number, mutant in enumerate(found, 1):
            mutant.number = number
        by_what = {mutant.what: mutant.number for mutant in found}
        with tempfile.TemporaryDirectory() as folder:
            source, program, marks = (pathlib.Path(folder) / name for name in ("p.cpp", "p", "marks"))
            text, places = drawing.with_mutants(PROGRAM, found)
            for mutant in found:
                lines = text.splitlines()[places[mutant].start - 1:places[mutant].stop - 1]
                self.assertIn(f"coppice_mutant({mutant.number})", "".join(lines))
            source.write_text(text)
            subprocess.run(["g++", "-std=c++20", "-w", "-O0", str(source), "-o", str(program)], check=True)
            marks.write_bytes(bytes(4096))

            def said(number):
                environment = {**os.environ, "COPPICE_MUTANT": str(number), "COPPICE_MUTANTS_REACHED": str(marks)}
                return subprocess.run([program], env=environment, capture_output=True, text=True, check=True).stdout

            self.assertEqual(said(0), "7\n")
            reached = {number for number, mark in enumerate(marks.read_bytes()) if mark}
            self.assertIn(by_what["'set(a + 4)' is left out"], reached)
            self.assertEqual(said(by_what["'set(a + 4)' is left out"]), "0\n")
            self.assertEqual(reached, {mutant.number for mutant in found if "more" not in mutant.what})
            negated = by_what.get("'last > 7' is negated") or by_what.get("'>' becomes '>='")
            self.assertEqual(said(negated), "more 7\n")


if __name__ == "__main__":
    unittest.main()

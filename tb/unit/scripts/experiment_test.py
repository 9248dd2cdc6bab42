#!/usr/bin/python3
"""Tests experiment files: the runs that they define, and the messages about mistakes."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "experiments"))

import experiment  # noqa: E402: its folder is not a package
import inputs  # noqa: E402
import quantity  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("table", str(ROOT / "scripts" / "experiments" / "table"))
table = importlib.util.module_from_spec(importlib.util.spec_from_loader("table", LOADER))
LOADER.exec_module(table)

SMALL = """
title: small
base: configs/systems/torus_4x4.yaml
settings: {check: contributions, system.topology.dims: [4, 4]}
axes:
  - {name: size, key: collective.size, values: [32 KiB, 1 MiB]}
  - name: algorithm
    values:
      ring: {collective.algorithm: ring}
      mesh: {collective.algorithm: multitree, base: configs/systems/mesh_4x4.yaml}
columns: {cycles: cycles}
plot: {kind: bars}
"""


def load(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "what.yaml")
        path.write_text(text, encoding="utf-8")
        return experiment.load(path)


class Points(unittest.TestCase):
    def test_settings_that_start_with_dashes_are_options_of_the_command(self):
        what = load(SMALL.replace("settings: {", 'command: traffic\nsettings: {--rate: 0.1, '))
        words = what.points(full=True)[0].arguments()
        self.assertEqual(words[:2], ["--rate", "0.1"])
        self.assertEqual(words[2:4], ["--set", "check=contributions"])

    def test_are_all_combinations_and_the_first_axis_varies_slowest(self):
        points = load(SMALL).points(full=False)
        self.assertEqual([tuple(point.labels.values()) for point in points],
                         [("32 KiB", "ring"), ("32 KiB", "mesh"), ("1 MiB", "ring"), ("1 MiB", "mesh")])
        self.assertEqual(points[1].system, "configs/systems/mesh_4x4.yaml")
        self.assertEqual(points[0].arguments(),
                         ["--set", "check=contributions", "--set", "system.topology.dims=[4, 4]",
                          "--set", "collective.size=32 KiB", "--set", "collective.algorithm=ring"])

    def test_exclude_what_is_excluded_or_only_for_full_runs(self):
        what = load(SMALL + "exclude: [{size: 32 KiB, algorithm: ring}]\nfull_only: [{algorithm: [mesh]}]\n")
        self.assertEqual(len(what.points(full=False)), 1)
        self.assertEqual(len(what.points(full=True)), 3)

    def test_have_unique_names_that_do_not_depend_on_the_order_of_settings(self):
        points = load(SMALL).points(full=True)
        self.assertEqual(len({point.id for point in points}), 4)
        first = points[0]
        turned = experiment.Point(first.labels, first.system, tuple(reversed(first.settings)))
        self.assertEqual(turned.id[-10:], first.id[-10:])


    def test_fill_in_labels_and_override_single_combinations(self):
        what = load(SMALL.replace("{check: contributions,", "{check: contributions, note: '[{size: {size}}]',")
                    + "overrides: [{where: {size: 1 MiB, algorithm: mesh}, settings: {seed: 7}}]\n"
                    + "command: route\n")
        points = what.points(full=False)
        self.assertIn(("note", "[{size: 32 KiB}]"), points[0].settings)
        self.assertEqual([dict(point.settings).get("seed") for point in points], [None, None, None, "7"])
        self.assertEqual({point.command for point in points}, {"route"})
        self.assertNotEqual(points[0].id, experiment.Point({}, points[0].system, points[0].settings).id)


class Columns(unittest.TestCase):
    def test_are_found_by_name_by_number_and_as_a_mean_of_a_list(self):
        result = {"time": "1 KiB", "jobs": [{"slowdown": 1.0, "times": [3, 4]}, {"slowdown": 2.0, "times": [5, 6]}]}
        self.assertEqual(table.lookup(result, "time", "r"), 1024)
        self.assertEqual(table.lookup(result, "jobs.1.slowdown", "r"), 2.0)
        self.assertEqual(table.lookup(result, "jobs.*.slowdown", "r"), 1.5)
        self.assertEqual(table.lookup(result, "jobs.*.times.1", "r"), 5)
        self.assertEqual(table.lookup(result, "jobs.0.times.2?", "r"), "")
        self.assertEqual(table.lookup(result, "jobs.0.times.1?", "r"), 4)
        self.assertEqual(table.lookup({"part": [1, 3, 8]}, "part.0+2", "r"), 2)
        self.assertEqual(table.lookup({"part": [1, 3, 8]}, "part.2+2?", "r"), 8)
        self.assertEqual(table.lookup({"part": [1, 3, 8]}, "part.4+4?", "r"), "")
        for path in ("jobs.2.slowdown", "jobs.slowdown", "time.0"):
            with self.assertRaisesRegex(experiment.ExperimentError, "has no"):
                table.lookup(result, path, "r")


class Inputs(unittest.TestCase):
    """A result is out of date if a file that its run reads has changed."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        for name in ("net.graph", "net.anynet", "net.yml", "tables.json", "own.csv", "trace.0.et", "trace.1.et"):
            pathlib.Path(name).write_text(name, encoding="utf-8")
        pathlib.Path("configs/workloads").mkdir(parents=True)
        pathlib.Path("configs/workloads/ncf.csv").write_text("", encoding="utf-8")

    def inputs(self, system, **settings):
        pathlib.Path("system.yaml").write_text(system, encoding="utf-8")
        keys = tuple((key.replace("__", "."), value) for key, value in settings.items())
        return inputs.of(experiment.Point({}, "system.yaml", keys))

    def test_are_the_files_that_a_system_names(self):
        self.assertEqual(self.inputs("system: {topology: {kind: file, file: net.graph}}\n"),
                         ["system.yaml", "net.graph"])
        self.assertEqual(self.inputs("system: {topology: {kind: hierarchy, dimensions: net.yml}}\n"),
                         ["system.yaml", "net.yml"])
        self.assertEqual(self.inputs("collective: {algorithm: file, file: tables.json}\n"),
                         ["system.yaml", "tables.json"])
        self.assertEqual(self.inputs("program: {trace: trace}\n"), ["system.yaml", "trace.0.et", "trace.1.et"])

    def test_are_the_files_that_settings_name(self):
        self.assertEqual(self.inputs("{}", system__topology="{kind: file, file: net.anynet}"),
                         ["system.yaml", "net.anynet"])
        self.assertEqual(self.inputs("{}", training__model="ncf", seed="1"), ["system.yaml", "configs/workloads/ncf.csv"])
        self.assertEqual(self.inputs("training: {model: own.csv}\n"), ["system.yaml", "own.csv"])

    def test_are_no_other_files(self):
        self.assertEqual(self.inputs("system: {topology: {kind: torus, dims: [4, 4]}}\nnot: [yaml\n"), ["system.yaml"])
        self.assertEqual(self.inputs("system: {topology: {kind: torus, file: missing.graph}}\n"), ["system.yaml"])


class LeftOut(unittest.TestCase):
    """The table does not have points that the command refuses."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.what = self.folder / "small.yaml"
        self.what.write_text(SMALL, encoding="utf-8")

    def left_out(self, status, log):
        path = self.folder / "log"
        path.write_text(log, encoding="utf-8")
        script = ROOT / "scripts" / "experiments" / "left_out"
        return subprocess.run([script, str(status), path, self.folder / "refused.json"], check=False).returncode

    def table(self, refused):
        points = experiment.load(self.what).points(full=True)
        for position, point in enumerate(points):
            result = {"verified": "values", "cycles": 100 + position}
            if position in refused:
                result = json.loads((self.folder / "refused.json").read_text(encoding="utf-8"))
            (self.folder / f"{point.id}.json").write_text(json.dumps(result), encoding="utf-8")
        script = ROOT / "scripts" / "experiments" / "table"
        return subprocess.run([script, self.what, "--full", "--points", self.folder, "--out", self.folder / "t.csv",
                               "--left-out", self.folder / "l.csv"], capture_output=True, text=True, check=False)

    def test_is_a_refused_combination_but_not_a_failed_run(self):
        self.assertEqual(self.left_out(1, "deadlock\n"), 1)
        self.assertFalse((self.folder / "refused.json").exists())
        self.assertEqual(self.left_out(2, "a.yaml:1:2: warning: x has no effect\na.yaml:3:4: too many\n"), 0)
        self.assertEqual(json.loads((self.folder / "refused.json").read_text(encoding="utf-8"))["reason"],
                         "a.yaml:3:4: too many")

    def test_is_listed_in_a_file_of_its_own(self):
        self.left_out(2, "a.yaml:3:4: too many\n")
        done = self.table({1})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "t.csv").read_text(encoding="utf-8"),
                         "size,algorithm,cycles\n32 KiB,ring,100\n1 MiB,ring,102\n1 MiB,mesh,103\n")
        self.assertEqual((self.folder / "l.csv").read_text(encoding="utf-8"),
                         "size,algorithm,reason\n32 KiB,mesh,a.yaml:3:4: too many\n")
        self.assertEqual(done.stderr, "table: small: left out 32 KiB, mesh: a.yaml:3:4: too many\n")

    def test_is_an_error_if_no_point_remains(self):
        self.left_out(2, "a.yaml:3:4: too many\n")
        done = self.table({0, 1, 2, 3})
        self.assertEqual(done.returncode, 1)
        self.assertIn("every run was refused; the first reason: a.yaml:3:4: too many", done.stderr)


class Mistakes(unittest.TestCase):
    def assert_refused(self, text, message):
        with self.assertRaisesRegex(experiment.ExperimentError, message):
            load(text).points(full=False)

    def test_are_reported(self):
        self.assert_refused(SMALL.replace("title", "titel"), "an experiment has no 'titel'; known are axes")
        self.assert_refused(SMALL.replace("base: configs/systems/torus", "# "), "base is missing")
        self.assert_refused(SMALL + "exclude: [{colour: red}]", "exclude has no 'colour'; known are algorithm, size")
        self.assert_refused(SMALL + "exclude: [{size: 2 KiB}]", "exclude: size has no '2 KiB'")
        self.assert_refused(SMALL + "exclude: [{size: [32 KiB, 1 MiB]}]", "no run is left")
        self.assert_refused(SMALL.replace("{cycles: cycles}", "{size: cycles}"), "'size' names an axis and a column")
        self.assert_refused(SMALL.replace("[32 KiB, 1 MiB]", "[1 MiB, 1 MiB]"), "values must be different")
        self.assert_refused(SMALL + "command: walk", "command has no 'walk'; known are chunks, route, run")
        self.assert_refused(SMALL + "overrides: [{where: {size: 32 KiB}}]", "an override needs where and settings")
        self.assert_refused("- 1", "an experiment must be a mapping")
        self.assert_refused("{", "what.yaml")


class Shipped(unittest.TestCase):
    def test_experiments_load_and_name_systems_that_exist(self):
        files = sorted((ROOT / "configs" / "experiments").glob("*/*.yaml"))
        self.assertTrue(files)
        for path in files:
            for point in experiment.load(path).points(full=True):
                self.assertTrue((ROOT / point.system).exists(), f"{path}: {point.system}")


class Quantity(unittest.TestCase):
    def test_reads_sizes_and_numbers(self):
        self.assertEqual(quantity.number("32 KiB"), 32768)
        self.assertEqual(quantity.number("1 MB"), 10 ** 6)
        self.assertEqual(quantity.number("16"), 16)
        self.assertIsNone(quantity.number("ring"))


if __name__ == "__main__":
    unittest.main()

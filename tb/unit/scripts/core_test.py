#!/usr/bin/python3
"""Tests that rtl/coppice.core names every file of rtl/ once, that its targets are whole designs, and that its
parameters are those of the top module.
"""

import pathlib
import re
import subprocess
import unittest

import yaml

RTL = pathlib.Path(__file__).resolve().parents[3] / "rtl"
CORE = yaml.safe_load((RTL / "coppice.core").read_text().removeprefix("CAPI=2:\n"))


def files_of(fileset):
    return [next(iter(file)) if isinstance(file, dict) else file for file in CORE["filesets"][fileset]["files"]]


class Core(unittest.TestCase):
    def test_every_file_is_named_once(self):
        named = [file for fileset in CORE["filesets"] for file in files_of(fileset)]
        self.assertEqual(sorted(named), sorted(str(path.relative_to(RTL)) for path in RTL.rglob("*.v*")))

    def test_targets_are_whole_designs(self):
        for name, target in CORE["targets"].items():
            sources = [str(RTL / file) for fileset in target["filesets"] for file in files_of(fileset) if file.endswith(".v")]
            command = ["iverilog", "-g2005", "-t", "null", "-I", str(RTL / "tile"), "-I", str(RTL / "ni"), "-s", target["toplevel"], *sources]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)

    def test_parameters_and_defaults_are_those_of_the_top_module(self):
        top = (RTL / "tile" / "axi_tile.v").read_text()
        for name, parameter in CORE["parameters"].items():
            found = re.search(rf"parameter {name} = (\d+)", top)
            self.assertIsNotNone(found, name)
            self.assertEqual(int(found[1]), parameter["default"], name)
        for target in CORE["targets"].values():
            self.assertLessEqual(set(target.get("parameters", [])), set(CORE["parameters"]))


if __name__ == "__main__":
    unittest.main()

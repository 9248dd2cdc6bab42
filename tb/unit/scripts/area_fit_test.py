#!/usr/bin/python3
"""Tests scripts/area_fit: constants of known formulas, points that do not determine them, and the file of constants."""

import importlib.machinery
import importlib.util
import itertools
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "area_fit"
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

from hardware.errors import HardwareError  # noqa: E402: its folder is not an installed package

LOADER = importlib.machinery.SourceFileLoader("area_fit", str(SCRIPT))
area_fit = importlib.util.module_from_spec(importlib.util.spec_from_loader("area_fit", LOADER))
LOADER.exec_module(area_fit)


class Fit(unittest.TestCase):
    def test_finds_the_constants_behind_the_gates(self):
        for of in (area_fit.Router, area_fit.Interface):
            constants = [3 + 2 * i for i in range(len(of.constants))]
            points = [(terms, sum(factor * term for factor, term in zip(constants, terms)))
                      for terms in (of.terms(*size) for size in of.fitted)]
            for found, made in zip(area_fit.fit(points), constants):
                self.assertAlmostEqual(found, made, places=9)

    def test_minimises_relative_errors(self):
        # 10 and 1,000 gates with a constant c: (c / 10 - 1)^2 + (10 c / 1000 - 1)^2 is smallest at 0.11 / 0.0101.
        self.assertAlmostEqual(area_fit.fit([([1], 10), ([10], 1000)])[0], 0.11 / 0.0101)

    def test_too_few_points_are_refused(self):
        with self.assertRaisesRegex(HardwareError, "add points"):
            area_fit.fit([([1, 2], 10), ([2, 4], 20)])

    def test_no_point_is_both_fitted_and_unseen(self):
        for of in (area_fit.Router, area_fit.Interface):
            self.assertFalse(set(of.fitted) & set(of.unseen))

    def test_the_model_has_these_constants_and_bits(self):
        text = (ROOT / "configs/hardware/osu018.yaml").read_text()
        written = {name: float(value) for name, value in re.findall(r"^  (\w+): ([0-9.]+)", text, re.MULTILINE)}
        self.assertEqual([name for name in written if re.match("router_|interface_", name) and not name.endswith("_pj")],
                         list(itertools.chain(area_fit.Router.constants, area_fit.Interface.constants)))
        self.assertEqual((written["entry_bits"], written["queue"]), (area_fit.LINE, area_fit.QUEUE))


if __name__ == "__main__":
    unittest.main()

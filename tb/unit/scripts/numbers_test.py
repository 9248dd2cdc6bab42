#!/usr/bin/python3
"""Tests scripts/docs/numbers: how numbers in a page are found and compared as printed, and differences in words."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOADER = importlib.machinery.SourceFileLoader("numbers_of_docs", str(ROOT / "scripts/docs/numbers"))
numbers = importlib.util.module_from_spec(importlib.util.spec_from_loader("numbers_of_docs", LOADER))
sys.dont_write_bytecode = True
LOADER.exec_module(numbers)


class Numbers(unittest.TestCase):
    def test_finds_numbers_in_rows_and_in_wrapped_sentences(self):
        page = "Title\n\nIt takes 4.84 ms\ninstead of 6.91 ms.\n\n| a | 1,234 | **56** |\n"
        line, match = numbers.place_of("takes {} ms instead of {} ms", page)
        self.assertEqual((line, match.groups()), (3, ("4.84", "6.91")))
        self.assertEqual(numbers.place_of("| a | ... | {} |", page)[1].groups(), ("56",))
        self.assertEqual(numbers.place_of("It takes {}", "It takes 1,035,651 cycles")[1].groups(), ("1,035,651",))
        with self.assertRaisesRegex(numbers.Failed, "the page has no text like"):
            numbers.place_of("takes {},", "takes 1,035 cycles")

    def test_rejects_a_text_that_is_missing_or_occurs_twice(self):
        with self.assertRaisesRegex(numbers.Failed, "the page has no text like"):
            numbers.place_of("takes {} s", "takes 4 ms")
        with self.assertRaisesRegex(numbers.Failed, "the page has 2 texts like"):
            numbers.place_of("takes {} s", "takes 4 s, takes 5 s")

    def test_compares_numbers_as_printed(self):
        self.assertTrue(numbers.same("4.84", 4.8429, 0))
        self.assertFalse(numbers.same("4.84", 4.8451, 0))
        self.assertTrue(numbers.same("1,234", 1234.4, 0))
        self.assertTrue(numbers.same("1.3e11", 1.31e11, 0))
        self.assertFalse(numbers.same("1.3e11", 1.4e11, 0))
        self.assertTrue(numbers.same("−81", -81.2, 0))

    def test_accepts_ranges_and_allowed_differences(self):
        self.assertTrue(numbers.same("13.0 to 14.3", 13.7, 0))
        self.assertFalse(numbers.same("13.0 to 14.3", 12.0, 0))
        self.assertTrue(numbers.same("13.0 to 14.3", 12.0, 0.1))
        self.assertTrue(numbers.same("0.15", 0.2, 0.5))
        self.assertFalse(numbers.same("0.15", 0.3, 0.5))

    def test_prints_new_numbers_in_the_form_of_old_ones(self):
        self.assertEqual(numbers.in_form_of("44,354", 44360.4), "44,360")
        self.assertEqual(numbers.in_form_of("+6.0", 6.21), "+6.2")
        self.assertEqual(numbers.in_form_of("−81", -75.2), "−75")

    def test_reads_json_and_expressions(self):
        self.assertEqual(numbers.values_of({"json": ["a.0.b"], "scale": "1e-3"}, '{"a": [{"b": 5000}]}'), [5])
        self.assertEqual(numbers.values_of({"match": r"^x +([\d,]+)"}, "y 1\nx  2,000\n"), [2000])

    def test_repeats_an_entry_with_each(self):
        page = {"numbers": [{"run": "do <a>", "json": ["<a>.x"], "each": [{"a": 1}, {"a": 2}]}]}
        self.assertEqual(list(numbers.entries(page)), [{"run": "do 1", "json": ["1.x"]}, {"run": "do 2", "json": ["2.x"]}])

    def test_lists_changed_words(self):
        with tempfile.TemporaryDirectory() as folder:
            before, after = pathlib.Path(folder, "a.md"), pathlib.Path(folder, "b.md")
            before.write_text("same\n| ring | 44,354 | 1 |\n")
            after.write_text("same\n| ring | 44,360 | 1 |\n")
            self.assertEqual(list(numbers.word_differences(before, after, "a.md")), ["a.md:2: 44,354 → 44,360"])
            self.assertEqual(list(numbers.word_differences(before, before, "a.md")), [])


if __name__ == "__main__":
    unittest.main()

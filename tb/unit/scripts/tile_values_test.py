#!/usr/bin/python3
"""Tests the values in tb/tile/simulate: their sums are exact in any order."""

import importlib.machinery
import importlib.util
import pathlib
import random
import struct
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tile" / "simulate"
LOADER = importlib.machinery.SourceFileLoader("simulate", str(SCRIPT))
SPEC = importlib.util.spec_from_loader("simulate", LOADER)
simulate = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(simulate)


def number(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def rounded(kind, value):
    """The nearest value of the type; values of bf16 must be exact."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return number(bits & 0xffff0000) if kind == "bf16" else number(bits)


def numbers(kind, word):
    return [number((word & 0xffff) << 16), number(word & 0xffff0000)] if kind == "bf16" else [number(word)]


class Values(unittest.TestCase):
    def check(self, kind, nodes, runs, words=40):
        generator = random.Random(nodes * 10 + runs)
        before, after = simulate.values_of(kind, nodes, words, runs, generator)
        memory = [before[node * words:(node + 1) * words] for node in range(nodes)]
        for run in range(runs):
            expected = after[run * nodes * words:(run + 1) * nodes * words]
            for word in range(words):
                order = list(range(nodes))
                generator.shuffle(order)
                sums = [0.0] * len(numbers(kind, before[0]))
                for node in order:
                    for part, value in enumerate(numbers(kind, memory[node][word])):
                        sums[part] += value
                        self.assertEqual(sums[part], rounded(kind, sums[part]), f"{kind}, {nodes} nodes, run {run}")
                for node in range(nodes):
                    self.assertEqual(numbers(kind, expected[node * words + word]), sums)
            memory = [expected[node * words:(node + 1) * words] for node in range(nodes)]
        self.assertGreater(len(set(after)), 1)

    def test_have_exact_sums_in_any_order(self):
        for kind, nodes, runs in [("bf16", 20, 2), ("bf16", 20, 1), ("bf16", 4, 4), ("bf16", 16, 3), ("bf16", 200, 1),
                                  ("fp32", 20, 2), ("fp32", 20, 5), ("fp32", 1024, 2)]:
            with self.subTest(kind=kind, nodes=nodes, runs=runs):
                self.check(kind, nodes, runs)

    def test_wrap_around_as_integers(self):
        before, after = simulate.values_of("int32", 3, 5, 2, random.Random(1))
        for word in range(5):
            total = sum(before[node * 5 + word] for node in range(3))
            self.assertEqual(after[word], total % 2**32)
            self.assertEqual(after[15 + word], 3 * total % 2**32)

    def test_are_rejected_if_only_zero_sums_are_exact(self):
        for kind, nodes, runs in [("bf16", 20, 3), ("bf16", 300, 1), ("fp32", 1024, 4)]:
            with self.assertRaisesRegex(simulate.Refused, f"{runs} runs of {kind} on {nodes} accelerators"):
                simulate.values_of(kind, nodes, 4, runs, random.Random(1))


if __name__ == "__main__":
    unittest.main()

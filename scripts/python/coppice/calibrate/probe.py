"""Runs the model of a machine: to determine the shape of each algorithm, and to time single collectives."""

from __future__ import annotations

import concurrent.futures
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from coppice.calibrate.fit import Shape
from coppice.command import CoppiceError, call
from coppice.config import Config
from coppice.runs import run

# The sizes of the probes. The time of the first depends almost only on latency, the difference between the other two
# only on bandwidth.
SMALL, LARGE, LARGER = 64 << 10, 256 << 20, 1 << 30
# A message from one accelerator to another is modelled as a broadcast between the two.
MODELLED_AS = {"send_recv": "broadcast"}
FREE = {"system.ni.launch": "0 ns", "system.ni.protocols": []}


def settings(operation: str, ranks: int, size: int, accelerators: int) -> dict[str, Any]:
    """The keys of one collective over the first `ranks` accelerators."""
    keys: dict[str, Any] = {"collective.op": MODELLED_AS.get(operation, operation), "collective.size": f"{size} B"}
    if ranks != accelerators:
        keys["collective.group"] = list(range(ranks))
    return keys


def shape(config: Config, operation: str, ranks: int, accelerators: int, algorithm: str) -> Shape | None:
    """The algorithm's shape on the machine without launch times and protocols; None if the algorithm does not apply."""

    def time_us(size: int, setup: str = "0 ns") -> float:
        keys = settings(operation, ranks, size, accelerators)
        keys |= {**FREE, "collective.algorithm": algorithm, "system.ni.message_setup": setup}
        return run(config, **keys).time_ns / 1e3

    try:
        small, set_up = time_us(SMALL), time_us(SMALL, "1 us")
        large, larger = time_us(LARGE), time_us(LARGER)
    except CoppiceError as error:
        if error.status == 2:
            return None
        raise
    slope = (larger - large) / (LARGER - LARGE)
    return Shape(algorithm, max(0.0, small - slope * SMALL), set_up - small, slope)


def times_us(config: Config, cases: Iterable[tuple[str, int, int]], accelerators: int,
             overrides: Mapping[str, Any] | None = None) -> dict[tuple[str, int, int], float]:
    """The model's time of each (operation, ranks, bytes), on all cores."""

    def one(case: tuple[str, int, int]) -> tuple[tuple[str, int, int], float]:
        return case, run(config, **{**settings(*case, accelerators), **(overrides or {})}).time_ns / 1e3

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(pool.map(one, dict.fromkeys(cases)))


def accelerators(config: Config) -> int:
    """The number of accelerators of the machine."""
    return int(json.loads(call(["topology", os.fspath(config), "--format", "json"]))["accelerators"])

"""Fits protocols to measured times: straight lines over ranges of sizes, for each operation and rank count, by least
squares."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy
from scipy.optimize import nnls

LARGE = 1 << 20  # bytes; from this size on, bandwidth dominates the time
# These algorithms divide large buffers into pieces and rails, and each piece would pay for the setup of every step.
PIPELINED = {"rail_ring", "rail_tree", "nvls"}
LEAST_EFFICIENCY = 0.01  # the minimum that system.ni.protocols accepts
MEASUREMENT_NOISE = 0.02  # relative error; all smaller errors have the same weight


@dataclasses.dataclass(frozen=True)
class Shape:
    """The cost of an algorithm on a machine without launch times, message setups and protocols:
    time = latency + bytes * slope.

    `steps` is the number of consecutive message setups on the critical path.
    """

    algorithm: str
    latency_us: float
    steps: float
    us_per_byte: float


@dataclasses.dataclass
class Protocol:
    """A series' line for sizes `start` to `up_to` (bytes; None: no limit)."""

    algorithm: str
    launch_us: float
    setup_us: float
    efficiency: float
    start: int | None = None
    up_to: int | None = None

    def time_us(self, shape: Shape, size: numpy.ndarray) -> numpy.ndarray:
        return self.launch_us + shape.latency_us + self.setup_us * shape.steps + shape.us_per_byte * size / self.efficiency


def _line(sizes: numpy.ndarray, times: numpy.ndarray) -> tuple[float, float, float]:
    """Intercept and slope (not negative) of the line with the smallest absolute relative errors, and the line's cost.

    With a single size, only one of the two can be fitted: the slope if the size is large, otherwise the intercept.
    """
    if len(numpy.unique(sizes)) == 1:
        middle = float(numpy.median(times))
        cost = float(numpy.abs(numpy.log(times / middle)).sum())
        return (0.0, middle / float(sizes[0]), cost) if sizes[0] >= LARGE else (middle, 0.0, cost)
    rows = numpy.c_[numpy.ones_like(sizes), sizes] / times[:, None]
    scale = numpy.abs(rows).max(axis=0)
    weights = numpy.ones_like(times)
    for _ in range(8):
        solution, _ = nnls(rows / scale * weights[:, None], weights)
        weights = 1 / numpy.sqrt(numpy.abs(rows @ (solution / scale) - 1) + MEASUREMENT_NOISE)
    intercept, slope = solution / scale
    errors = numpy.abs(numpy.log(numpy.maximum(rows @ (solution / scale), 1e-9)))
    return float(intercept), float(slope), float(errors.sum() + 2.5 * (errors**2).sum())


def segments(sizes: numpy.ndarray, times: numpy.ndarray, most: int, least_points: int = 3,
             price: float = 0.1) -> list[tuple[float, float, float, float]]:
    """The best division of the sizes into at most `most` ranges with one line each, as (first, last, intercept, slope).

    Found by dynamic programming over the distinct sizes. A range has at least `least_points` sizes, and each range
    after the first must reduce the total cost of the lines by at least `price`.
    """
    distinct = numpy.unique(sizes)
    count = len(distinct)
    least_points = min(least_points, count)
    lines: dict[tuple[int, int], tuple[float, float, float]] = {}

    def line(i: int, j: int) -> tuple[float, float, float]:
        if (i, j) not in lines:
            inside = (sizes >= distinct[i]) & (sizes <= distinct[j - 1])
            lines[i, j] = _line(sizes[inside], times[inside])
        return lines[i, j]

    best: list[list[tuple[float, list[int]] | None]] = [[None] * (count + 1) for _ in range(most + 1)]
    best[0][0] = (0.0, [0])
    for k in range(1, most + 1):
        for j in range(least_points, count + 1):
            ways = [(before[0] + line(i, j)[2] + price, [*before[1], j])
                    for i in range(j - least_points + 1) if (before := best[k - 1][i]) is not None]
            best[k][j] = min(ways, default=None)
    _, ends = min(way for k in range(1, most + 1) if (way := best[k][count]) is not None)
    return [(float(distinct[i]), float(distinct[j - 1]), *line(i, j)[:2]) for i, j in zip(ends, ends[1:])]


def setup_of_step(smallest: dict[int, float], shapes: dict[int, Shape]) -> float:
    """The setup time of a step in microseconds, from the times of the smallest messages at several rank counts.

    With a single rank count, the launch cannot be told apart from the steps, and half of the time is attributed to the
    steps.
    """
    ranks = sorted(smallest)
    if len(ranks) == 1:
        shape = shapes[ranks[0]]
        return max(0.0, smallest[ranks[0]] - shape.latency_us) / 2 / max(shape.steps, 1.0)
    rows = numpy.array([[1.0, shapes[n].steps] for n in ranks])
    times = numpy.array([smallest[n] - shapes[n].latency_us for n in ranks])
    solution, _ = nnls(rows / times[:, None].clip(1e-3), numpy.ones_like(times))
    return float(solution[1])


def fit_series(sizes: Sequence[float], times: Sequence[float], shapes: Sequence[Shape], setup_us: float,
               most: int) -> list[Protocol]:
    """The protocols of one operation and rank count, ordered by size.

    If a line is steeper than that of the first shape, the protocol uses the first shape with an efficiency below 1.
    Otherwise it uses the next shape (a reducing switch moves fewer bytes than a ring). Between two ranges, both
    protocols can be used.
    """
    size, time = numpy.asarray(sizes, float), numpy.asarray(times, float)
    found = segments(size, time, most, 3 if len(numpy.unique(size)) >= 9 else 2)
    protocols = []
    for index, (first, last, intercept, slope) in enumerate(found):
        fitting = [shape for shape in shapes if slope >= shape.us_per_byte * 0.98]
        shape = fitting[0] if fitting else min(shapes, key=lambda s: s.us_per_byte)
        efficiency = shape.us_per_byte / slope if slope > 0 else 1.0
        if not LEAST_EFFICIENCY <= efficiency <= 1:
            efficiency = min(1.0, max(efficiency, LEAST_EFFICIENCY))
            inside = (size >= first) & (size <= last)
            intercept = float(numpy.median(time[inside] - shape.us_per_byte / efficiency * size[inside]))
        rest = max(0.0, intercept - shape.latency_us)
        step = 0.0 if index > 0 and shape.algorithm in PIPELINED else min(setup_us, rest / max(shape.steps, 1.0))
        protocol = Protocol(shape.algorithm, rest - step * shape.steps, step, efficiency)
        if index > 0:
            protocol.start = int(found[index - 1][1] * 33 / 32) + 1
        if index + 1 < len(found):
            protocol.up_to = int(found[index + 1][0] * 31 / 32)
        protocols.append(protocol)
    return protocols


def expected(protocols: Sequence[Protocol], shapes: dict[str, Shape], size: float) -> float:
    """The minimum time, in microseconds, of the protocols available for a size."""
    offered = [p for p in protocols if (p.start or 0) <= size <= (p.up_to or float("inf"))]
    return min(float(p.time_us(shapes[p.algorithm], numpy.float64(size))) for p in offered)

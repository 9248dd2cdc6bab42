"""Dominance, Pareto fronts and the volume that they dominate. Objectives are minimized: negate what is maximized."""

from __future__ import annotations

from collections.abc import Sequence

import numpy


def ranks(values: Sequence[Sequence[float]]) -> list[int]:
    """Each point's front: 0 if no point dominates it, 1 if only points of front 0 do, and so on."""
    left = numpy.asarray(values, dtype=float)
    if left.size == 0:
        return []
    rank = numpy.full(len(left), -1)
    open_points = numpy.arange(len(left))
    level = 0
    while len(open_points):
        own = left[open_points]
        dominated = numpy.zeros(len(own), dtype=bool)
        for i, point in enumerate(own):
            dominated[i] = numpy.any(numpy.all(own <= point, axis=1) & numpy.any(own < point, axis=1))
        rank[open_points[~dominated]] = level
        open_points = open_points[dominated]
        level += 1
    return rank.tolist()


def hypervolume(values: Sequence[Sequence[float]], reference: Sequence[float]) -> float:
    """The volume that the points dominate, bounded by the reference point."""
    inside = [point for point in values if all(v < r for v, r in zip(point, reference))]
    if not inside:
        return 0.0
    front = [point for point, rank in zip(inside, ranks(inside)) if rank == 0]
    return _volume(numpy.unique(numpy.asarray(front, dtype=float), axis=0), numpy.asarray(reference, dtype=float))


def _volume(front: numpy.ndarray, reference: numpy.ndarray) -> float:
    """Sums slices along the last objective: between two consecutive values, the cross-section is what the points up to the
    lower value dominate in the other objectives."""
    if front.shape[1] == 1:
        return float(reference[0] - front[:, 0].min())
    front = front[numpy.argsort(front[:, -1], kind="stable")]
    edges = numpy.append(front[:, -1], reference[-1])
    total = 0.0
    for i in range(len(front)):
        height = edges[i + 1] - edges[i]
        if height > 0:
            total += height * _volume(front[:i + 1, :-1], reference[:-1])
    return float(total)


def normalised(values: Sequence[Sequence[float]]) -> list[list[float]]:
    """Scales each objective from 0, its minimum, to 1, its maximum."""
    array = numpy.asarray(values, dtype=float)
    low, high = array.min(axis=0), array.max(axis=0)
    return ((array - low) / numpy.where(high > low, high - low, 1)).tolist()


def spread(values: Sequence[Sequence[float]], most: int) -> list[int]:
    """Selects at most a given number of points that represent a front: first the point closest to the best values of all
    objectives, then repeatedly the point farthest from those already selected."""
    if not values or most <= 0:
        return []
    points = numpy.asarray(normalised(values))
    taken = [int(numpy.argmin((points ** 2).sum(axis=1)))]
    while len(taken) < min(most, len(points)):
        distance = numpy.min([((points - points[i]) ** 2).sum(axis=1) for i in taken], axis=0)
        distance[taken] = -1
        taken.append(int(numpy.argmax(distance)))
    return taken

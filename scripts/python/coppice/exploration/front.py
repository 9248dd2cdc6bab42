"""Dominance, Pareto fronts, and the volume that a front dominates. Objectives are minimised; negate one to maximise
it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy


def ranks(values: Sequence[Sequence[float]]) -> list[int]:
    """Each point's front: 0 if no point dominates it, 1 if only points of front 0 dominate it, and so on."""
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


def hypervolumes(values: Sequence[Sequence[float]], reference: Sequence[float]) -> list[float]:
    """For each point, the volume that it and the points before it dominate up to the reference point. Exact for any
    number of objectives, but only fast for fronts of at most a few hundred points."""
    bound = numpy.asarray(reference, dtype=float)
    front = numpy.empty((0, len(bound)))
    total, found = 0.0, []
    for value in values:
        point = numpy.asarray(value, dtype=float)
        if numpy.all(point < bound) and not numpy.any(numpy.all(front <= point, axis=1)):
            total += _exclusive(point, front, bound)
            front = numpy.vstack([front[~numpy.all(point <= front, axis=1)], point])
        found.append(total)
    return found


def _exclusive(point: numpy.ndarray, others: numpy.ndarray, bound: numpy.ndarray) -> float:
    """The volume that only this point dominates: its box without the part that the others dominate, which are clipped
    to the box (WFG; While, Bradstreet and Barone, IEEE Trans. Evol. Comput. 16(1), 2012)."""
    box = float(numpy.prod(bound - point))
    return box - _volume(numpy.maximum(others, point), bound) if len(others) else box


def _volume(points: numpy.ndarray, bound: numpy.ndarray) -> float:
    """The volume that the points dominate; all of them are within the bound."""
    points = numpy.unique(points, axis=0)
    points = points[[rank == 0 for rank in ranks(points)]]
    if len(bound) == 1:
        return float(bound[0] - points[0, 0])
    if len(bound) == 2:  # ordered by the first objective; the second decreases
        return float(numpy.sum((bound[0] - points[:, 0]) * -numpy.diff(points[:, 1], prepend=bound[1])))
    # The points are ordered by the last objective, the worst first. Clipped to a point's box, all later points then
    # have the same last objective as the point.
    points = points[numpy.argsort(-points[:, -1], kind="stable")]
    return sum(_exclusive(point, points[i + 1:], bound) for i, point in enumerate(points))


def normalised(values: Sequence[Sequence[float]]) -> list[list[float]]:
    """Scales each objective to the range from 0, its minimum, to 1, its maximum."""
    array = numpy.asarray(values, dtype=float)
    low, high = array.min(axis=0), array.max(axis=0)
    return ((array - low) / numpy.where(high > low, high - low, 1)).tolist()


def spread(values: Sequence[Sequence[float]], most: int) -> list[int]:
    """Selects up to `most` points that represent a front: first the point closest to the best values of all objectives,
    then repeatedly the point farthest from those selected so far."""
    if not values or most <= 0:
        return []
    points = numpy.asarray(normalised(values))
    taken = [int(numpy.argmin((points ** 2).sum(axis=1)))]
    while len(taken) < min(most, len(points)):
        distance = numpy.min([((points - points[i]) ** 2).sum(axis=1) for i in taken], axis=0)
        distance[taken] = -1
        taken.append(int(numpy.argmax(distance)))
    return taken

"""`coppice calibrate`: the command line, the fit and its outputs."""

from __future__ import annotations

import argparse
import functools
import os
import pathlib
import re
import sys
from collections.abc import Callable, Sequence

from coppice.command import CoppiceError

BAD_INPUT, FAILED = 2, 1
PACKAGES = "python3-numpy, python3-scipy, python3-yaml and python3-matplotlib (make reproduce-reality installs them)"

try:
    import numpy

    from coppice.calibrate import output, probe
    from coppice.calibrate.fit import Protocol, Shape, fit_series, setup_of_step
    from coppice.calibrate.measured import MeasuredError, Point, read
except ModuleNotFoundError as missing:
    sys.exit(f"coppice: a calibration needs the packages {PACKAGES}: {missing.name} is missing")

# The algorithms that libraries use, in decreasing order of the bytes they move.
CANDIDATES = {"all_reduce": ["rail_ring", "rail_tree", "nvls", "ring"], "all_gather": ["rail_ring", "ring"],
              "reduce_scatter": ["rail_ring", "ring"], "all_to_all": ["direct"]}


def parser() -> argparse.ArgumentParser:
    """The options that `coppice calibrate` passes on and describes in its help."""
    line = argparse.ArgumentParser(prog="coppice calibrate", add_help=False)
    line.add_argument("config", type=pathlib.Path)
    line.add_argument("measured", type=pathlib.Path)
    line.add_argument("--out", type=pathlib.Path)
    line.add_argument("--figure", type=pathlib.Path)
    line.add_argument("--ranks", type=int)
    line.add_argument("--op")
    line.add_argument("--algorithms")
    line.add_argument("--only", default="")
    line.add_argument("--protocols", type=int, default=3)
    line.add_argument("--hold-out", type=float, default=0.2)
    line.add_argument("--seed", type=int, default=1)
    return line


def split(points: Sequence[Point], share: float, seed: int) -> tuple[list[Point], list[Point]]:
    """Splits the points into those to fit and those to hold out for the check. For each operation and rank count, all
    points of a size are held out together, but never those of the smallest and the largest size."""
    random = numpy.random.RandomState(seed)
    kept, held = [], []
    for series in sorted({(p.operation, p.ranks) for p in points}):
        mine = [p for p in points if (p.operation, p.ranks) == series]
        inner = sorted({p.bytes for p in mine})[1:-1]
        count = round(share * (len(inner) + 2)) if len(inner) >= 4 else 0
        chosen = set(random.choice(inner, min(count, len(inner)), replace=False)) if count else set()
        kept += [p for p in mine if p.bytes not in chosen]
        held += [p for p in mine if p.bytes in chosen]
    return kept, held


def shapes_of(names: Sequence[str], shape: Callable[[str], Shape | None]) -> list[Shape]:
    """The shapes of the algorithms that apply, in decreasing order of the bytes they move.

    In most networks rail_ring includes all rings of `ring`, which is then dropped. In a cube mesh `ring` has more
    rings, and both are kept.
    """
    found = {name: one for name in names if (one := shape(name)) is not None}
    rings = found.get("ring"), found.get("rail_ring")
    if rings[0] and rings[1] and rings[0].us_per_byte > 0.98 * rings[1].us_per_byte:
        del found["ring"]
    return sorted(found.values(), key=lambda s: -s.us_per_byte)


def fit(config: pathlib.Path, points: Sequence[Point], accelerators: int, names: Sequence[str] | None,
        most: int) -> list[output.Series]:
    """One series, with its protocols, per operation and rank count."""
    series = []
    for operation in sorted({p.operation for p in points}):
        mine = [p for p in points if p.operation == operation]
        counts = sorted({p.ranks for p in mine})
        candidates = names or CANDIDATES.get(operation, ["auto"])
        shapes = {n: shapes_of(candidates, functools.partial(probe.shape, config, operation, n, accelerators))
                  for n in counts}
        for n in [n for n in counts if not shapes[n]]:
            raise MeasuredError(f"{config}: none of {', '.join(candidates)} performs {operation} over {n} accelerators")
        smallest = {n: min(p.time_us for p in mine if p.ranks == n) for n in counts}
        step = setup_of_step(smallest, {n: shapes[n][0] for n in counts})
        for n in counts:
            chosen = [p for p in mine if p.ranks == n]
            protocols: list[Protocol] = fit_series([p.bytes for p in chosen], [p.time_us for p in chosen], shapes[n],
                                                   step, most)
            series.append(output.Series(operation, n, counts, protocols))
    return series


def main() -> int:
    arguments = parser().parse_args()
    config: pathlib.Path = arguments.config
    points = [p for p in read(arguments.measured, arguments.ranks, arguments.op)
              if re.search(arguments.only, p.algorithm or "")]
    if not points:
        raise MeasuredError(f"{arguments.measured}: no algorithm matches --only '{arguments.only}'")
    accelerators = probe.accelerators(config)
    too_many = [p for p in points if p.ranks > accelerators]
    if too_many:
        raise MeasuredError(f"{arguments.measured}: {too_many[0].ranks} ranks, but {config} has {accelerators} accelerators")
    kept, held = split(points, arguments.hold_out, arguments.seed)
    names = arguments.algorithms.split(",") if arguments.algorithms else None
    series = fit(config, kept, accelerators, names, arguments.protocols)
    out = arguments.out or config.with_suffix(".calibrated.yaml")
    output.write_configuration(out, config, series, arguments.measured, len(kept))
    times = probe.times_us(out, [(p.operation, p.ranks, p.bytes) for p in points], accelerators)
    output.report(kept, held, times)
    figure = arguments.figure or out.with_suffix(".svg")
    output.draw(figure, config.stem, kept, held, times)
    print(f"written: {out}, {figure}")
    return 0


def command() -> int:
    try:
        return main()
    except (MeasuredError, CoppiceError) as error:
        print(f"coppice: {error}", file=sys.stderr)
        return error.status if isinstance(error, CoppiceError) else BAD_INPUT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


if __name__ == "__main__":
    sys.exit(command())

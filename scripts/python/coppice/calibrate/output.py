"""Writes a calibration: a configuration, a table of residuals and a figure."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from coppice.calibrate.fit import Protocol
from coppice.calibrate.measured import Point

Case = tuple[str, int, int]
# system.ni.protocols has no operation send_recv: messages between two accelerators have these names there.
OPERATIONS = {"send_recv": "send, broadcast"}
SAME_COSTS = {"rail_ring": "rail_ring, ring", "direct": "direct, two_shot"}  # these move data in the same way
# For these operations a line names its algorithms.
NAMED = {"all_reduce", "all_gather", "reduce_scatter"}


@dataclasses.dataclass
class Series:
    """The protocols of one operation and rank count; `counts` are all rank counts of the operation."""

    operation: str
    ranks: int
    counts: Sequence[int]
    protocols: Sequence[Protocol]

    def ranks_range(self) -> list[int] | None:
        """The range of rank counts with these protocols: from just above the next smaller measured count to the
        measured one."""
        if self.operation == "send_recv":
            return [2, 2]
        if len(self.counts) == 1:
            return None
        index = list(self.counts).index(self.ranks)
        return [self.counts[index - 1] + 1 if index else 2, self.ranks]


def _bytes(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= 16 * unit:
            return f"{round(size / unit)} {name}"
    return f"{size} B"


def protocol_line(series: Series, number: int) -> str:
    """One entry of system.ni.protocols, in YAML's flow style."""
    p = series.protocols[number]
    operations = OPERATIONS.get(series.operation, series.operation)
    fields = [f"name: {series.operation}_{series.ranks}_{number + 1}", f"operations: [{operations}]"]
    if series.operation in NAMED and p.algorithm != "auto":
        # If `ring` has lines of its own, those of rail_ring do not apply to it.
        alone = "ring" in {protocol.algorithm for protocol in series.protocols}
        fields.append(f"algorithms: [{p.algorithm if alone else SAME_COSTS.get(p.algorithm, p.algorithm)}]")
    if series.ranks_range():
        fields.append("ranks: [{}, {}]".format(*series.ranks_range()))
    if p.start is not None:
        fields.append(f"from: {_bytes(p.start)}")
    if p.up_to is not None:
        fields.append(f"up_to: {_bytes(p.up_to)}")
    fields += [f"launch: {p.launch_us * 1e3:.0f} ns", f"setup: {p.setup_us * 1e3:.0f} ns",
               f"efficiency: {p.efficiency:.4g}"]
    return "{" + ", ".join(fields) + "}"


def protocol_lines(series: Sequence[Series]) -> list[str]:
    return [protocol_line(one, number) for one in series for number in range(len(one.protocols))]


def write(path: pathlib.Path, text: str) -> None:
    """Writes to a temporary file first, so that an incomplete file is never visible."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_configuration(path: pathlib.Path, base: pathlib.Path, series: Sequence[Series], measured: pathlib.Path,
                        points: int) -> None:
    relative = os.path.relpath(base.resolve(), path.resolve().parent)
    lines = [f"# {base.stem} with protocols fitted to {points} measured times of {measured.name} by coppice calibrate.",
             f"base: {relative}", "system:", "  ni:", "    protocols:"]
    lines += [f"      - {line}" for line in protocol_lines(series)]
    write(path, "\n".join(lines) + "\n")


def errors(points: Sequence[Point], times: Mapping[Case, float]) -> numpy.ndarray:
    """The model's signed relative errors."""
    return numpy.array([times[p.operation, p.ranks, p.bytes] / p.time_us - 1 for p in points])


def report(kept: Sequence[Point], held: Sequence[Point], times: Mapping[Case, float]) -> None:
    """Prints one line per operation and rank count: points, median and 90th percentile of the absolute error."""
    print(f"{'operation':<16}{'ranks':>6}  {'fitted':>7}{'median':>8}{'p90':>8}  {'held out':>9}{'median':>8}{'p90':>8}")
    keys: list[tuple[str, int] | None] = [*sorted({(p.operation, p.ranks) for p in kept}), None]
    for key in keys:
        cells = []
        for points in (kept, held):
            mine = [p for p in points if key is None or (p.operation, p.ranks) == key]
            size = numpy.abs(errors(mine, times)) if mine else numpy.array([])
            cells += [str(len(mine)), *(f"{numpy.quantile(size, q):.1%}" if mine else "-" for q in (0.5, 0.9))]
        name, ranks = (key[0], str(key[1])) if key else ("all", "")
        print(f"{name:<16}{ranks:>6}  {cells[0]:>7}{cells[1]:>8}{cells[2]:>8}  {cells[3]:>9}{cells[4]:>8}{cells[5]:>8}")


def draw(path: pathlib.Path, title: str, kept: Sequence[Point], held: Sequence[Point], times: Mapping[Case, float]) -> None:
    """Draws measured times as dots and the model as lines, one log-log plot per operation."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "coppice"
    from matplotlib import pyplot

    operations = sorted({p.operation for p in [*kept, *held]})
    figure, axes = pyplot.subplots(1, len(operations), figsize=(4 * len(operations) + 1, 3.6), squeeze=False,
                                   constrained_layout=True)
    for axis, operation in zip(axes[0], operations):
        mine = sorted({(p.ranks, p.bytes) for p in [*kept, *held] if p.operation == operation})
        for number, ranks in enumerate(sorted({n for n, _ in mine})):
            sizes = [size for n, size in mine if n == ranks]
            color = pyplot.get_cmap("viridis")(0.15 + 0.7 * number / max(1, len({n for n, _ in mine}) - 1))
            axis.plot(sizes, [times[operation, ranks, s] for s in sizes], color=color, lw=1.2, label=f"{ranks} ranks")
            for points, marker, fill in ((kept, "o", "none"), (held, "s", color)):
                chosen = [p for p in points if p.operation == operation and p.ranks == ranks]
                axis.plot([p.bytes for p in chosen], [p.time_us for p in chosen], marker, ms=3, color=color,
                          markerfacecolor=fill, markeredgewidth=0.7, ls="none")
        axis.set(xscale="log", yscale="log", xlabel="bytes", title=operation.replace("_", "-"))
        axis.set_xscale("log", base=2)
        axis.grid(alpha=0.25, lw=0.5)
        axis.legend(frameon=False, fontsize=7)
    axes[0][0].set_ylabel("time, µs")
    figure.suptitle(f"{title}: model (lines), fitted (circles) and held-out (squares) measurements", fontsize=9)
    write_figure(figure, path)


def write_figure(figure: Any, path: pathlib.Path) -> None:
    """Writes a figure without its date, so that equal figures are identical files."""
    from matplotlib import pyplot
    partial = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    figure.savefig(partial, metadata={"Date": None})
    os.replace(partial, path)
    pyplot.close(figure)

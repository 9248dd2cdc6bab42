"""Measured times of collectives: CSV tables, and the output of nccl-tests."""

from __future__ import annotations

import csv
import dataclasses
import pathlib
import re

OPERATIONS = {"alltoall": "all_to_all", "sendrecv": "send_recv", "allreduce": "all_reduce", "allgather": "all_gather",
              "reducescatter": "reduce_scatter"}
# The ratio of bus bandwidth to algorithm bandwidth with n ranks.
BUS_FACTORS = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n,
               "reduce_scatter": lambda n: (n - 1) / n, "all_to_all": lambda n: (n - 1) / n,
               "broadcast": lambda n: 1.0, "reduce": lambda n: 1.0, "send_recv": lambda n: 1.0}


class MeasuredError(RuntimeError):
    """A measurement file that cannot be read; the message names the file and line."""


@dataclasses.dataclass(frozen=True)
class Point:
    """A measured collective: its bytes, counted as in nccl-tests, and its out-of-place time in microseconds."""

    operation: str
    ranks: int
    bytes: int
    time_us: float
    algorithm: str = ""


def operation_name(text: str) -> str:
    name = text.strip().lower()
    return OPERATIONS.get(name.replace("_", ""), OPERATIONS.get(name, name))


def _from_table(path: pathlib.Path, ranks: int | None) -> list[Point]:
    points = []
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = {"operation", "bytes", "time_us"} - set(reader.fieldnames or [])
        if missing:
            raise MeasuredError(f"{path}:1: the table lacks the column{'s' if len(missing) > 1 else ''} "
                                f"{', '.join(sorted(missing))}; it needs operation, bytes, time_us and ranks")
        for row in reader:
            if "OUTLIER" in (row.get("note") or ""):
                continue
            try:
                count = int(row.get("ranks") or ranks or 0)
                point = Point(operation_name(row["operation"]), count, int(float(row["bytes"])),
                              float(row["time_us"] or 0), (row.get("algorithm_or_kernel") or "").strip())
            except ValueError as error:
                raise MeasuredError(f"{path}:{reader.line_num}: {error}") from error
            if point.operation not in BUS_FACTORS:
                raise MeasuredError(f"{path}:{reader.line_num}: operation '{row['operation']}' is not one of "
                                    f"{', '.join(BUS_FACTORS)}")
            if count < 2:
                raise MeasuredError(f"{path}:{reader.line_num}: ranks are missing: add the column ranks or --ranks N")
            if point.time_us > 0:
                points.append(point)
    return points


def _guessed_operation(rows: list[list[str]], ranks: int) -> str:
    """The operation whose bus factor matches the printed bandwidths; if the output names a reduction, one that
    reduces."""
    widths = [(float(r[6]), float(r[7])) for r in rows if float(r[6]) > 1]
    factor = sum(bus / alg for alg, bus in widths) / len(widths) if widths else 0
    reduces = rows[0][3] not in ("none", "-1")
    fitting = [name for name, of in BUS_FACTORS.items() if abs(of(ranks) - factor) < 0.02
               and (name in ("all_reduce", "reduce_scatter", "reduce")) == reduces]
    return fitting[0] if fitting else ""


def _from_nccl_tests(path: pathlib.Path, text: str, ranks: int | None, operation: str | None) -> list[Point]:
    rows = [line.split() for line in text.splitlines() if re.match(r"\s*\d+\s+\d+\s+[a-z]\w*\s", line)]
    rows = [row for row in rows if len(row) >= 8]
    if not rows:
        raise MeasuredError(f"{path}: this is neither a table with the columns operation, bytes, time_us nor the output of nccl-tests")
    ranks = ranks or len(re.findall(r"^#\s+Rank\s+\d+", text, re.MULTILINE))
    if ranks < 2:
        raise MeasuredError(f"{path}: the output does not state the number of ranks: add --ranks N")
    named = re.search(r"(\w+)_perf", text)
    found = operation or (operation_name(named.group(1)) if named else "") or _guessed_operation(rows, ranks)
    if found not in BUS_FACTORS:
        raise MeasuredError(f"{path}: the output does not name its operation: add it, as in --op all_reduce")
    return [Point(found, ranks, int(row[0]), float(row[5])) for row in rows if float(row[5]) > 0]


def read(path: pathlib.Path, ranks: int | None = None, operation: str | None = None) -> list[Point]:
    """The points in a file. `ranks` and `operation` are needed if the file does not state them."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise MeasuredError(f"{path}: {error.strerror}") from error
    first = text.split("\n", 1)[0]
    points = _from_table(path, ranks) if "," in first else _from_nccl_tests(path, text, ranks, operation)
    if not points:
        raise MeasuredError(f"{path}: the file has no measured times")
    return sorted(points, key=lambda p: (p.operation, p.ranks, p.bytes))

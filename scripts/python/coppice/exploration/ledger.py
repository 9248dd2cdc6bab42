"""The ledger of a search, in its database: which workers have claimed which points, and the results.

All workers of a search share it, on this machine and others. A point is a row with a primary key, and is claimed in an
exclusive transaction, so it runs only once. Workers report regularly that they are alive; other workers take over the
points of those that have disappeared. The results of runs are stored independently of searches, which can share them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import socket
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

RUNNING, DONE, SKIPPED, FAILED = "running", "done", "skipped", "failed"
STALE_SECONDS = 60.0
MOST_ATTEMPTS = 3  # after this many lost workers, a point is given up
LOCK = 0x636F7070  # key of the PostgreSQL advisory lock

META = sa.MetaData()
POINTS = sa.Table(
    "coppice_points", META,
    sa.Column("study", sa.String(80), primary_key=True), sa.Column("level", sa.Integer, primary_key=True),
    sa.Column("point", sa.String(16), primary_key=True), sa.Column("number", sa.Integer, nullable=False),
    sa.Column("origin", sa.String(16), nullable=False), sa.Column("state", sa.String(8), nullable=False),
    sa.Column("genome", sa.Text, nullable=False), sa.Column("hints", sa.Text, nullable=False),
    sa.Column("worker", sa.String(120), nullable=False), sa.Column("beat", sa.Float, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False), sa.Column("record", sa.LargeBinary),
    sa.Index("coppice_points_number", "study", "level", "number", unique=True))
RUNS = sa.Table("coppice_runs", META, sa.Column("run", sa.String(64), primary_key=True),
                sa.Column("outcome", sa.LargeBinary, nullable=False))


def packed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value).encode(), 1)


def unpacked(blob: bytes) -> Any:
    return json.loads(zlib.decompress(blob))


def _process_start(pid: int) -> str:
    """The start time of a process on this machine, in kernel ticks; empty if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{_process_start(os.getpid())}"


def _is_gone(worker: str) -> bool:
    """Whether the worker ran on this machine and no longer does."""
    host, pid, start = worker.rsplit(":", 2)
    return host == socket.gethostname() and _process_start(int(pid)) != start


@dataclasses.dataclass(frozen=True)
class Point:
    """A row of the ledger. `hints` is data that the sampler needs back; `record` is the outcome."""
    point: str
    level: int
    number: int
    origin: str
    state: str
    genome: tuple[int, ...]
    hints: dict[str, Any]
    record: dict[str, Any] | None


@dataclasses.dataclass(frozen=True)
class Candidate:
    point: str
    genome: tuple[int, ...]
    hints: dict[str, Any] = dataclasses.field(default_factory=dict)


def is_conflict(error: Exception) -> bool:
    """Whether the error may be due to another worker that creates the same tables or the same study."""
    said = str(getattr(error, "orig", None) or error).lower()  # without the statement
    return any(word in said for word in ("exist", "duplicate", "unique", "locked"))


class Ledger:
    def __init__(self, url: str, study: str, stale_seconds: float = STALE_SECONDS):
        self.url = url
        self.study = study
        self.stale_seconds = stale_seconds
        self.worker = worker_name()
        self.sqlite = url.startswith("sqlite")
        arguments = {"timeout": 120, "isolation_level": None} if self.sqlite else {}
        self._engine = sa.create_engine(url, connect_args=arguments, future=True)
        for attempt in range(20):
            try:
                META.create_all(self._engine)
                break
            except sa.exc.DBAPIError as error:
                if attempt == 19 or not is_conflict(error):
                    raise
                time.sleep(0.1 * (attempt + 1))

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[Any]:
        """A transaction that excludes all others."""
        with self._engine.connect() as connection:  # rolled back unless committed
            connection.exec_driver_sql("BEGIN IMMEDIATE" if self.sqlite else f"SELECT pg_advisory_xact_lock({LOCK})")
            yield connection
            connection.commit()

    def _mine(self, point: str, level: int) -> Any:
        of = POINTS.c
        return sa.and_(of.study == self.study, of.level == level, of.point == point, of.worker == self.worker)

    def take_over(self) -> Point | None:
        """Takes over a point whose worker has disappeared; None if there is none."""
        of = POINTS.c
        with self._engine.connect() as connection:
            running = connection.execute(sa.select(of.level, of.point, of.worker, of.beat).where(
                of.study == self.study, of.state == RUNNING)).fetchall()
        lost = [row for row in running if _is_gone(row.worker) or row.beat < time.time() - self.stale_seconds]
        for row in lost:
            with self._exclusive() as connection:
                here = sa.and_(of.study == self.study, of.level == row.level, of.point == row.point,
                               of.state == RUNNING, of.worker == row.worker, of.beat == row.beat)
                found = connection.execute(sa.select(POINTS).where(here)).fetchone()
                if found is None:
                    continue
                if found.attempts >= MOST_ATTEMPTS:
                    reason = f"its worker disappeared {found.attempts} times"
                    connection.execute(sa.update(POINTS).where(here).values(
                        state=FAILED, record=packed({"reason": reason})))
                    continue
                connection.execute(sa.update(POINTS).where(here).values(
                    worker=self.worker, beat=time.time(), attempts=found.attempts + 1))
                return self._point(found)
        return None

    def take(self, propose: Any, level: int, origin: str, most: int | None) -> Point | str:
        """Claims the point that propose(number, known) returns; its arguments are the next number and the states of all
        known points. Returns "full" if `most` points of this origin have been claimed, and "none" if nothing is
        proposed."""
        of = POINTS.c
        with self._exclusive() as connection:
            rows = connection.execute(sa.select(of.point, of.state, of.origin).where(
                of.study == self.study, of.level == level)).fetchall()
            counted = sum(row.origin == origin and row.state != SKIPPED for row in rows)
            if most is not None and counted >= most:
                return "full"
            number = len(rows)
            candidate = propose(number, {row.point: row.state for row in rows})
            if candidate is None:
                return "none"
            row = dict(study=self.study, level=level, point=candidate.point, number=number, origin=origin, state=RUNNING,
                       genome=json.dumps(candidate.genome), hints=json.dumps(candidate.hints), worker=self.worker,
                       beat=time.time(), attempts=1)
            connection.execute(sa.insert(POINTS).values(row))
        return Point(candidate.point, level, number, origin, RUNNING, tuple(candidate.genome), candidate.hints, None)

    def finish(self, point: Point, state: str, record: dict[str, Any], runs: Mapping[str, dict[str, Any]] | None = None) -> bool:
        """Stores the outcome and its runs; returns False if another worker has taken over the point."""
        with self._exclusive() as connection:
            self._keep(connection, runs or {})
            done = connection.execute(sa.update(POINTS).where(self._mine(point.point, point.level)).values(
                state=state, record=packed(record), beat=time.time()))
            return done.rowcount == 1

    def release(self, point: Point, runs: Mapping[str, dict[str, Any]] | None = None) -> None:
        """Gives back an unfinished point with its completed runs; the next worker that looks for work takes it over."""
        with self._exclusive() as connection:
            self._keep(connection, runs or {})
            connection.execute(sa.update(POINTS).where(self._mine(point.point, point.level)).values(
                beat=0.0, attempts=POINTS.c.attempts - 1))

    def beat(self) -> None:
        """Reports that this worker is alive."""
        of = POINTS.c
        with self._exclusive() as connection:
            connection.execute(sa.update(POINTS).where(
                of.study == self.study, of.worker == self.worker, of.state == RUNNING).values(beat=time.time()))

    def counts(self) -> dict[tuple[int, str, str], int]:
        """The number of points by level, origin and state."""
        of = POINTS.c
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(of.level, of.origin, of.state, sa.func.count()).where(
                of.study == self.study).group_by(of.level, of.origin, of.state)).fetchall()
        return {(row[0], row[1], row[2]): row[3] for row in rows}

    def states(self, level: int) -> dict[int, str]:
        """The states of a level's points, by number."""
        of = POINTS.c
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(of.number, of.state).where(
                of.study == self.study, of.level == level)).fetchall()
        return {row.number: row.state for row in rows}

    def points(self, level: int | None = None, numbers: list[int] | None = None) -> list[Point]:
        """All points, ordered by level and number."""
        where = [POINTS.c.study == self.study]
        if level is not None:
            where.append(POINTS.c.level == level)
        if numbers is not None:
            where.append(POINTS.c.number.in_(numbers))
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(POINTS).where(*where).order_by(
                POINTS.c.level, POINTS.c.number)).fetchall()
        return [self._point(row) for row in rows]

    @staticmethod
    def _point(row: Any) -> Point:
        return Point(row.point, row.level, row.number, row.origin, row.state, tuple(json.loads(row.genome)),
                     json.loads(row.hints), unpacked(row.record) if row.record else None)

    def outcome(self, run: str) -> dict[str, Any] | None:
        """The stored outcome of a run, if there is one."""
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(RUNS.c.outcome).where(RUNS.c.run == run)).fetchone()
        return unpacked(row.outcome) if row else None

    @staticmethod
    def _keep(connection: Any, runs: Mapping[str, dict[str, Any]]) -> None:
        for run, outcome in runs.items():
            there = connection.execute(sa.select(RUNS.c.run).where(RUNS.c.run == run)).fetchone()
            if there is None:
                connection.execute(sa.insert(RUNS).values(run=run, outcome=packed(outcome)))

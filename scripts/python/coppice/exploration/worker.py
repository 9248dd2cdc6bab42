"""A worker: claims points from the ledger, runs them and stores the outcomes, until the search is done.

Workers are the processes of one machine or the tasks of a Slurm job; they share only the ledger. A phase begins when no
point of the previous one is running. The first phase is the search at the first fidelity; then the surviving points run
at each finer fidelity; last are the sweeps around the front.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from coppice.command import CoppiceError, reason_of
from coppice.exploration import front, search
from coppice.exploration.evaluate import Evaluator, Unusable
from coppice.exploration.ledger import DONE, FAILED, RUNNING, SKIPPED, Candidate, Ledger, Point
from coppice.exploration.space import Genome, Space

SEARCH, SURVIVOR, SWEEP = "search", "survivor", "sweep"
BEAT_SECONDS = 10.0
WAIT_SECONDS = 0.2
SKIPS_PER_RUN = 200  # skipped points that are allowed for each requested run


class Stop(Exception):
    """The worker has been asked to end, by Ctrl-C or a signal from the cluster."""


def stop_at_signals() -> None:
    def raise_stop(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise Stop(f"signal {number}")
    signal.signal(signal.SIGINT, raise_stop)
    signal.signal(signal.SIGTERM, raise_stop)


@contextlib.contextmanager
def beating(ledger: Ledger) -> Iterator[None]:
    """Reports to the ledger every few seconds that this worker is alive."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(BEAT_SECONDS):
            with contextlib.suppress(Exception):  # retried later if the database is busy
                ledger.beat()
    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()


def minimized(space: Space, record: dict[str, Any]) -> list[float]:
    """A point's objectives, with maximised ones negated."""
    return [-value if objective.maximize else value
            for objective, value in zip(space.objectives, record["objectives"])]


def feasible(record: dict[str, Any]) -> bool:
    return all(violation <= 0 for violation in record["violations"])


def decided(space: Space, points: Sequence[Point]) -> list[Point]:
    """The points that decide the front: those at the finest fidelity with any finished and feasible points."""
    done = [point for point in points if point.state == DONE and point.record and feasible(point.record)]
    finest = max((point.level for point in done), default=0)
    return [point for point in done if point.level == finest]


def front_of(space: Space, points: Sequence[Point]) -> list[Point]:
    """The Pareto front of the points."""
    rank = front.ranks([minimized(space, point.record or {}) for point in points])
    return [point for point, its in zip(points, rank) if its == 0]


def survivors(space: Space, points: Sequence[Point], level: int) -> list[Genome]:
    """The points that advance to the next level: the best fronts, each as a whole, until the share that survives is
    reached."""
    done = [point for point in points if point.level == level and point.state == DONE and point.record and
            point.origin != SWEEP and feasible(point.record)]
    if not done:
        return []
    rank = front.ranks([minimized(space, point.record or {}) for point in done])
    wanted = max(1, round(space.survivors * len(done)))
    chosen: list[Point] = []
    for its in range(max(rank) + 1):
        if len(chosen) >= wanted:
            break
        chosen += [point for point, r in zip(done, rank) if r == its]
    return [point.genome for point in sorted(chosen, key=lambda point: point.number)]


def neighbours(space: Space, genome: Genome) -> list[tuple[str, Genome]]:
    """The points that differ in one applicable key, as (key, genome)."""
    applies = space.values(genome)
    here = space.point_id(genome)
    found = []
    for place, key in enumerate(space.keys):
        if key.name not in applies:
            continue
        for index in range(len(key.values)):
            other = (*genome[:place], index, *genome[place + 1:])
            if index != genome[place] and space.point_id(other) != here:
                found.append((key.name, other))
    return found


def centres(space: Space, points: Sequence[Point]) -> list[Point]:
    """The points of the front around which the sweeps vary keys. Points of sweeps do not count for this front."""
    best = front_of(space, decided(space, [point for point in points if point.origin != SWEEP]))
    return [best[i] for i in front.spread([minimized(space, p.record or {}) for p in best], space.sweep_points)]


class Worker:
    def __init__(self, space: Space, ledger: Ledger, runs: int | None, deadline: float | None):
        """Stops after `runs` search runs of all workers together, or at the deadline (in seconds of
        time.monotonic())."""
        self.space = space
        self.ledger = ledger
        self.runs = runs
        self.deadline = deadline
        self.evaluator = Evaluator(space, ledger)
        self.search = search.make(space)
        self._known: set[int] = set()
        self.points = 0
        self.search_seconds = 0.0

    def work(self) -> None:
        """Works until nothing is left to do. Raises Stop when asked to end, after returning its claimed point."""
        self._phase(0, SEARCH, self._propose_searched)
        last = len(self.space.fidelities) - 1
        for level in range(1, last + 1):
            self._phase(level, SURVIVOR, self._from_list(survivors(self.space, self.ledger.points(level - 1), level - 1)))
        if self.space.sweep_points > 0:
            points = self.ledger.points()
            around = [genome for centre in centres(self.space, points) for _, genome in
                      neighbours(self.space, centre.genome)]
            self._phase(last, SWEEP, self._from_list(around))

    def _from_list(self, genomes: Sequence[Genome]) -> Any:
        def propose(number: int, known: dict[str, str]) -> Candidate | None:
            for genome in genomes:
                point = self.space.point_id(genome)
                if point not in known:
                    return Candidate(point, genome)
            return None
        return propose

    def _propose_searched(self, number: int, known: dict[str, str]) -> Candidate | None:
        if self.runs is not None and number > SKIPS_PER_RUN * self.runs:
            return None
        return self.search.propose(number, known)

    def _know(self) -> None:
        """Reports newly finished points to the search."""
        finished = [number for number, state in self.ledger.states(0).items()
                    if state in (DONE, SKIPPED, FAILED) and number not in self._known]
        if finished:
            for begin in range(0, len(finished), 500):
                self.search.know(self.ledger.points(0, finished[begin:begin + 500]))
            self._known.update(finished)

    def _phase(self, level: int, origin: str, propose: Any) -> None:
        while True:
            begin = time.process_time()
            if origin == SEARCH:
                self._know()
            point: Point | str | None = self.ledger.take_over()
            if point is None:
                if origin == SEARCH and self.deadline is not None and time.monotonic() > self.deadline:
                    point = "none"
                else:
                    point = self.ledger.take(propose, level, origin, self.runs if origin == SEARCH else None)
            if isinstance(point, Point):
                self._run(point)
                self.points += 1
                self.search_seconds += time.process_time() - begin
                continue
            if not any(state == RUNNING for (_, _, state) in self.ledger.counts()):
                return
            time.sleep(WAIT_SECONDS)  # another worker's point may still be lost or skipped

    def _run(self, point: Point) -> None:
        fidelity = self.space.fidelities[point.level]
        self.evaluator.fresh = {}
        try:
            record = self.evaluator.evaluate(self.space.values(point.genome), fidelity)
            state = DONE
        except Unusable as reason:
            state, record = (FAILED if reason.failed else SKIPPED), {"reason": str(reason)}
            record["values"] = self.space.values(point.genome)
        except BaseException:
            self.evaluator.stop_child()
            self.ledger.release(point, self.evaluator.fresh)
            raise
        record["worker"] = self.ledger.worker
        self.ledger.finish(point, state, record, self.evaluator.fresh)


def main(space: Space, url: str, study: str, runs: int | None, deadline: float | None, timings: Any = None) -> int:
    """Runs a worker process; returns its exit status."""
    stop_at_signals()
    worker = None
    try:
        ledger = Ledger(url, study)
        worker = Worker(space, ledger, runs, deadline)
        with beating(ledger):
            worker.work()
    except Stop:
        return 130
    except CoppiceError as error:
        print(f"explore: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        print(f"explore: a worker failed: {reason_of(error)}", file=sys.stderr)
        return 1
    finally:
        if timings is not None and worker is not None:
            with timings.get_lock():
                timings[0] += worker.points
                timings[1] += worker.search_seconds
    return 0

"""`coppice explore`: the command line, this machine's workers, and the progress display."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pathlib
import signal
import sys
import time
from typing import Any

from coppice.command import CoppiceError, call, reason_of

BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130
PACKAGES = "python3-yaml, python3-optuna, python3-pandas and python3-sklearn (make explore installs them)"

try:
    from coppice.exploration.located import SpaceError
    from coppice.exploration.space import SAMPLED, Search, Space
except ModuleNotFoundError as missing:
    sys.exit(f"coppice: a search needs the packages {PACKAGES}: {missing.name} is missing")


def parser() -> argparse.ArgumentParser:
    """The options that `coppice explore` passes on and describes in its help."""
    line = argparse.ArgumentParser(prog="coppice explore", add_help=False)
    line.add_argument("space", type=pathlib.Path)
    line.add_argument("--out", type=pathlib.Path)
    for name in ("--storage", "--show", "--workload"):
        line.add_argument(name)
    for name in ("--jobs", "--runs", "--seed"):
        line.add_argument(name, type=int)
    line.add_argument("--minutes", type=float)
    line.add_argument("--method", choices=["grid", "random", "nsga2", "tpe"])
    for name in ("--no-sensitivity", "--no-page", "--dry-run"):
        line.add_argument(name, action="store_true")
    return line


def adjusted(space: Space, arguments: argparse.Namespace) -> Space:
    """The space with the command line's overrides."""
    old = space.search
    space.search = Search(arguments.method or old.method, old.seed if arguments.seed is None else arguments.seed,
                          arguments.runs or old.runs, arguments.minutes or old.minutes, old.population, old.study)
    if arguments.no_sensitivity:
        space.sweep_points = 0
    if space.search.runs is None and space.search.minutes is None and space.search.method != "grid":
        raise SpaceError(f"{space.path}: {space.search.method} needs a budget: write search: {{budget: {{runs: 300}}}}, "
                         "or pass --runs or --minutes")
    return space


class Progress:
    """Shows progress: one line, rewritten in place, on a terminal; otherwise a new line every 30 seconds."""

    def __init__(self, space: Space, ledger: Any, total: int | None, deadline: float | None):
        self.space, self.ledger, self.total, self.deadline = space, ledger, total, deadline
        self.begin = time.monotonic()
        self.at_begin: int | None = None
        self.shown_at = 0.0
        self.best: list[float] | None = None
        self.seen = -1

    def _best(self, done: int) -> str:
        """The best value of each objective so far; computed again only if more points are done."""
        if done != self.seen:
            from coppice.exploration.worker import decided
            self.seen = done
            values = [point.record["objectives"] for point in decided(self.space, self.ledger.points()) if point.record]
            self.best = [(max if o.maximize else min)(v[i] for v in values)
                         for i, o in enumerate(self.space.objectives)] if values else None
        if self.best is None:
            return ""
        return "; best " + ", ".join(f"{o.name} {v:.4g}" for o, v in zip(self.space.objectives, self.best))

    def show(self) -> None:
        terminal = sys.stderr.isatty()
        now = time.monotonic()
        if now - self.shown_at < (1 if terminal else 30):
            return
        self.shown_at = now
        counts = self.ledger.counts()
        searched = sum(n for (_, origin, state), n in counts.items() if origin == "search" and state in ("done", "failed"))
        others = sum(n for (_, origin, state), n in counts.items() if origin != "search" and state != "running")
        skipped = sum(n for (_, _, state), n in counts.items() if state == "skipped")
        if self.at_begin is None:
            self.at_begin = searched
        text = f"explore: {searched}" + (f" of {self.total}" if self.total else "") + " points"
        if others:
            text += f" and {others} more for the front"
        if skipped:
            text += f", {skipped} skipped"
        text += self._left(searched, now) + self._best(searched + others)
        if terminal:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
            sys.stderr.write(f"\r{text[:width - 1]}\033[K")
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _left(self, searched: int, now: float) -> str:
        left = []
        fresh = searched - (self.at_begin or 0)
        if self.total and fresh > 0 and searched < self.total:
            left.append((now - self.begin) / fresh * (self.total - searched))
        if self.deadline is not None:
            left.append(max(0.0, self.deadline - now))
        return f", {int(min(left)) // 60}:{int(min(left)) % 60:02d} left" if left else ""

    def end(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")


def explore(space: Space, arguments: argparse.Namespace) -> int:
    from coppice.exploration.ledger import Ledger
    from coppice.exploration.mirror import Mirror
    from coppice.exploration.outputs import Results
    folder = arguments.out or pathlib.Path(f"{space.name}.explore")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SpaceError(f"--out {folder}: {error.strerror}") from error
    url = arguments.storage or f"sqlite:///{folder.resolve() / 'search.db'}"
    study = f"{space.name}-{space.fingerprint}-{call(['--version']).split()[-1]}"
    if arguments.show:
        return show(space, Ledger(url, study), arguments)
    status, searched, search_seconds = run_workers(space, url, study, arguments)
    ledger = Ledger(url, study)
    results = Results(space, ledger)
    results.save(folder, page=not arguments.no_page, sensitivity=not arguments.no_sensitivity)
    if space.search.study:
        Mirror(space, url, study).complete(results.points)
    print(results.summary(), end="")
    if searched:
        print(f"  {searched} points in this call; apart from its runs, each took "
              f"{1000 * search_seconds / searched:.1f} ms of CPU time", file=sys.stderr)
    print(folder / ("points.csv" if arguments.no_page else "explore.html"))
    if status:
        return status
    return 0 if results.decided else FAILED


def run_workers(space: Space, url: str, study: str, arguments: argparse.Namespace) -> tuple[int, int, float]:
    """Runs this machine's workers. Returns an exit status, and the number of points and the CPU seconds (without the
    runs) of all workers together."""
    from coppice.exploration import worker
    from coppice.exploration.ledger import Ledger
    if space.search.method in SAMPLED:
        import optuna  # noqa: F401: once, before the process is forked
    deadline = None if space.search.minutes is None else time.monotonic() + 60 * space.search.minutes
    context = multiprocessing.get_context("fork")
    timings = context.Array("d", [0.0, 0.0])
    jobs = arguments.jobs or len(os.sched_getaffinity(0))

    def start() -> None:
        sys.exit(worker.main(space, url, study, space.search.runs, deadline, timings))
    workers = [context.Process(target=start) for _ in range(jobs)]
    interrupted = False
    stop = {"asked": False}

    def ask(number: int, frame: Any) -> None:
        stop["asked"] = True
    old = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    for one in workers:
        one.start()
    total = space.combinations if space.search.runs is None and space.search.method == "grid" else space.search.runs
    progress = Progress(space, Ledger(url, study), total, deadline)
    try:
        while any(one.is_alive() for one in workers):
            if stop["asked"] and not interrupted:
                interrupted = True
                for one in workers:
                    if one.is_alive() and one.pid:
                        os.kill(one.pid, signal.SIGTERM)
            if not interrupted:
                progress.show()
            next((one for one in workers if one.is_alive()), workers[0]).join(0.1)
    finally:
        progress.end()
    for number, handler in old.items():
        signal.signal(number, handler)
    codes = [one.exitcode for one in workers]
    if interrupted:
        print("explore: interrupted: the results so far are written, and the next call resumes the search",
              file=sys.stderr)
        return INTERRUPTED, int(timings[0]), timings[1]
    bad = [code for code in codes if code]
    if bad:
        # The other workers have continued and taken over the points of the lost ones.
        if len(bad) < len(codes):
            print(f"explore: {len(bad)} of {len(codes)} workers exited with status {bad[0]}", file=sys.stderr)
        elif min(bad) > 0:
            raise CoppiceError("", bad[0] if bad[0] in (FAILED, BAD_INPUT) else FAILED)  # the worker has reported the reason
        else:
            print(f"explore: all workers were lost (signal {-min(bad)}): the results so far are written, and the next "
                  "call resumes the search", file=sys.stderr)
            return FAILED, int(timings[0]), timings[1]
    return 0, int(timings[0]), timings[1]


def show(space: Space, ledger: Any, arguments: argparse.Namespace) -> int:
    """Prints a point's configuration."""
    from coppice.exploration.evaluate import configuration
    found = [point for point in ledger.points() if point.point == arguments.show and point.record and
             "configs" in point.record]
    if not found:
        raise SpaceError(f"--show {arguments.show}: no finished point has that name")
    configs = found[-1].record["configs"]
    name = arguments.workload or next(iter(configs))
    if name not in configs:
        raise SpaceError(f"--workload {name}: write one of {', '.join(configs)}")
    print(configuration(configs[name]), end="")
    return 0


def main() -> int:
    arguments = parser().parse_args()
    try:
        if arguments.jobs is not None and arguments.jobs < 1:
            raise SpaceError(f"--jobs {arguments.jobs}: write at least 1")
        space = adjusted(Space(arguments.space), arguments)
        if arguments.dry_run:
            print(f"{space.title}: {space.combinations:,} combinations of {len(space.keys)} keys, "
                  f"{len(space.workloads)} workloads, by {space.search.method}")
            return 0
        return explore(space, arguments)
    except SpaceError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except CoppiceError as error:
        if str(error):
            print(f"explore: {error}", file=sys.stderr)
        return error.status
    except ModuleNotFoundError as error:
        print(f"explore: {error}: a search needs {PACKAGES}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # reports an error of a disk, database or library in one line
        print(f"explore: failed: {reason_of(error)}", file=sys.stderr)
        return FAILED


if __name__ == "__main__":
    sys.exit(main())

"""Runs of the command, one at a time or many over the cores."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from coppice.command import CoppiceError, call
from coppice.config import Config, arguments
from coppice.result import Result
from coppice.schedule import Schedule

if TYPE_CHECKING:
    import pandas


def _result(command: str, config: Config, overrides: Mapping[str, Any], options: Iterable[str] = (),
            schedule: Schedule | None = None) -> Result:
    with tempfile.TemporaryDirectory(prefix="coppice-") as name:
        folder = pathlib.Path(name)
        settings = dict(overrides)
        if schedule is not None:
            schedule.write(folder / "schedule.json")
            settings.update({"collective.algorithm": "file", "collective.file": str(folder / "schedule.json"),
                             "collective.op": schedule.collective, "collective.size": f"{schedule.size} B"})
        out = folder / "result.json"
        call([command, *arguments(config, settings, folder), *options, "--out", str(out)])
        return Result.read(out)


def run(config: Config, schedule: Schedule | None = None, **overrides: Any) -> Result:
    """Runs a configuration, a YAML file or keys, and returns what it measured.

    Overrides are keys; dotted ones come as **{"collective.size": "1 MiB"}, or nested as collective={"size": "1 MiB"}.
    `schedule` runs instead of collective.algorithm. Raises CoppiceError if the input is refused or the run fails.
    """
    return _result("run", config, overrides, schedule=schedule)


def traffic(config: Config, pattern: str, rate: float, packet_flits: int = 1, warmup: int | None = None,
            measure: int | None = None, **overrides: Any) -> Result:
    """Offers synthetic traffic, `rate` in flits per node and cycle, and returns latency and throughput."""
    options = ["--pattern", pattern, "--rate", str(rate), "--packet-flits", str(packet_flits)]
    for name, value in (("--warmup", warmup), ("--measure", measure)):
        if value is not None:
            options += [name, str(value)]
    return _result("traffic", config, overrides, options)


def bound(config: Config, **overrides: Any) -> Result:
    """The least time that any schedule could take, and what proves it."""
    return _result("bound", config, overrides)


def compile_schedule(config: Config, **overrides: Any) -> dict[str, Any]:
    """The schedule that a configuration compiles to, as the dictionary of its JSON."""
    with tempfile.TemporaryDirectory(prefix="coppice-") as folder:
        return json.loads(call(["schedule", *arguments(config, overrides, pathlib.Path(folder)), "--format", "json"]))


def sweep(config: Config, over: Mapping[str, Iterable[Any]], workers: int | None = None,
          function: Callable[..., Result] = run, **overrides: Any) -> pandas.DataFrame:
    """Runs every combination of the values of `over`, {"collective.size": ["1 MiB", "2 MiB"], ...}, on all cores.

    Returns a table with a row a run: its values, every single figure of its result, and "result", the Result itself.
    A run that is refused or fails has its message in "error" instead.
    """
    import pandas
    names = list(over)
    points = [dict(zip(names, values)) for values in itertools.product(*(list(over[name]) for name in names))]

    def one(point: dict[str, Any]) -> dict[str, Any]:
        try:
            result = function(config, **{**overrides, **point})
        except CoppiceError as error:
            return {**point, "error": str(error)}
        return {**point, **result.series().to_dict(), "result": result}

    # The work is in the command's processes: threads only wait for them.
    with concurrent.futures.ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        return pandas.DataFrame(list(pool.map(one, points)))

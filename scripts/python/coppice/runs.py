"""The subcommands of coppice as functions, for single runs and for many runs on all cores.

Most functions accept a configuration (a YAML file or a dictionary), overrides as keyword arguments, and a `timeout` in
seconds, after which the command is stopped and CoppiceError is raised.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, overload

from coppice.command import CoppiceError, call
from coppice.config import Config, arguments
from coppice.result import Comparison, Result, size_of
from coppice.tables import Schedule

if TYPE_CHECKING:
    import pandas

    from coppice.fields import (BoundResult, ChunksResult, LayersResult, RouteResult, RunResult, TopologyResult,
                                TrafficResult)

_AnyResult = TypeVar("_AnyResult", bound=Result)
_PathName = Union[str, "os.PathLike[str]"]


def _result(command: str, config: Config, overrides: Mapping[str, Any], options: Iterable[str] = (),
            schedule: Schedule | None = None, timeout: float | None = None) -> Any:
    with tempfile.TemporaryDirectory(prefix="coppice-") as name:
        folder = pathlib.Path(name)
        settings = dict(overrides)
        if schedule is not None:
            if not isinstance(schedule, Schedule):
                raise TypeError(f"schedule must be a Schedule, not {type(schedule).__name__}; pass overrides as keyword "
                                'arguments, such as **{"collective.size": "1 MiB"}')
            schedule.write(folder / "schedule.json")
            settings.update({"collective.algorithm": "file", "collective.file": str(folder / "schedule.json"),
                             "collective.op": schedule.collective, "collective.size": f"{schedule.size} B"})
        out = folder / "result.json"
        call([command, *arguments(config, settings, folder), *options, "--out", str(out)], timeout=timeout)
        return Result.read(out)


def _text(command: str, config: Config, overrides: Mapping[str, Any], options: Iterable[str],
          timeout: float | None) -> str:
    with tempfile.TemporaryDirectory(prefix="coppice-") as folder:
        return call([command, *arguments(config, overrides, pathlib.Path(folder)), *options], timeout=timeout)


def run(config: Config, schedule: Schedule | None = None, timeout: float | None = None, **overrides: Any) -> RunResult:
    """Runs a configuration (a YAML file or a dictionary) and returns its result.

    Overrides are configuration keys, dotted as in **{"collective.size": "1 MiB"} or nested as in
    collective={"size": 1 << 20}. `schedule` replaces collective.algorithm. Raises CoppiceError if the input is invalid or
    the run fails.
    """
    return _result("run", config, overrides, schedule=schedule, timeout=timeout)


def traffic(config: Config, pattern: str, rate: float, packet_flits: int = 1, warmup: int | None = None,
            measure: int | None = None, timeout: float | None = None, **overrides: Any) -> TrafficResult:
    """Generates synthetic traffic at `rate` flits per node and cycle; returns its latency and throughput."""
    options = ["--pattern", pattern, "--rate", str(rate), "--packet-flits", str(packet_flits)]
    for name, value in (("--warmup", warmup), ("--measure", measure)):
        if value is not None:
            options += [name, str(value)]
    return _result("traffic", config, overrides, options, timeout=timeout)


def bound(config: Config, timeout: float | None = None, **overrides: Any) -> BoundResult:
    """The lower bound on the time of any schedule, with its proof."""
    return _result("bound", config, overrides, timeout=timeout)


def compare(config: Config, sizes: Sequence[int | str] = (), timeout: float | None = None, exact: bool = False,
            **overrides: Any) -> Comparison:
    """Compares all algorithms that apply with each other and with the bound, at each of `sizes` (bytes, or strings such
    as "1 MiB"; by default the configuration's size). Without `exact`, large runs that cannot be the fastest are only
    estimated."""
    words = ["--sizes", ",".join(size_of(size) for size in sizes)] if sizes else []
    if exact:
        words.append("--exact")
    return Comparison(_result("compare", config, overrides, words, timeout=timeout).to_dict())


def route(config: Config, timeout: float | None = None, **overrides: Any) -> RouteResult:
    """Chooses paths for the jobs in routing.jobs on a network."""
    return _result("route", config, overrides, timeout=timeout)


def chunks(config: Config, workload: _PathName | None = None, timeout: float | None = None,
           **overrides: Any) -> ChunksResult:
    """The decisions of a chunk scheduler, or the time of an iteration of a text workload."""
    words = [] if workload is None else ["--workload", os.fspath(workload)]
    return _result("chunks", config, overrides, words, timeout=timeout)


def layers(config: Config, timeout: float | None = None, **overrides: Any) -> LayersResult:
    """The cost of each layer of training.model on an accelerator; table("layers") has a row for each pass."""
    return _result("layers", config, overrides, timeout=timeout)


def schedule(config: Config, format: str = "json", timeout: float | None = None, **overrides: Any) -> Any:
    """The schedule compiled from a configuration: a dictionary in the formats json and tables, a string in text, dot,
    msccl and tacos."""
    text = _text("schedule", config, overrides, ["--format", format], timeout)
    return json.loads(text) if format in ("json", "tables") else text


def compile_schedule(config: Config, **overrides: Any) -> dict[str, Any]:
    """The schedule compiled from a configuration, as a dictionary in the JSON format."""
    return schedule(config, **overrides)


@overload
def topology(config: Config, format: Literal["json"] = "json", timeout: float | None = None,
             **overrides: Any) -> TopologyResult: ...
@overload
def topology(config: Config, format: str, timeout: float | None = None, **overrides: Any) -> Any: ...
def topology(config: Config, format: str = "json", timeout: float | None = None, **overrides: Any) -> Any:
    """The network of a configuration: its properties (json, a dictionary), or a string in the format graph, graphml,
    dot, infragraph, tacos or structure."""
    text = _text("topology", config, overrides, ["--format", format], timeout)
    return Result(json.loads(text)) if format == "json" else text


def convert(network: Config, to: str, out: _PathName | None = None, timeout: float | None = None,
            **overrides: Any) -> str | None:
    """Converts a network (of a configuration, or of a file that system.topology.file accepts) to graph, graphml, dot,
    infragraph or tacos, and returns it or writes it to `out`. With `to` chakra: writes a configuration's program as
    traces whose names begin with `out`."""
    options = ["--to", to, *([] if out is None else ["--out", os.fspath(out)])]
    text = _text("convert", network, overrides, options, timeout)
    return text if out is None else None


def rtl(config: Config, out: _PathName, timeout: float | None = None, **overrides: Any) -> pathlib.Path:
    """Writes a configuration's network as Verilog to the new or empty folder `out`, with tables, a testbench that checks
    cycles, and project files; returns the folder."""
    _text("rtl", config, overrides, ["--out", os.fspath(out)], timeout)
    return pathlib.Path(out)


def report(results: Result | _PathName | Sequence[Result | _PathName], out: _PathName,
           timeout: float | None = None) -> pathlib.Path:
    """Writes an HTML page of one result, or of several for comparison; each is a Result or a file. Returns the page's path."""
    several = results if isinstance(results, Sequence) and not isinstance(results, str) else [results]
    with tempfile.TemporaryDirectory(prefix="coppice-") as folder:
        names = []
        for number, result in enumerate(several):
            if isinstance(result, Result):
                name = pathlib.Path(folder) / f"result_{number}.json"
                result.write(name)
            else:
                name = pathlib.Path(os.fspath(result))
            names.append(str(name))
        call(["report", *names, "--out", os.fspath(out)], timeout=timeout)
    return pathlib.Path(out)


def explore(space: _PathName, out: _PathName, timeout: float | None = None, **options: Any) -> pathlib.Path:
    """Searches a space of machines with this interpreter; options are those of `coppice explore --help` (jobs=4, runs=100,
    no_page=True, ...). Returns the folder with the tables and the page."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not False and value is not None:
            words += [option, str(value)]
    call(["explore", os.fspath(space), "--out", os.fspath(out), *words], timeout=timeout)
    return pathlib.Path(out)


def catalogue() -> dict[str, dict[str, str]]:
    """The names that configurations and options accept (`coppice list`): sections such as "topologies", which map names to
    descriptions."""
    sections: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for line in call(["list"]).splitlines():
        if not line.startswith(" "):
            names = sections.setdefault(re.split(r" \(|:", line)[0], {})
        else:
            name, _, summary = line.strip().partition(" ")
            names[name] = summary.strip()
    return sections


@overload
def run_all(configs: Iterable[Config], workers: int | None = None, *, function: Callable[..., _AnyResult],
            timeout: float | None = None, **overrides: Any) -> list[_AnyResult | CoppiceError]: ...
@overload
def run_all(configs: Iterable[Config], workers: int | None = None, *, timeout: float | None = None,
            **overrides: Any) -> list[RunResult | CoppiceError]: ...
def run_all(configs: Iterable[Config], workers: int | None = None, function: Callable[..., Any] = run,
            timeout: float | None = None, **overrides: Any) -> list[Any]:
    """Runs configurations on all cores. Returns, in order, each one's result or the CoppiceError that it raised."""

    def one(config: Config) -> Any:
        try:
            return function(config, timeout=timeout, **overrides)
        except CoppiceError as error:
            return error

    # The command's processes do the work; the threads only wait for them.
    with concurrent.futures.ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(one, configs))


def sweep(config: Config, over: Mapping[str, Iterable[Any]], workers: int | None = None,
          function: Callable[..., Result] = run, timeout: float | None = None, **overrides: Any) -> pandas.DataFrame:
    """Runs all combinations of the values of `over`, {"collective.size": ["1 MiB", "2 MiB"], ...}, on all cores.

    Returns a table with one row per run: its values of `over`, all single values of its result, and "result", the Result
    itself. If a run is rejected, fails or takes more than `timeout` seconds, "error" has the message instead.
    """
    import pandas
    names = list(over)
    points = [dict(zip(names, values)) for values in itertools.product(*(list(over[name]) for name in names))]

    def at(point: Mapping[str, Any], **rest: Any) -> Result:
        return function(config, **{**overrides, **point}, **rest)

    rows: list[dict[str, Any]] = []
    for point, result in zip(points, run_all(points, workers, function=at, timeout=timeout)):
        if isinstance(result, CoppiceError):
            rows.append({**point, "error": str(result)})
        else:
            rows.append({**point, **result.series().to_dict(), "result": result})
    return pandas.DataFrame(rows)

"""The command's subcommands as functions, one at a time or many over the cores.

Every function takes a configuration, a YAML file or keys; overrides as keyword arguments; and `timeout` in seconds,
after which the command is stopped and CoppiceError raised.
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
from typing import TYPE_CHECKING, Any, Union

from coppice.command import CoppiceError, call
from coppice.config import Config, arguments
from coppice.result import Comparison, Result, size_of
from coppice.tables import Schedule

if TYPE_CHECKING:
    import pandas

_PathName = Union[str, "os.PathLike[str]"]


def _result(command: str, config: Config, overrides: Mapping[str, Any], options: Iterable[str] = (),
            schedule: Schedule | None = None, timeout: float | None = None) -> Result:
    with tempfile.TemporaryDirectory(prefix="coppice-") as name:
        folder = pathlib.Path(name)
        settings = dict(overrides)
        if schedule is not None:
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


def run(config: Config, schedule: Schedule | None = None, timeout: float | None = None, **overrides: Any) -> Result:
    """Runs a configuration, a YAML file or keys, and returns what it measured.

    Overrides are keys; dotted ones come as **{"collective.size": "1 MiB"}, or nested as collective={"size": 1 << 20}.
    `schedule` runs instead of collective.algorithm. Raises CoppiceError if the input is refused or the run fails.
    """
    return _result("run", config, overrides, schedule=schedule, timeout=timeout)


def traffic(config: Config, pattern: str, rate: float, packet_flits: int = 1, warmup: int | None = None,
            measure: int | None = None, timeout: float | None = None, **overrides: Any) -> Result:
    """Offers synthetic traffic, `rate` in flits per node and cycle, and returns latency and throughput."""
    options = ["--pattern", pattern, "--rate", str(rate), "--packet-flits", str(packet_flits)]
    for name, value in (("--warmup", warmup), ("--measure", measure)):
        if value is not None:
            options += [name, str(value)]
    return _result("traffic", config, overrides, options, timeout=timeout)


def bound(config: Config, timeout: float | None = None, **overrides: Any) -> Result:
    """The least time that any schedule could take, and what proves it."""
    return _result("bound", config, overrides, timeout=timeout)


def compare(config: Config, sizes: Sequence[int | str] = (), timeout: float | None = None, exact: bool = False,
            **overrides: Any) -> Comparison:
    """Compares every algorithm that applies with the others and with the bound, at every one of `sizes` (bytes, or such as
    "1 MiB"); at the configuration's if there is none. Large runs that cannot be the fastest are only estimated unless
    `exact`."""
    words = ["--sizes", ",".join(size_of(size) for size in sizes)] if sizes else []
    if exact:
        words.append("--exact")
    return Comparison(_result("compare", config, overrides, words, timeout=timeout).to_dict())


def route(config: Config, timeout: float | None = None, **overrides: Any) -> Result:
    """Path assignment: the jobs of routing.jobs on a network."""
    return _result("route", config, overrides, timeout=timeout)


def chunks(config: Config, workload: _PathName | None = None, timeout: float | None = None, **overrides: Any) -> Result:
    """The decisions of a chunk scheduler, or the time of a text workload's iteration."""
    words = [] if workload is None else ["--workload", os.fspath(workload)]
    return _result("chunks", config, overrides, words, timeout=timeout)


def layers(config: Config, timeout: float | None = None, **overrides: Any) -> Result:
    """The cost of each layer of training.model to an accelerator; table("layers") has a row a pass."""
    return _result("layers", config, overrides, timeout=timeout)


def schedule(config: Config, format: str = "json", timeout: float | None = None, **overrides: Any) -> Any:
    """The schedule that a configuration compiles to: of json and tables a dictionary, of text, dot, msccl and tacos a
    text."""
    text = _text("schedule", config, overrides, ["--format", format], timeout)
    return json.loads(text) if format in ("json", "tables") else text


def compile_schedule(config: Config, **overrides: Any) -> dict[str, Any]:
    """The schedule that a configuration compiles to, as the dictionary of its JSON."""
    return schedule(config, **overrides)


def topology(config: Config, format: str = "json", timeout: float | None = None, **overrides: Any) -> Any:
    """The network of a configuration: its figures (json, a dictionary), or as a string in graph, graphml, dot, infragraph,
    tacos or structure."""
    text = _text("topology", config, overrides, ["--format", format], timeout)
    return Result(json.loads(text)) if format == "json" else text


def convert(network: Config, to: str, out: _PathName | None = None, timeout: float | None = None,
            **overrides: Any) -> str | None:
    """A network, a configuration's or a file's that system.topology.file reads, in another form: graph, graphml, dot,
    infragraph or tacos; returned, or written to `out`. To chakra: the program of a configuration as traces, whose names
    begin with `out`."""
    options = ["--to", to, *([] if out is None else ["--out", os.fspath(out)])]
    text = _text("convert", network, overrides, options, timeout)
    return text if out is None else None


def rtl(config: Config, out: _PathName, timeout: float | None = None, **overrides: Any) -> pathlib.Path:
    """Writes the network of a configuration in Verilog, with tables, a testbench that checks cycles, and project files,
    into the folder `out`, new or empty; returns that folder."""
    _text("rtl", config, overrides, ["--out", os.fspath(out)], timeout)
    return pathlib.Path(out)


def report(results: Result | _PathName | Sequence[Result | _PathName], out: _PathName,
           timeout: float | None = None) -> pathlib.Path:
    """An HTML page of one result or several beside each other; results are what functions return, or files."""
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
    """Searches a space of machines ('coppice explore --help': jobs=4, runs=100, no_page=True, ...) with this
    interpreter; the folder of its tables and page."""
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
    """The names that configurations and options accept ('coppice list'): sections such as "topologies", names with what each
    is."""
    sections: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for line in call(["list"]).splitlines():
        if not line.startswith(" "):
            names = sections.setdefault(re.split(r" \(|:", line)[0], {})
        else:
            name, _, summary = line.strip().partition(" ")
            names[name] = summary.strip()
    return sections


def run_all(configs: Iterable[Config], workers: int | None = None, function: Callable[..., Result] = run,
            timeout: float | None = None, **overrides: Any) -> list[Result | CoppiceError]:
    """Runs configurations on all cores; in their order the result of each, or the CoppiceError that it raised."""

    def one(config: Config) -> Result | CoppiceError:
        try:
            return function(config, timeout=timeout, **overrides)
        except CoppiceError as error:
            return error

    # The work is in the command's processes: threads only wait for them.
    with concurrent.futures.ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(one, configs))


def sweep(config: Config, over: Mapping[str, Iterable[Any]], workers: int | None = None,
          function: Callable[..., Result] = run, timeout: float | None = None, **overrides: Any) -> pandas.DataFrame:
    """Runs every combination of the values of `over`, {"collective.size": ["1 MiB", "2 MiB"], ...}, on all cores.

    Returns a table with a row a run: its values, every single figure of its result, and "result", the Result itself.
    A run that is refused, fails or takes more than `timeout` seconds has its message in "error" instead.
    """
    import pandas
    names = list(over)
    points = [dict(zip(names, values)) for values in itertools.product(*(list(over[name]) for name in names))]

    def at(point: Mapping[str, Any], **rest: Any) -> Result:
        return function(config, **{**overrides, **point}, **rest)

    rows = []
    for point, result in zip(points, run_all(points, workers, at, timeout)):
        if isinstance(result, CoppiceError):
            rows.append({**point, "error": str(result)})
        else:
            rows.append({**point, **result.series().to_dict(), "result": result})
    return pandas.DataFrame(rows)

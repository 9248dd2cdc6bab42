"""Results: attributes for single values, pandas tables for lists."""

from __future__ import annotations

import html
import json
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from coppice.files import write_text

if TYPE_CHECKING:
    import pandas

    from coppice.fields import RowsItem

_AnyResult = TypeVar("_AnyResult", bound="Result")


class Section(Mapping[str, Any]):
    """A section of a result; section.name and section["name"] are equivalent."""

    def __init__(self, values: Mapping[str, Any]):
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    # Type checkers get the names of fields from coppice.fields; this method would make them accept any name.
    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            try:
                return self[name]
            except KeyError:
                known = ", ".join(self._values)
                raise AttributeError(f"no field {name!r}; the fields are {known}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({json.dumps(self._values, indent=1)[:400]})"

    def _repr_html_(self) -> str:
        """An HTML table for notebooks: values by dotted name, lists by their lengths."""
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(_shown(value))}</td></tr>"
                       for name, value in _figures(self._values))
        return f"<table>{rows}</table>"

    def to_dict(self) -> dict[str, Any]:
        """The values as plain dictionaries and lists."""
        return dict(self._values)


def _wrapped(value: Any) -> Any:
    return Section(value) if isinstance(value, Mapping) else value


def _figures(values: Mapping[str, Any], within: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        path = f"{within}.{name}" if within else name
        if path in ("config", "simulator"):
            continue
        if isinstance(value, Mapping):
            yield from _figures(value, path)
        else:
            yield path, value


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"{len(value)} items" if value and not isinstance(value[0], str) else "; ".join(value)
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def size_of(size: int | str) -> str:
    """An amount of data in the command's syntax: a number of bytes, or a number with a unit."""
    return size.replace(" ", "") if isinstance(size, str) else f"{int(size)}B"


def _axes(axes: Any) -> Any:
    import matplotlib.pyplot
    return matplotlib.pyplot.subplots()[1] if axes is None else axes


def _flat(values: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        path = f"{within}.{name}" if within else name
        if isinstance(value, Mapping):
            flat.update(_flat(value, path))
        elif not isinstance(value, list):
            flat[path] = value
    return flat


class Result(Section):
    """The result of a run (RESULT.json); `coppice explain FIELD` explains a field.

    coppice.fields has a class for every kind of result, with the types of its fields.
    """

    @classmethod
    def read(cls: type[_AnyResult], path: str | os.PathLike[str]) -> _AnyResult:
        """Reads a result from a file written by --out."""
        return cls(json.loads(pathlib.Path(path).read_text(encoding="utf-8")))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the result as --out does, for `coppice report`."""
        write_text(path, json.dumps(self._values, indent=2) + "\n")

    def series(self) -> pandas.Series:
        """All single values by dotted name, without the configuration."""
        import pandas
        return pandas.Series({name: value for name, value in _flat(self._values).items()
                              if not name.startswith("config.")}, dtype=object)

    def table(self, name: str) -> pandas.DataFrame:
        """A list of the result, such as "channels", "dimensions" or "training.layers", with one row per item; or a section,
        such as "time_breakdown_cycles", with one row per value."""
        import pandas
        value: Any = self._values
        for part in name.split("."):
            value = value[part]
        if isinstance(value, Mapping):
            return pandas.DataFrame({"name": list(value), "value": list(value.values())}).set_index("name")
        return pandas.DataFrame(value)

    def plot(self, name: str = "time_breakdown_cycles", axes: Any = None) -> Any:
        """Draws a section's values, or the first numeric column of a list, as bars; returns the matplotlib axes."""
        table = self.table(name)
        numeric = table.select_dtypes("number")
        if numeric.empty:
            raise ValueError(f"{name} has no numbers to plot")
        axes = _axes(axes)
        labels = table["name"] if "name" in table else table.index
        axes.barh([str(label) for label in labels], numeric.iloc[:, 0])
        axes.invert_yaxis()
        axes.set_xlabel(f"{name}: {numeric.columns[0]}")
        return axes


class Comparison(Result):
    """All algorithms at all sizes (`coppice compare`); table("rows") has one row per algorithm and size."""

    version: str
    rows: list[RowsItem]

    def plot(self, name: str = "time_ns", axes: Any = None) -> Any:
        """Plots a column of the rows, such as time_ns or efficiency, by size, one line per algorithm; returns the axes."""
        rows = self.table("rows")
        rows = rows[rows[name].notna()].sort_values("size")
        axes = _axes(axes)
        for algorithm, part in rows.groupby("algorithm"):
            axes.plot(part["size"], part[name], marker="o", label=algorithm)
        axes.set_xscale("log", base=2)
        if name != "efficiency":
            axes.set_yscale("log")
        axes.set_xlabel("bytes")
        axes.set_ylabel(name)
        axes.legend()
        return axes

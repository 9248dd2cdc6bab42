"""A space: the machines to choose from, the workloads, the objectives and constraints, and the search method."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import itertools
import json
import math
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

from coppice.config import flattened
from coppice.exploration.expression import Expression, ExpressionError, MissingName, QUANTITY, number, templates
from coppice.exploration.located import Document, SpaceError

SECTIONS = ("title", "question", "base", "settings", "space", "workloads", "combine", "constraints", "quantities",
            "prices", "objectives", "search", "fidelities", "survivors", "sensitivity", "limit_seconds")
METHODS = ("grid", "random", "nsga2", "tpe")
SAMPLED = ("nsga2", "tpe")  # the methods from Optuna
PRICES = ("accelerator", "switch", "switch_port", "link", "link_gb_s")
COMBINE = ("arithmetic", "geometric", "worst")
FIDELITIES = ("fluid", "train", "auto", "flit")
MOST_LISTED = 1_000_000  # the largest number of combinations of a grid


@dataclasses.dataclass(frozen=True)
class Key:
    """A key to vary: a configuration key or a variable for expressions. If its values are named choices, `settings` has
    their keys."""
    name: str
    values: tuple[Any, ...]
    ordered: bool
    when: Expression | None = None
    settings: Mapping[Any, Mapping[str, Any]] = dataclasses.field(default_factory=dict)

    @property
    def is_setting(self) -> bool:
        """Whether this is a configuration key, not a variable."""
        return not self.settings and ("." in self.name or self.name in ("fidelity", "check", "seed"))


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    weight: float
    settings: Mapping[str, Any]
    base: pathlib.Path | None


@dataclasses.dataclass(frozen=True)
class Objective:
    name: str
    expression: Expression
    maximize: bool


@dataclasses.dataclass(frozen=True)
class Search:
    method: str = "nsga2"
    seed: int = 1
    runs: int | None = None
    minutes: float | None = None
    population: int = 30
    study: bool = False  # whether points are also stored in an Optuna study


Genome = tuple  # the index of the value of each key


class Space:
    """A space, read from a file and checked. Raises SpaceError at the location of an error."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.document = Document(path)
        top = self._mapping(self.document.value, ())
        self._known(top, SECTIONS, ())
        self.name = path.stem
        self.title = str(top.get("title", self.name))
        self.question = str(top.get("question", ""))
        self.base = self._file(top["base"], "base") if "base" in top else None
        self.settings = flattened(self._mapping(top.get("settings", {}), ("settings",)))
        self.keys = self._read_keys(self._mapping(top.get("space", {}), ("space",)))
        self._check_conditions()
        if not self.keys:
            raise self._error("the space has no key to vary: write one, such as space: {system.ni.ports: [1, 2, 4]}",
                              "space")
        self.workloads = self._read_workloads(top.get("workloads"))
        self.combine = self._one_of(top.get("combine", "arithmetic"), COMBINE, "combine")
        self.constraints = [self._expression(text, "constraints", i)
                            for i, text in enumerate(self._list(top.get("constraints", []), "constraints"))]
        self.quantities = {name: self._expression(text, "quantities", name) for name, text in
                           self._mapping(top.get("quantities", {}), ("quantities",)).items()}
        self.prices = self._read_prices(top.get("prices", {}))
        self.objectives = self._read_objectives(top.get("objectives", ["time_ns"]))
        self.search = self._read_search(self._mapping(top.get("search", {}), ("search",)))
        self.fidelities = self._read_fidelities(top)
        self.survivors = self._positive(top.get("survivors", 0.1), "survivors", most=1)
        sensitivity = self._mapping(top.get("sensitivity", {}), ("sensitivity",))
        self._known(sensitivity, ("points",), ("sensitivity",))
        self.sweep_points = self._whole(sensitivity.get("points", 1), 0, "sensitivity", "points")
        self.limit_seconds = self._positive(top["limit_seconds"], "limit_seconds") if "limit_seconds" in top else None
        for key, value in self.settings.items():
            self._templates(value, "settings", key)

    # Properties of the space.

    @property
    def fingerprint(self) -> str:
        """A hash that is equal for spaces with the same points and results; budgets and sensitivity do not count."""
        said = {name: self.document.value.get(name) for name in SECTIONS
                if name not in ("title", "question", "sensitivity", "survivors")}
        said["search"] = [self.search.method, self.search.seed, self.search.population]
        bases = [base.read_text(encoding="utf-8") for base in [self.base, *(w.base for w in self.workloads)] if base]
        text = json.dumps([said, bases], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @property
    def combinations(self) -> int:
        """The number of combinations, ignoring conditions."""
        return math.prod(len(key.values) for key in self.keys)

    def values(self, genome: Genome) -> dict[str, Any]:
        """The values of the keys that apply, in order; keys whose condition is not met are left out."""
        indices = {key.name: index for key, index in zip(self.keys, genome)}
        by_name = {key.name: key for key in self.keys}

        def lookup(name: str) -> Any:
            if name in by_name and applies(by_name[name]):
                return by_name[name].values[indices[name]]
            if name in self.settings:
                return self.settings[name]
            raise MissingName(name)

        def applies(key: Key) -> bool:
            if key.when is None:
                return True
            try:
                return bool(key.when.evaluate(lookup))
            except MissingName:
                return False  # a condition on a key that does not apply is not met
        return {key.name: key.values[indices[key.name]] for key in self.keys if applies(key)}

    def settings_of(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """A point's configuration keys, with templates that are not yet filled in. The values of keys replace the
        space's `settings`."""
        settings = dict(self.settings)
        for key in self.keys:
            if key.name not in values:
                continue
            if key.settings:
                settings.update(key.settings[values[key.name]])
            elif key.is_setting:
                settings[key.name] = values[key.name]
        return settings

    def point_id(self, genome: Genome) -> str:
        """A point's name, which is the same for genomes that differ only in keys that do not apply."""
        return hashlib.sha256(json.dumps(self.values(genome), default=str).encode()).hexdigest()[:10]

    def grid(self) -> Iterator[Genome]:
        """Yields every point once; the first key varies slowest."""
        seen: set[str] = set()
        conditional = any(key.when is not None for key in self.keys)
        for genome in itertools.product(*(range(len(key.values)) for key in self.keys)):
            if conditional:
                name = self.point_id(genome)
                if name in seen:
                    continue
                seen.add(name)
            yield genome

    # Reading the file.

    def _error(self, message: str, *path: Any) -> SpaceError:
        return self.document.error(message, *path)

    def _mapping(self, value: Any, path: tuple[Any, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._error(f"{'.'.join(map(str, path)) or 'a space'}: must be a mapping", *path)
        return {str(key): inner for key, inner in value.items()}

    def _list(self, value: Any, *path: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self._error(f"{path[0]}: must be a list", *path)
        return value

    def _known(self, mapping: Mapping[str, Any], names: tuple[str, ...], path: tuple[Any, ...]) -> None:
        for name in mapping:
            if name not in names:
                near = difflib.get_close_matches(name, names, 1)
                hint = f"did you mean '{near[0]}'?" if near else f"write one of {', '.join(names)}"
                raise self._error(f"unknown key '{'.'.join([*map(str, path), name])}'; {hint}", *path, name)

    def _one_of(self, value: Any, names: tuple[str, ...], *path: Any) -> str:
        if value not in names:
            raise self._error(f"{path[-1]}: '{value}' is not one of {', '.join(names)}", *path)
        return value

    def _whole(self, value: Any, least: int, *path: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self._error(f"{path[-1]}: '{value}' is not a whole number of at least {least}", *path)
        return value

    def _positive(self, value: Any, *path: Any, most: float = math.inf) -> float:
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value <= most:
            bound = "" if most == math.inf else f" and at most {most}"
            raise self._error(f"{path[-1]}: '{value}' is not a number above 0{bound}", *path)
        return float(value)

    def _file(self, value: Any, *path: Any) -> pathlib.Path:
        file = self.path.parent / str(value)
        if not file.is_file():
            raise self._error(f"the file {file} does not exist (names are relative to the space's file)", *path)
        return file

    def _expression(self, text: Any, *path: Any) -> Expression:
        try:
            return Expression(text)
        except ExpressionError as error:
            raise self._error(str(error), *path) from error

    def _templates(self, value: Any, *path: Any) -> None:
        try:
            templates(value)
        except ExpressionError as error:
            raise self._error(str(error), *path) from error

    def _read_keys(self, section: Mapping[str, Any]) -> list[Key]:
        keys = []
        for name, said in section.items():
            when, settings = None, {}
            if isinstance(said, dict) and "when" in said:
                said = dict(said)
                when = self._expression(said.pop("when"), "space", name, "when")
                said = said.pop("values") if set(said) == {"values"} else said
            if isinstance(said, dict) and "from" in said:
                values = self._range(said, name)
            elif isinstance(said, dict):
                settings = {label: flattened(self._mapping(own or {}, ("space", name, label)))
                            for label, own in said.items()}
                for label, own in settings.items():
                    for key, value in own.items():
                        self._templates(value, "space", name, label, key)
                values = list(settings)
            else:
                values = self._list(said, "space", name)
            texts = [json.dumps(value, default=str) for value in values]
            if not values or len(set(texts)) != len(texts):
                raise self._error(f"{name}: list at least one value, and no value twice", "space", name)
            numbers = [number(value) for value in values]
            ordered = not settings and all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in numbers)
            keys.append(Key(name, tuple(values), ordered, when, settings))
        return keys

    def _check_conditions(self) -> None:
        """Checks that conditions name keys of the space or settings, and do not depend on themselves."""
        conditional = {key.name: key.when.names for key in self.keys if key.when is not None}
        known = {key.name for key in self.keys} | set(self.settings)
        for name, asked in conditional.items():
            for other in sorted(asked - known):
                raise self._error(f"{name}: its condition names '{other}', which is neither a key of the space nor a "
                                  "setting", "space", name, "when")
            open_names, seen = list(asked), set()
            while open_names:
                other = open_names.pop()
                if other == name:
                    raise self._error(f"{name}: its condition depends on itself", "space", name, "when")
                if other not in seen:
                    seen.add(other)
                    open_names += conditional.get(other, ())

    def _range(self, said: Mapping[str, Any], name: str) -> list[Any]:
        """The values from `from` to `to`: with a step, with a factor, or a number of them, spaced linearly or
        geometrically."""
        path = ("space", name)
        self._known(said, ("from", "to", "step", "factor", "count", "scale"), path)
        ends = [QUANTITY.fullmatch(str(said.get(end))) for end in ("from", "to")]
        if not all(ends) or ends[0][2] != ends[1][2]:
            raise self._error(f"{name}: from and to must be numbers with the same unit", *path)
        low, high, unit = float(ends[0][1]), float(ends[1][1]), ends[0][2]
        scale = self._one_of(said.get("scale", "linear"), ("linear", "log"), *path, "scale")
        if not low < high or (scale == "log" or "factor" in said) and low <= 0:
            raise self._error(f"{name}: from must be below to, and above 0 with a factor or a log scale", *path)
        if sum(way in said for way in ("step", "factor", "count")) != 1:
            raise self._error(f"{name}: a range needs exactly one of step, factor and count", *path)
        if "step" in said:
            step = self._positive(said["step"], *path, "step")
            values = [low + i * step for i in range(int((high - low) / step + 1e-9) + 1)]
        elif "factor" in said:
            factor = self._positive(said["factor"], *path, "factor")
            if factor <= 1:
                raise self._error(f"{name}: a factor must be above 1", *path, "factor")
            values = [low * factor ** i for i in range(int(math.log(high / low, factor) + 1e-9) + 1)]
        else:
            count = self._whole(said["count"], 2, *path, "count")
            parts = [i / (count - 1) for i in range(count)]
            values = [low * (high / low) ** part if scale == "log" else low + (high - low) * part for part in parts]
        whole = low.is_integer() and high.is_integer() and not ("step" in said and not float(said["step"]).is_integer())
        rounded = list(dict.fromkeys(round(value) if whole else float(f"{value:.6g}") for value in values))
        return [f"{value} {unit}" for value in rounded] if unit else rounded

    def _read_workloads(self, said: Any) -> list[Workload]:
        if said is None:
            return [Workload("workload", 1.0, {}, None)]
        workloads = []
        for i, one in enumerate(self._list(said, "workloads")):
            one = self._mapping(one, ("workloads", i))
            self._known(one, ("name", "weight", "settings", "base"), ("workloads", i))
            settings = flattened(self._mapping(one.get("settings", {}), ("workloads", i, "settings")))
            for key, value in settings.items():
                self._templates(value, "workloads", i, "settings", key)
            workloads.append(Workload(str(one.get("name", f"workload{i + 1}")),
                                      self._positive(one.get("weight", 1), "workloads", i, "weight"), settings,
                                      self._file(one["base"], "workloads", i, "base") if "base" in one else None))
        names = [workload.name for workload in workloads]
        if not names or len(set(names)) != len(names):
            raise self._error("workloads: list at least one, each with a different name", "workloads")
        return workloads

    def _read_prices(self, said: Any) -> dict[str, float]:
        prices = self._mapping(said, ("prices",))
        self._known(prices, PRICES, ("prices",))
        for name, price in prices.items():
            if not isinstance(price, (int, float)) or price < 0:
                raise self._error(f"prices.{name}: '{price}' is not a number of at least 0", "prices", name)
        return {name: float(price) for name, price in prices.items()}

    def _read_objectives(self, said: Any) -> list[Objective]:
        objectives = []
        for i, one in enumerate(self._list(said, "objectives")):
            if not isinstance(one, dict):
                one = {"quantity": one}
            self._known(one, ("name", "quantity", "direction"), ("objectives", i))
            if "quantity" not in one:
                raise self._error("the objective has no quantity: write {quantity: time_ns, direction: minimize}",
                                  "objectives", i)
            direction = self._one_of(one.get("direction", "minimize"), ("minimize", "maximize"), "objectives", i,
                                     "direction")
            expression = self._expression(one["quantity"], "objectives", i, "quantity")
            objectives.append(Objective(str(one.get("name", one["quantity"])), expression, direction == "maximize"))
        if not objectives:
            raise self._error("objectives: list at least one", "objectives")
        return objectives

    def _read_search(self, said: Mapping[str, Any]) -> Search:
        self._known(said, ("method", "seed", "budget", "population", "study"), ("search",))
        budget = self._mapping(said.get("budget", {}), ("search", "budget"))
        self._known(budget, ("runs", "minutes"), ("search", "budget"))
        return Search(
            self._one_of(said.get("method", "nsga2"), METHODS, "search", "method"),
            self._whole(said.get("seed", 1), 0, "search", "seed"),
            self._whole(budget["runs"], 1, "search", "budget", "runs") if "runs" in budget else None,
            self._positive(budget["minutes"], "search", "budget", "minutes") if "minutes" in budget else None,
            self._whole(said.get("population", 30), 2, "search", "population"),
            self._one_of(said.get("study", False), (True, False), "search", "study"))

    def _read_fidelities(self, top: Mapping[str, Any]) -> list[str | None]:
        if "fidelities" not in top:
            return [None]  # the value in the configuration
        names = self._list(top["fidelities"], "fidelities")
        for i, name in enumerate(names):
            self._one_of(name, FIDELITIES, "fidelities", i)
        if not names:
            raise self._error("fidelities: list at least one", "fidelities")
        return list(names)

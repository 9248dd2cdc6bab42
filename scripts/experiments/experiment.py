"""An experiment: a YAML file with the runs of `coppice` for a figure.

configs/experiments/README.md describes its keys. Snakefile executes the runs.
"""

import dataclasses
import hashlib
import itertools
import pathlib
import re

import yaml

KEYS = {"title", "shows", "command", "base", "settings", "axes", "overrides", "exclude", "full_only", "columns",
        "plot", "claims"}
REQUIRED = {"title", "base", "axes", "columns", "plot"}
AXIS_KEYS = {"name", "key", "values"}
COMMANDS = {"run", "chunks", "route", "traffic"}
SYSTEM_KEY = "base"  # in settings: another system file instead of a configuration key


class ExperimentError(Exception):
    """An error in an experiment file; the message names the file and says how to correct it."""


@dataclasses.dataclass(frozen=True)
class Point:
    """A run: a system file, settings in the order given, and a label on each axis."""
    labels: dict
    system: str
    settings: tuple
    command: str = "run"

    @property
    def id(self):
        """A readable file name. It is the same for the same run in other experiments, and different for any other
        run."""
        text = "\n".join([self.system, *(f"{key}={value}" for key, value in sorted(self.settings))])
        if self.command != "run":
            text = f"{self.command}\n{text}"
        words = [pathlib.PurePath(self.system).stem, *(value for _, value in self.settings)]
        slug = re.sub(r"[^A-Za-z0-9.]+", "_", "-".join(words).replace(" ", "").replace("-", "_")).strip("_")
        return f"{slug[:100]}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"

    def arguments(self):
        """The arguments after `coppice COMMAND SYSTEM`; settings that start with -- are options of the command."""
        return [word for key, value in self.settings
                for word in ((key, value) if key.startswith("--") else ("--set", f"{key}={value}"))]


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A checked experiment file. `axes` maps each axis to its labels, and each label to its settings."""
    path: pathlib.Path
    title: str
    shows: str
    command: str
    base: str
    settings: dict
    axes: dict
    overrides: tuple
    exclude: tuple
    full_only: tuple
    columns: dict
    plot: dict
    claims: tuple

    @property
    def name(self):
        return self.path.stem

    def points(self, full):
        """All runs; the first axis varies slowest. Without `full`, the runs in `full_only` are left out."""
        skipped = self.exclude if full else self.exclude + self.full_only
        result = []
        for combination in itertools.product(*(labels.items() for labels in self.axes.values())):
            labels = dict(zip(self.axes, (label for label, _ in combination)))
            if any(matches(selector, labels) for selector in skipped):
                continue
            settings = dict(self.settings)
            for _, own in combination:
                settings.update(own)
            for selector, own in self.overrides:
                if matches(selector, labels):
                    settings.update(own)
            settings = {key: filled(value, labels) for key, value in settings.items()}
            system = settings.pop(SYSTEM_KEY, self.base)
            result.append(Point(labels, system, tuple(settings.items()), self.command))
        if not result:
            raise ExperimentError(f"{self.path}: no run is left after exclude and full_only")
        return result


def matches(selector, labels):
    """Whether `labels` has one of the selector's labels on every axis that it names."""
    return all(labels[axis] in chosen for axis, chosen in selector.items())


def filled(text, labels):
    """`text` with every axis name in braces replaced by the label on that axis."""
    for axis, label in labels.items():
        text = text.replace(f"{{{axis}}}", label)
    return text


def as_text(value):
    """A YAML scalar or list in the syntax of `--set KEY=VALUE`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(as_text(item) for item in value) + "]"
    return str(value)


def load(path):
    """Reads the experiment in the file at `path`. Raises ExperimentError."""
    path = pathlib.Path(path)
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExperimentError(f"{path}: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ExperimentError(f"{path}: {error}") from error
    if not isinstance(document, dict):
        raise ExperimentError(f"{path}: an experiment must be a mapping with the keys {', '.join(sorted(KEYS))}")
    refuse_unknown(path, "an experiment", document, KEYS)
    if missing := sorted(REQUIRED - document.keys()):
        raise ExperimentError(f"{path}: {missing[0]} is missing")
    axes = {}
    for axis in document["axes"]:
        name, labels = read_axis(path, axis)
        if name in axes:
            raise ExperimentError(f"{path}: two axes are named {name!r}")
        axes[name] = labels
    columns = dict(document["columns"])
    if both := sorted(columns.keys() & axes.keys()):
        raise ExperimentError(f"{path}: {both[0]!r} names an axis and a column")
    command = document.get("command", "run")
    refuse_unknown(path, "command", [command], COMMANDS)
    return Experiment(
        path=path, title=document["title"], shows=document.get("shows", ""), command=command, base=document["base"],
        settings=read_settings(path, "settings", document.get("settings")), axes=axes,
        overrides=read_overrides(path, document, axes),
        exclude=read_selectors(path, "exclude", document, axes),
        full_only=read_selectors(path, "full_only", document, axes), columns=columns,
        plot=dict(document["plot"]), claims=tuple(document.get("claims") or ()))


def read_axis(path, axis):
    """Reads an entry of `axes`, as (name, {label: settings})."""
    if not isinstance(axis, dict) or not AXIS_KEYS >= axis.keys() >= {"name", "values"}:
        raise ExperimentError(f"{path}: an axis needs a name, values, and a key unless each value names its own")
    name, values = axis["name"], axis["values"]
    if "key" in axis:
        if not isinstance(values, list):
            raise ExperimentError(f"{path}: axis {name!r}: with a key, values must be a list")
        labels = {as_text(value): {axis["key"]: as_text(value)} for value in values}
    elif isinstance(values, list):
        labels = {as_text(value): {} for value in values}
    elif isinstance(values, dict):
        labels = {as_text(label): read_settings(path, f"axis {name!r}: {label}", own)
                  for label, own in values.items()}
    else:
        raise ExperimentError(f"{path}: axis {name!r}: values must be a list, or map each label to settings")
    if len(labels) != len(values) or not labels:
        raise ExperimentError(f"{path}: axis {name!r}: values must be different, and at least one")
    return name, labels


def read_settings(path, where, settings):
    if not isinstance(settings or {}, dict):
        raise ExperimentError(f"{path}: {where}: settings must map configuration keys to values")
    return {key: as_text(value) for key, value in (settings or {}).items()}


def read_overrides(path, document, axes):
    """((selector, settings), ...) of `overrides`."""
    result = []
    for entry in document.get("overrides") or ():
        if not isinstance(entry, dict) or entry.keys() != {"where", "settings"}:
            raise ExperimentError(f"{path}: an override needs where and settings")
        result.append((read_selector(path, "overrides", entry["where"], axes),
                       read_settings(path, "overrides", entry["settings"])))
    return tuple(result)


def read_selectors(path, where, document, axes):
    return tuple(read_selector(path, where, selector, axes) for selector in document.get(where) or ())


def read_selector(path, where, selector, axes):
    """Reads a selector, as {axis: [labels]}, and checks all its names; a single label may be written without a list."""
    result = {}
    refuse_unknown(path, where, selector, axes.keys())
    for axis, chosen in selector.items():
        result[axis] = [as_text(label) for label in (chosen if isinstance(chosen, list) else [chosen])]
        refuse_unknown(path, f"{where}: {axis}", result[axis], axes[axis].keys())
    return result


def refuse_unknown(path, where, names, known):
    for name in names:
        if name not in known:
            raise ExperimentError(f"{path}: {where} has no {name!r}; known are {', '.join(sorted(known))}")

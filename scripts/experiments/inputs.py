"""Finds the files that a run reads. If one of them changes, the stored result is out of date."""

import pathlib

import yaml

import experiment

WORKLOADS = pathlib.Path("configs/workloads")


def of(point):
    """The files that the run of `point` reads, first its system file: every file that the system file or a setting
    names (a graph, a network or schedule of another tool, a table, the trace of every rank), and the layer table of a
    model. Paths are relative to the working directory, as in the command."""
    names = [*scalars(read(point.system)), *(name for _, value in point.settings for name in scalars(parsed(value)))]
    files = [point.system]
    for name in names:
        files += [file for file in files_of(name) if file not in files]
    return files


def files_of(name):
    """The file with that name, the traces of all ranks if their names begin with it, or the model's table."""
    if not name.strip() or "\n" in name or "\0" in name or len(name) > 4096:
        return []
    path = pathlib.Path(name)
    try:
        if path.is_file():
            return [name]
        if ranks := sorted(str(rank) for rank in path.parent.glob(f"{path.name}.*.et*") if rank.is_file()):
            return ranks
    except (OSError, ValueError, NotImplementedError):
        return []
    table = WORKLOADS / f"{name}.csv"
    return [str(table)] if "/" not in name and table.is_file() else []


def scalars(node):
    """All strings in a YAML document."""
    if isinstance(node, dict):
        return [text for value in node.values() for text in scalars(value)]
    if isinstance(node, list):
        return [text for item in node for text in scalars(item)]
    return [node] if isinstance(node, str) else []


def parsed(text):
    """The value of a setting, parsed as in the command."""
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def read(path):
    """The YAML document at `path`; None if it is invalid, which the command reports."""
    try:
        return yaml.safe_load(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise experiment.ExperimentError(f"{path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError):
        return None

"""Reads YAML with the location of every value, so that messages can state file:line:column."""

from __future__ import annotations

import pathlib
from typing import Any

import yaml


class SpaceError(Exception):
    """An error in a space or on the command line: its location, what is wrong, and what would be valid."""


class Document:
    """The values of a YAML file, and the location of each by its path."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SpaceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            self.value = yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark
            place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
            raise SpaceError(f"{place}: the file is not YAML: {error.problem}") from error
        self._places: dict[tuple[Any, ...], tuple[int, int]] = {}
        if node is not None:
            self._walk(node, ())

    def _walk(self, node: yaml.Node, path: tuple[Any, ...]) -> None:
        self._places[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*path, key.value)
                self._walk(value, inner)
                self._places[inner] = (key.start_mark.line + 1, key.start_mark.column + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                self._walk(value, (*path, number))

    def error(self, message: str, *path: Any) -> SpaceError:
        """An error at the value with that path, or at the enclosing value."""
        at = tuple(str(part) if not isinstance(part, int) else part for part in path)
        while at and at not in self._places:
            at = at[:-1]
        line, column = self._places.get(at, (1, 1))
        return SpaceError(f"{self.path}:{line}:{column}: {message}")

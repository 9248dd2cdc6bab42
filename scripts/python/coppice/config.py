"""Configurations: a file, or keys in a dictionary."""

from __future__ import annotations

import json
import numbers
import os
import pathlib
from collections.abc import Mapping
from typing import Any, Union

from coppice.command import schema

# A configuration: a YAML file, a dictionary of nested or dotted keys, or a result, whose run it repeats.
Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def flattened(keys: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """Turns {"system": {"clock": "1 GHz"}} into {"system.clock": "1 GHz"}; keys that are already dotted remain."""
    flat: dict[str, Any] = {}
    for key, value in keys.items():
        path = f"{within}.{key}" if within else str(key)
        if isinstance(value, Mapping):
            flat.update(flattened(value, path))
        else:
            flat[path] = value
    return flat


def nested(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Turns {"system.clock": "1 GHz"} into {"system": {"clock": "1 GHz"}}."""
    tree: dict[str, Any] = {}
    for path, value in flattened(keys).items():
        *sections, name = path.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return tree


def _is_size(schema: Mapping[str, Any]) -> bool:
    """Whether a part of the schema describes an amount of data (such as 4 KiB), not a rate (such as 4 KiB/s)."""
    forms = [schema, *schema.get("anyOf", [])]
    return any("|KiB|" in form.get("pattern", "") for form in forms)


def with_unit(key: str, value: Any) -> Any:
    """Adds the unit to a number of bytes: 4096 becomes "4096 B" for collective.size and other keys with an amount of
    data. Other values are returned unchanged."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        return value
    node: Any = schema()
    for part in key.split("."):
        forms = [node, *node.get("anyOf", [])]
        node = next((form["properties"][part] for form in forms if part in form.get("properties", {})), {})
    return f"{int(value)} B" if _is_size(node) else value


def override(key: str, value: Any) -> list[str]:
    """The option --set KEY=VALUE. Strings are written as they are, other values as JSON, which is valid YAML; a number
    of bytes gets its unit."""
    value = with_unit(key, value)
    return ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value, default=_plain)}"]


def _plain(value: Any) -> Any:
    """Converts numpy numbers, paths and sections of results to JSON values."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is not a valid value in a configuration")


def arguments(config: Config, overrides: Mapping[str, Any], folder: pathlib.Path) -> list[str]:
    """The command's arguments for a configuration; a dictionary or result is written to a file in `folder`."""
    words: list[str] = []
    if isinstance(config, Mapping):
        path = folder / "config.yaml"
        if "schema" in config:
            content = {name: config[name] for name in ("schema", "config", "assumptions") if name in config}
        else:
            content = nested({key: with_unit(key, value) for key, value in flattened(config).items()})
        path.write_text(json.dumps(content, indent=2, default=_plain), encoding="utf-8")
        words.append(str(path))
    else:
        words.append(os.fspath(config))
    for key, value in flattened(overrides).items():
        words += override(key, value)
    return words

"""Configurations: a file, or keys in a dictionary."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any, Union

# A configuration: a YAML file, or keys, nested or dotted.
Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def flattened(keys: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """{"system": {"clock": "1 GHz"}} as {"system.clock": "1 GHz"}; dotted keys stay."""
    flat: dict[str, Any] = {}
    for key, value in keys.items():
        path = f"{within}.{key}" if within else str(key)
        if isinstance(value, Mapping):
            flat.update(flattened(value, path))
        else:
            flat[path] = value
    return flat


def nested(keys: Mapping[str, Any]) -> dict[str, Any]:
    """{"system.clock": "1 GHz"} as {"system": {"clock": "1 GHz"}}."""
    tree: dict[str, Any] = {}
    for path, value in flattened(keys).items():
        *sections, name = path.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return tree


def override(key: str, value: Any) -> list[str]:
    """--set KEY=VALUE; JSON is YAML, but for texts, which stay as they are."""
    return ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]


def arguments(config: Config, overrides: Mapping[str, Any], folder: pathlib.Path) -> list[str]:
    """The configuration as the command reads it; keys of a dictionary are written into `folder`."""
    words: list[str] = []
    if isinstance(config, Mapping):
        path = folder / "config.yaml"
        path.write_text(json.dumps(nested(config), indent=2), encoding="utf-8")
        words.append(str(path))
    else:
        words.append(os.fspath(config))
    for key, value in flattened(overrides).items():
        words += override(key, value)
    return words

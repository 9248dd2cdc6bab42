"""Finds and calls the coppice command."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from typing import Any

# A wheel contains the command inside the package, with the libraries that it needs.
_INSTALLED = pathlib.Path(__file__).resolve().parent / "_installed"


class CoppiceError(RuntimeError):
    """The command rejected its input (status 2), or its run failed or timed out (status 1); the string is its
    message."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


class CoppiceWarning(UserWarning):
    """A warning of the command: a key without effect, a shallow buffer, an unfinished job."""


def reason_of(error: Exception) -> str:
    """An unexpected error in one readable line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def find_command() -> str:
    """The path of the command: the first of $COPPICE and of the commands in this wheel, on the PATH and in this checkout.

    Raises CoppiceError if there is none.
    """
    named = os.environ.get("COPPICE")
    if named:
        return named
    bundled = _INSTALLED / "bin/coppice"
    if bundled.is_file():
        return str(bundled)
    installed = shutil.which("coppice")
    if installed:
        return installed
    for folder in pathlib.Path(__file__).resolve().parents:
        for preset in ("release", "dev", "debug"):
            built = folder / "build" / preset / "coppice"
            if built.is_file():
                return str(built)
    raise CoppiceError("the coppice command was not found: install it, build it, or name it in $COPPICE", 2)


def environment(command: str) -> dict[str, str]:
    """The environment for the command: it runs its Python parts with this interpreter, and finds the libraries in a
    wheel."""
    values = dict(os.environ)
    values["COPPICE_PYTHON"] = sys.executable
    package = str(pathlib.Path(__file__).resolve().parents[1])
    values["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [values.get("PYTHONPATH")])])
    if pathlib.Path(command).is_relative_to(_INSTALLED):
        libraries = str(_INSTALLED / "lib")
        values["COPPICE_LIBRARIES"] = libraries
        values["LD_LIBRARY_PATH"] = os.pathsep.join([libraries, *filter(None, [values.get("LD_LIBRARY_PATH")])])
    return values


def call(arguments: Sequence[str], folder: str | os.PathLike[str] | None = None, timeout: float | None = None) -> str:
    """Runs the command in `folder` and returns its output; its warnings become Python warnings. Raises CoppiceError if
    the command fails or runs for more than `timeout` seconds."""
    command = [find_command(), *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=timeout,
                              stdin=subprocess.DEVNULL, env=environment(command[0]))
    except OSError as error:
        raise CoppiceError(f"cannot start {command[0]}: {error.strerror}", 2) from error
    except subprocess.TimeoutExpired as error:
        raise CoppiceError(f"coppice {' '.join(arguments[:2])} was stopped after {timeout:g} s", 1) from error
    if done.returncode != 0:
        raise CoppiceError(done.stderr.strip() or f"coppice exited with status {done.returncode}", done.returncode)
    for line in done.stderr.splitlines():
        if "warning: " in line:
            warnings.warn(line, CoppiceWarning, stacklevel=3)
    return done.stdout


def version() -> str:
    """The command's version, such as "0.1.0"."""
    return call(["--version"]).split()[-1]


@functools.lru_cache(maxsize=None)
def _schema_of(command: str, of: str) -> dict[str, Any]:
    return json.loads(call(["schema", of]))


def schema(of: str = "configuration") -> dict[str, Any]:
    """The JSON Schema of configurations, or `of` a "result" (`coppice schema`)."""
    return _schema_of(find_command(), of)

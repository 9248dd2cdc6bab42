"""The coppice command: where it is, and how it is called."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import warnings
from collections.abc import Sequence


class CoppiceError(RuntimeError):
    """The command refused its input (status 2) or the simulated run failed (status 1); the text is its message."""

    def __init__(self, message: str, status: int):
        super().__init__(message)
        self.status = status


def reason_of(error: Exception) -> str:
    """One line for people of an error that nobody expected."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def find_command() -> str:
    """The command: $COPPICE, else the one on the path, else that of the checkout around this file.

    Raises CoppiceError where there is none.
    """
    named = os.environ.get("COPPICE")
    if named:
        return named
    installed = shutil.which("coppice")
    if installed:
        return installed
    for folder in pathlib.Path(__file__).resolve().parents:
        for preset in ("release", "dev", "debug"):
            built = folder / "build" / preset / "coppice"
            if built.is_file():
                return str(built)
    raise CoppiceError("the coppice command was not found: install it, build it, or name it in $COPPICE", 2)


def call(arguments: Sequence[str], folder: str | os.PathLike[str] | None = None) -> str:
    """Runs the command in `folder` and returns what it prints; what it warns of become Python's warnings. Raises
    CoppiceError if it fails."""
    command = [find_command(), *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise CoppiceError(f"cannot start {command[0]}: {error.strerror}", 2) from error
    if done.returncode != 0:
        raise CoppiceError(done.stderr.strip() or f"coppice ended with status {done.returncode}", done.returncode)
    for line in done.stderr.splitlines():
        if "warning: " in line:
            warnings.warn(line, stacklevel=3)
    return done.stdout


def version() -> str:
    """The version of the command, such as "0.1.0"."""
    return call(["--version"]).split()[-1]

"""Writes all files of the package."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable


def write(path: str | os.PathLike[str], fill: Callable[[pathlib.Path], object]) -> None:
    """Atomically creates the file that fill(name) writes: fill() writes a temporary file next to it, so that nobody sees an
    incomplete file, and processes that finish simultaneously do not interfere.

    The target of a symbolic link is replaced, not the link; a device or pipe is written, not replaced. Raises OSError, or
    whatever `fill` raises, and leaves no temporary file behind.
    """
    target = pathlib.Path(path).resolve()
    if target.exists() and not target.is_file():
        with tempfile.TemporaryDirectory(prefix="coppice-") as folder:
            own = pathlib.Path(folder) / target.name
            fill(own)
            with own.open("rb") as written, target.open("wb") as out:
                shutil.copyfileobj(written, out)
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        fill(partial)
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, partial)
        os.replace(partial, target)
    finally:
        for left in (partial, partial.with_name(partial.name + "-journal")):
            left.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a string to a file, as write() does."""
    write(path, lambda partial: partial.write_text(text, encoding="utf-8"))

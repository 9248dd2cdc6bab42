"""The one writer of the package's files."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable


def write(path: str | os.PathLike[str], fill: Callable[[pathlib.Path], None]) -> None:
    """The file that fill(name) writes, whole or not at all: under a temporary name beside its place first, so that nobody
    sees half a file, and processes that end at once do not disturb each other.

    A symbolic link stays, and its target is replaced; a device or a pipe is written, and never replaced. Raises OSError,
    or what `fill` raises, and leaves nothing behind.
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
    """A file with some text, as write() has it."""
    write(path, lambda partial: partial.write_text(text, encoding="utf-8") and None)

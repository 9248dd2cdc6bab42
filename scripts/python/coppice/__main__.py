"""`python -m coppice`: runs the command, whose Python parts use this interpreter."""

from __future__ import annotations

import os
import sys

from coppice.command import CoppiceError, environment, find_command


def main() -> None:
    """Replaces this process with the command."""
    try:
        command = find_command()
        os.execve(command, ["coppice", *sys.argv[1:]], environment(command))
    except CoppiceError as error:
        sys.exit(f"coppice: {error}")
    except OSError as error:
        sys.exit(f"coppice: {command} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main()

"""The small runs in the sub-folders, and how tests run them."""

import json
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

KINDS = sorted(path.parent.name for path in HERE.glob("*/config.yaml"))

# These fields differ between two runs of the same configuration.
UNSTEADY = ("simulator", "version", "warnings", "command", "commit")


class Folder:
    """A temporary folder with the files of a kind of run; commands run in it."""

    def __init__(self, command, kind):
        self.command = str(pathlib.Path(command).resolve())
        self.place = tempfile.TemporaryDirectory(prefix="coppice-run-")
        self.path = pathlib.Path(self.place.name)
        shutil.copytree(HERE / kind, self.path, dirs_exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.cleanup()

    def call(self, *words):
        return subprocess.run([self.command, *words], cwd=self.path, capture_output=True, text=True, check=False)

    def result(self, name):
        """A result without the fields that differ between two runs of the same configuration."""
        result = json.loads((self.path / name).read_text(encoding="utf-8"))
        return {key: value for key, value in result.items() if key not in UNSTEADY}

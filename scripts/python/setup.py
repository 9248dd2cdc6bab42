"""Builds a wheel with the command, its libraries and the configurations: `pip install scripts/python`, or `make wheel`.
Builds the checkout's build/release if it is missing; needs no package index."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
# Libraries that belong to the C library must match the kernel and the loader, and are left out.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|pthread|rt|resolv|util))\.so")


def version() -> str:
    return re.search(r"project\(coppice VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def build_command() -> None:
    if (BUILD / "coppice").is_file():
        return
    try:
        subprocess.run(["cmake", "--preset", "release"], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "coppice"], cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"coppice: there is no {BUILD / 'coppice'}, and it cannot be built: {error}; run `make command` first")


def libraries_of(command: pathlib.Path) -> list[pathlib.Path]:
    """The shared libraries that the command is linked with, without the C library."""
    text = subprocess.run(["ldd", command], check=True, capture_output=True, text=True).stdout
    found = [pathlib.Path(match[1]) for match in re.finditer(r"=> (/\S+)", text)]
    return [path for path in found if not OF_THE_SYSTEM.match(path.name)]


class BuildWithCommand(build_py):
    """Copies bin/, lib/ and share/ of an installation to coppice/_installed."""

    def run(self) -> None:
        super().run()
        build_command()
        target = pathlib.Path(self.build_lib) / "coppice/_installed"
        shutil.rmtree(target, ignore_errors=True)
        with tempfile.TemporaryDirectory() as stage:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", stage, "--component", "command", "--strip"], check=True,
                           stdout=subprocess.DEVNULL)
            for folder in ("bin", "share"):
                shutil.copytree(pathlib.Path(stage) / folder, target / folder)
        (target / "lib").mkdir()
        for library in libraries_of(target / "bin/coppice"):
            shutil.copy(library, target / "lib" / library.name)


class PlatformWheel(bdist_wheel):
    """Tags the wheel for any Python 3 on this platform."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(version=version(), cmdclass={"build_py": BuildWithCommand, "bdist_wheel": PlatformWheel})

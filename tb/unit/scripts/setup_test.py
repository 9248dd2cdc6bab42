#!/usr/bin/python3
"""Tests setup.sh with stand-ins for dpkg-query, apt-get and sudo, which record how they are called."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
NOBODY = 65534

DPKG_QUERY = """#!/bin/bash
status=0
for argument in "$@"; do
  [[ $argument == -* ]] && continue
  case " $INSTALLED " in
    *" $argument "*) echo "$argument installed" ;;
    *) case " $REMOVED " in *" $argument "*) echo "$argument config-files" ;; *) status=1 ;; esac ;;
  esac
done
exit $status
"""
APT_GET = '#!/bin/bash\necho "apt-get $*" >>"$CALLS"\n[[ " $* " != *" $APT_FAILS "* ]]\n'
APT_CACHE = '#!/bin/bash\ncase " $KNOWN " in *" $2 "*) ;; *) exit 100 ;; esac\n'
SUDO = '#!/bin/bash\necho "sudo $*" >>"$CALLS"\nexit ${SUDO_STATUS:-0}\n'


class Setup(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o777)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        shutil.copy(SCRIPTS / "setup.sh", self.folder)
        (self.folder / "packages_run.txt").write_text("# group\nalpha   # why\n\nbeta\ngamma # why\n")
        (self.folder / "packages_other.txt").write_text("delta # why\n")
        (self.folder / "packages_old.txt").write_text("alpha # why\nepsilon  # why (not in Debian 13)\n")
        for tool in ("bash", "env", "sed", "grep", "realpath", "dirname"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        self.tool("dpkg-query", DPKG_QUERY)
        self.tool("apt-get", APT_GET)
        self.tool("apt-cache", APT_CACHE)

    def tool(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def run_setup(self, as_root=True, purposes=("run",), **environment):
        """Returns (exit status, output, calls of apt-get and sudo). Only root can run the script as another user."""
        calls = self.folder / "calls"
        user = {}
        if as_root and os.geteuid() != 0:
            self.skipTest("only root can show what root sees")
        if not as_root and os.geteuid() == 0:
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        run = subprocess.run([self.folder / "setup.sh", *purposes], capture_output=True, text=True, check=False,
                             stdin=subprocess.DEVNULL, **user,
                             env={"PATH": str(self.bin), "CALLS": str(calls), **environment})
        return run.returncode, run.stdout + run.stderr, calls.read_text() if calls.exists() else ""

    def test_does_nothing_if_nothing_is_missing(self):
        self.assertEqual(self.run_setup(as_root=False, INSTALLED="alpha beta gamma"), (0, "", ""))

    def test_installs_only_what_is_missing(self):
        status, _, calls = self.run_setup(INSTALLED="beta")
        self.assertEqual(status, 0)
        self.assertEqual(calls.splitlines()[0], "apt-get -qq update")
        self.assertIn("--no-install-recommends alpha gamma", calls)

    def test_installs_for_several_purposes_at_once(self):
        calls = self.run_setup(purposes=("run", "other"), INSTALLED="beta gamma")[2]
        self.assertIn("--no-install-recommends alpha delta", calls)

    def test_skips_packages_that_newer_systems_do_not_have(self):
        self.assertEqual(self.run_setup(purposes=("old",), INSTALLED="alpha", KNOWN="alpha"), (0, "", ""))
        calls = self.run_setup(purposes=("old",), KNOWN="alpha")[2]
        self.assertIn("--no-install-recommends alpha -qq", calls)

    def test_installs_packages_that_only_older_systems_have(self):
        self.assertIn("--no-install-recommends alpha epsilon -qq",
                      self.run_setup(purposes=("old",), KNOWN="alpha epsilon")[2])

    def test_an_unknown_purpose_or_none_is_refused(self):
        self.assertEqual(self.run_setup(purposes=("cooking",))[0], 2)
        status, output, calls = self.run_setup(purposes=())
        self.assertEqual((status, calls), (2, ""))
        self.assertIn("packages_PURPOSE.txt", output)

    def test_a_removed_package_with_remaining_configuration_is_missing(self):
        self.assertIn("--no-install-recommends gamma", self.run_setup(INSTALLED="alpha beta", REMOVED="gamma")[2])

    def test_a_failed_installation_fails(self):
        status, output, _ = self.run_setup(INSTALLED="beta", APT_FAILS="install")
        self.assertEqual(status, 1)
        self.assertIn("could not install", output)

    def test_continues_if_the_index_cannot_be_refreshed(self):
        status, output, calls = self.run_setup(INSTALLED="beta", APT_FAILS="update")
        self.assertEqual(status, 0)
        self.assertIn("update failed", output)
        self.assertIn("apt-get install", calls)

    def test_prints_the_command_without_root_or_sudo(self):
        status, output, calls = self.run_setup(as_root=False, INSTALLED="beta")
        self.assertEqual((status, calls), (1, ""))
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends alpha gamma", output)

    def test_does_not_use_sudo_that_would_ask_without_a_terminal(self):
        self.tool("sudo", SUDO)
        status, output, calls = self.run_setup(as_root=False, INSTALLED="beta", SUDO_STATUS="1")
        self.assertEqual((status, calls), (1, "sudo -n true\n"))
        self.assertIn("needs root or sudo", output)

    def test_uses_sudo_if_not_root(self):
        self.tool("sudo", SUDO)
        status, _, calls = self.run_setup(as_root=False, INSTALLED="beta")
        self.assertEqual(status, 0)
        self.assertIn("apt-get install -y --no-install-recommends alpha gamma", calls.splitlines()[-1])
        self.assertTrue(all(line.startswith("sudo ") for line in calls.splitlines()))

    def test_lists_the_packages_on_other_systems(self):
        (self.bin / "dpkg-query").unlink()
        status, output, calls = self.run_setup(as_root=False)
        self.assertEqual((status, calls), (1, ""))
        self.assertIn("not a Debian system", output)
        self.assertIn("  gamma\n", output)


if __name__ == "__main__":
    unittest.main()

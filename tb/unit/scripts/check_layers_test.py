#!/usr/bin/python3
"""Tests check_layers on small source trees with one error each."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/check_layers"

CMAKE_LISTS = """
coppice_library(base)
coppice_library(topology DEPENDS base LINK Boost::headers)
coppice_library(config DEPENDS topology)
coppice_library(fabric DEPENDS config LINK SystemC::SystemC)
coppice_library(island)
"""


class CheckLayers(unittest.TestCase):
    def errors(self, files, cmake_lists=CMAKE_LISTS):
        """The output of the script for a tree {path: text}; it must agree with the exit status."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(cmake_lists)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            run = subprocess.run([SCRIPT, root], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 1 if run.stderr else 0)
            return run.stderr.replace(folder + "/", "")

    def test_accepts_direct_and_indirect_dependencies_above(self):
        self.assertEqual(self.errors({
            "config/a.h": '#include "base/units.h"\n#include "topology/graph.h"\n#include <vector>\n',
            "fabric/b.cpp": '#include <systemc>\n#include "config/a.h"\n',
            "app/main.cpp": '#include <systemc>\n#include "island/x.h"\n'}), "")

    def test_rejects_includes_of_folders_below(self):
        self.assertIn("topology/a.cpp:2: topology/ must not include config/",
                      self.errors({"topology/a.cpp": '#include <map>\n  #  include "config/config.h"\n'}))

    def test_rooms_use_those_before_them_and_the_folder_uses_all_rooms(self):
        rooms = "coppice_library(house\n  ROOMS cellar hall attic\n  DEPENDS base)\n"
        files = {"house/hall/a.cpp": '#include "house/cellar/b.h"\n#include "house/hall/c.h"\n',
                 "house/door.cpp": '#include "house/attic/d.h"\n#include "base/units.h"\n'}
        self.assertEqual(self.errors(files, "coppice_library(base)\n" + rooms), "")
        self.assertIn("house/hall/a.cpp:1: house/hall/ must not include house/attic/d.h: it may use cellar, hall",
                      self.errors({"house/hall/a.cpp": '#include "house/attic/d.h"\n'},
                                  "coppice_library(base)\n" + rooms))
        self.assertIn("house/cellar/a.h:1: house/cellar/ must not include house/door.h",
                      self.errors({"house/cellar/a.h": '#include "house/door.h"\n'},
                                  "coppice_library(base)\n" + rooms))

    def test_rejects_a_sub_folder_that_is_not_a_room(self):
        self.assertIn("config/shed/a.h:1: shed/ is not one of the ROOMS of config/",
                      self.errors({"config/shed/a.h": ""}))

    def test_rejects_units_that_depend_on_each_other(self):
        self.assertIn("units depend on each other: topology/a -> topology/b -> topology/c -> topology/a",
                      self.errors({"topology/a.h": '#include "topology/b.h"\n',
                                   "topology/b.h": "",
                                   "topology/b.cpp": '#include "topology/b.h"\n#include "topology/c.h"\n',
                                   "topology/c.h": '#include "topology/a.h"\n'}))

    def test_a_unit_is_a_header_and_its_source_file(self):
        self.assertEqual(self.errors({"config/a.h": "", "config/a.cpp": '#include "config/a.h"\n'}), "")

    def test_rejects_includes_of_folders_that_are_not_dependencies(self):
        self.assertIn("island/a.h:1: island/ must not include base/",
                      self.errors({"island/a.h": '#include "base/units.h"\n'}))

    def test_rejects_systemc_in_a_folder_that_does_not_link_it(self):
        for header in ("systemc", "systemc.h", "tlm", "sysc/kernel/sc_time.h"):
            self.assertIn("config/a.cpp:1: config/ is free of SystemC",
                          self.errors({"config/a.cpp": f"#include <{header}>\n"}))

    def test_rejects_an_include_without_a_folder(self):
        self.assertIn('"config/loader.h"?', self.errors({"config/a.cpp": '#include "loader.h"\n'}))

    def test_rejects_a_folder_that_is_not_a_library(self):
        self.assertIn("misc/a.h:1: misc/ is not a coppice_library()", self.errors({"misc/a.h": ""}))

    def test_rejects_a_library_that_depends_on_one_below(self):
        self.assertIn("CMakeLists.txt:1: base depends on topology, which is not above it",
                      self.errors({}, "coppice_library(base DEPENDS topology)\ncoppice_library(topology)\n"))


if __name__ == "__main__":
    unittest.main()

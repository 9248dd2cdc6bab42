#!/usr/bin/python3
"""Tests scripts/cmake/unity_groups, which finds the sources that can be compiled together."""

import pathlib
import subprocess
import tempfile
import unittest

GROUPS = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "cmake" / "unity_groups"


def source(inside, outside="", imports=""):
    return f"{imports}\nnamespace room {{\nnamespace {{\n\n{inside}\n\n}}  // namespace\n\n{outside}\n\n}}  // namespace room\n"


class UnityGroups(unittest.TestCase):
    def groups(self, *options, **files):
        """The groups; each is a sorted list of file names."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in files.items():
                header = name.endswith("_h")
                path = pathlib.Path(folder) / (name[:-2] + ".h" if header else name + ".cpp")
                path.write_text(text, encoding="utf-8")
                if not header:
                    paths.append(str(path))
            printed = subprocess.run([GROUPS, *options, *paths], check=True, capture_output=True, text=True).stdout
        groups = {}
        for line in printed.splitlines():
            number, path = line.split(";")
            groups.setdefault(number, []).append(pathlib.Path(path).stem)
        return sorted(sorted(group) for group in groups.values())

    def test_sources_without_internal_names_are_one_group(self):
        self.assertEqual(self.groups(a=source(""), b=source("")), [["a", "b"]])

    def test_an_internal_name_in_two_sources_separates_them(self):
        for first, second in [("int index(int at) {", "std::size_t index() {"),
                              ("struct Reader {", "class Reader final {"),
                              ("constexpr int kMost = 3;", "const std::size_t kMost{4};"),
                              ("using Links = std::vector<int>;", "struct Links {"),
                              ("enum class Purpose { kData };", "enum class Purpose {")]:
            with self.subTest(first):
                self.assertEqual(self.groups(a=source(first), b=source(second), c=source("int other() {")),
                                 [["a", "c"], ["b"]])

    def test_an_internal_name_that_a_header_declares_isolates_its_source(self):
        self.assertEqual(self.groups(h_h="struct Part {\n", a=source("struct Part {"), b=source(""), c=source("")),
                         [["a"], ["b", "c"]])

    def test_an_imported_name_separates_sources_that_use_another_of_that_name(self):
        imports = "using schedule::Table;\n"
        self.assertEqual(self.groups(a=source("", imports=imports), b=source("", "Table make();"), c=source("")),
                         [["a", "c"], ["b"]])
        self.assertEqual(self.groups(a=source("", imports=imports), b=source("", "ni::Table make();")), [["a", "b"]])

    def test_an_imported_namespace_isolates_its_source(self):
        self.assertEqual(self.groups(a=source("", imports="using namespace rc;\n"), b=source("")), [["a"], ["b"]])

    def test_a_group_has_at_most_the_allowed_number_of_sources(self):
        files = {name: source("") for name in "abcde"}
        self.assertEqual(self.groups("--most", "2", **files), [["a", "b"], ["c", "d"], ["e"]])


if __name__ == "__main__":
    unittest.main()

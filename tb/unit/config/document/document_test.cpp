#include "config/document/document.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The error message of read_document() for `text`, without the file name.
std::string complaint(const std::string& text) {
  const ScratchFile file(text);
  try {
    read_document(file.path());
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    EXPECT_THAT(what, StartsWith(file.path() + ":"));
    return what.substr(file.path().size() + 1);
  }
  return "accepted";
}

std::string override_complaint(const std::string& text) {
  try {
    parse_override(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReadDocument, KeepsTheLocationOfEveryKeyAndValue) {
  const ScratchFile file("# comment\nsystem:\n  dims: [4,  8]\n  clock: 1 GHz  # fast\n");
  const Node root = read_document(file.path());
  ASSERT_EQ(root.kind, Node::Kind::kMap);
  const Node& system = root.children.at(0);
  EXPECT_EQ(system.name, "system");
  EXPECT_EQ(system.name_place.line, 2);
  const Node& dims = system.children.at(0);
  ASSERT_EQ(dims.kind, Node::Kind::kList);
  EXPECT_EQ(dims.children.at(1).text, "8");
  EXPECT_EQ(dims.children.at(1).place.line, 3);
  EXPECT_EQ(dims.children.at(1).place.column, 14);
  const Node& clock = system.children.at(1);
  EXPECT_EQ(clock.text, "1 GHz");
  EXPECT_EQ(clock.name_place.column, 3);
  EXPECT_EQ(clock.place.column, 10);
  EXPECT_EQ(clock.place.file, file.path());
}

TEST(ReadDocument, RejectsFilesThatCannotBeRead) {
  EXPECT_THROW(read_document("/nonexistent/coppice.yaml"), ConfigError);
  try {
    read_document("/nonexistent/coppice.yaml");
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                StartsWith("/nonexistent/coppice.yaml:1:1: the file cannot be read: No such file"));
  }
  const std::string directory = std::filesystem::temp_directory_path().string();
  try {
    read_document(directory);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), StartsWith(directory + ":1:1: this is a directory"));
  }
  const ScratchFile file("a: 1\n");
  EXPECT_THROW(read_document(file.path() + "/below"), ConfigError);
}

TEST(ReadDocument, RejectsFilesThatAreNotASingleMap) {
  EXPECT_THAT(complaint(""), StartsWith("1:1: the file is empty"));
  EXPECT_THAT(complaint("# only a comment\n"), StartsWith("1:1: the file is empty"));
  EXPECT_THAT(complaint("- a\n- b\n"), StartsWith("1:1: the file must be a map"));
  EXPECT_THAT(complaint("\nword\n"), StartsWith("2:1: the file must be a map"));
  EXPECT_THAT(complaint("a: 1\n---\nb: 2\n"), StartsWith("2:1: a second YAML document"));
  // For this text, the YAML library returns an endless series of documents, so the reader must stop at the
  // second.
  EXPECT_THAT(complaint("a, b]  # c\n, 1 ]\nd,topology: [ e. f]g, h"), HasSubstr("second YAML document"));
  EXPECT_EQ(complaint("---\na: 1\n...\n"), "accepted");
}

TEST(ReadDocument, RejectsInvalidYaml) {
  EXPECT_THAT(complaint("a: [1, 2\nb: 3\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(complaint("a: 1\n  b: 2\n"), StartsWith("2:4: not valid YAML"));
  EXPECT_THAT(complaint("a: *nobody\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(complaint(std::string("a: 1\nb\0c: 2\n", 12)), StartsWith("2:2: the byte 0x00"));
  EXPECT_THAT(complaint("\x7f"
                        "ELF\x02\x01\x01"),
              HasSubstr("the byte 0x02"));
}

// Results are JSON, which requires UTF-8. Without this check, a run would only fail when it writes its
// result.
TEST(ReadDocument, RefusesTextsThatAreNotUtf8) {
  EXPECT_THAT(complaint("system:\n  file: n\xe9t.graph\n"),
              StartsWith("2:9: this text contains bytes that are not UTF-8"));
  EXPECT_THAT(override_complaint("system.file=n\xe9t.graph"), HasSubstr("not UTF-8"));
  EXPECT_EQ(complaint("system:\n  file: n\xc3\xa9t.graph\n"), "accepted");
}

TEST(ReadDocument, RejectsDuplicateKeys) {
  EXPECT_THAT(complaint("a: 1\nb: 2\na: 3\n"), StartsWith("3:1: 'a' is already set at line 1"));
  EXPECT_THAT(complaint("s:\n  x: 1\n  x: 1\n"), StartsWith("3:3: 'x' is already set at line 2"));
  EXPECT_THAT(complaint("[a]: 1\n"), StartsWith("1:1: a key must be a plain name"));
}

TEST(ReadDocument, RejectsRecursiveAliases) {
  EXPECT_THAT(complaint("a: &x [*x]\n"), HasSubstr("nested too deeply"));
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_THAT(complaint(bomb), HasSubstr("nested too deeply"));
}

TEST(ParseOverride, NestsMapsAlongTheKey) {
  const Node root = parse_override("system.link.bandwidth=[16 GB/s, 8 GB/s]");
  const Node& link = root.children.at(0).children.at(0);
  EXPECT_EQ(link.name, "link");
  const Node& bandwidth = link.children.at(0);
  EXPECT_EQ(bandwidth.name, "bandwidth");
  EXPECT_EQ(bandwidth.name_place.column, 13);
  ASSERT_EQ(bandwidth.kind, Node::Kind::kList);
  EXPECT_EQ(bandwidth.children.at(1).text, "8 GB/s");
  EXPECT_EQ(bandwidth.children.at(1).place.column, 33);
  EXPECT_EQ(bandwidth.place.file, "--set system.link.bandwidth=[16 GB/s, 8 GB/s]");
}

TEST(ParseOverride, RejectsWhatIsNotAKeyAndValue) {
  EXPECT_THAT(override_complaint("seed"), StartsWith("--set seed:1:1: an override must be KEY=VALUE"));
  EXPECT_THAT(override_complaint("=3"), HasSubstr("must be KEY=VALUE"));
  EXPECT_THAT(override_complaint("a..b=3"), StartsWith("--set a..b=3:1:3: part"));
  EXPECT_THAT(override_complaint(".a=3"), StartsWith("--set .a=3:1:1: part"));
  EXPECT_THAT(override_complaint("a.=3"), StartsWith("--set a.=3:1:3: part"));
  EXPECT_THAT(override_complaint("a=[1, 2"), StartsWith("--set a=[1, 2:1:"));
  EXPECT_THAT(override_complaint("a=[1, 2"), HasSubstr("not valid YAML"));
  EXPECT_EQ(override_complaint("a=b=c"), "accepted");
}

TEST(Merge, MergesMapsAndReplacesOtherValues) {
  const ScratchFile file("s:\n  x: 1\n  y: [1, 2]\nt:\n");
  Node root = read_document(file.path());
  merge(root, parse_override("s.y=7"));
  merge(root, parse_override("s.z=8"));
  merge(root, parse_override("t.u=9"));
  merge(root, parse_override("v={w: 10}"));
  const Node& s = root.children.at(0);
  ASSERT_EQ(s.children.size(), 3U);
  EXPECT_EQ(s.children[0].text, "1");
  EXPECT_EQ(s.children[1].text, "7");
  EXPECT_TRUE(s.children[1].children.empty());
  EXPECT_EQ(s.children[1].place.file, "--set s.y=7");
  EXPECT_EQ(s.children[2].text, "8");
  EXPECT_EQ(root.children.at(1).children.at(0).text, "9");
  EXPECT_EQ(root.children.at(2).children.at(0).text, "10");
}

}  // namespace
}  // namespace coppice::config

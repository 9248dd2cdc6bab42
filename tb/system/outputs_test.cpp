// Output files are opened before the run, are written completely or not at all, and never replace an input
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A size with which a run takes so long that a test would time out.
constexpr const char* kEndless = "collective.size=1 GiB";

TEST(Outputs, ThatCannotBeWrittenAreRejectedBeforeTheRun) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  std::filesystem::create_directory(shop.directory() + "/folder");
  for (const std::string option : {"--out", "--trace", "--vcd"}) {
    const std::pair<const char*, const char*> cases[] = {{"nowhere/r", "No such file or directory"},
                                                         {"c.yaml/r", "Not a directory"},
                                                         {"folder", "is a directory"}};
    for (const auto& [path, reason] : cases) {
      const Outcome outcome = shop.run({"run", "c.yaml", "--set", kEndless, option, path});
      EXPECT_EQ(outcome.status, 2) << option << ' ' << path;
      EXPECT_THAT(outcome.err, StartsWith(option + " " + path + ":1:1: ")) << option << ' ' << path;
      EXPECT_THAT(outcome.err, HasSubstr(reason)) << option << ' ' << path;
    }
  }
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "folder"));
}

TEST(Outputs, OfTrafficAndBoundAreCheckedToo) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  Outcome outcome = shop.run({"bound", "c.yaml", "--out", "nowhere/b.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--out nowhere/b.json:1:1: "));
  outcome = shop.run({"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1",
                      "--out", "nowhere/t.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--out nowhere/t.json:1:1: "));
}

TEST(Outputs, NeverReplaceTheConfigurationOrEachOther) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  Outcome outcome = shop.run({"run", "c.yaml", "--out", "./c.yaml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is also the configuration"));
  outcome = shop.run({"run", "c.yaml", "--out", "r", "--trace", "./r"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("--trace ./r:1:1: './r' is already another output"));
  EXPECT_EQ(shop.read("c.yaml"), kSmallConfig);
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

// Outputs must not replace files that the configuration names or that a command reads in addition to the
// configuration.
TEST(Outputs, NeverReplaceInputs) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  shop.write("net.yml", "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
  shop.write("sys.json", R"({"all-reduce-implementation": ["ring"]})");
  shop.write(
      "astra.yaml",
      "system:\n"
      "  topology: {kind: hierarchy, dimensions: net.yml}\n"
      "collective: {op: all_reduce, algorithm: hierarchical, size: 1 KiB, dimension_algorithms: sys.json}\n");
  shop.write("packets.txt", "ID:7 CYC:20 SRC:1 DST:2 ADR:0x40 TYP:ReadReq NDEP:0\n");
  shop.write("program.yaml",
             "system:\n"
             "  topology: {kind: torus, dims: [2, 2]}\n"
             "collective: {algorithm: ring}\n"
             "training: {model: llama3_8b, parallel: {tensor: 4}, batch_per_accelerator: 1, sequence: 16}\n");
  ASSERT_EQ(shop.run({"convert", "program.yaml", "--out", "t"}).status, 0);
  shop.write("trace.yaml",
             "system:\n"
             "  topology: {kind: torus, dims: [2, 2]}\n"
             "collective: {algorithm: ring}\n"
             "program: {trace: \"t.{rank}.et\"}\n");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"run", "astra.yaml"}, "net.yml"},
      {{"run", "astra.yaml"}, "sys.json"},
      {{"bound", "astra.yaml"}, "./net.yml"},
      {{"traffic", "c.yaml", "--trace", "packets.txt"}, "packets.txt"},
      {{"run", "trace.yaml"}, "t.1.et"}};
  for (const auto& [command, name] : cases) {
    const std::string before = shop.read(name);
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--out", name});
    const Outcome outcome = shop.run(arguments);
    EXPECT_EQ(outcome.status, 2) << name << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("'") + name + "' is also an input; name another file"));
    EXPECT_EQ(shop.read(name), before) << name;
  }
}

TEST(Outputs, ReplaceAnOlderFileOnlyWhenTheRunIsDone) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  shop.write("r.json", "older");
  EXPECT_EQ(shop.run({"run", "c.yaml", "--out", "r.json", "--set", "max_cycles=100"}).status, 1);
  EXPECT_EQ(shop.read("r.json"), "older");
  EXPECT_EQ(shop.run({"run", "c.yaml", "--out", "r.json"}).status, 0);
  EXPECT_EQ(shop.read_json("r.json")["schema"], "coppice.result/1");
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "r.json"));
}

TEST(Outputs, FollowLinksAndKeepDevices) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  std::filesystem::create_symlink("target.json", shop.directory() + "/link.json");
  EXPECT_EQ(shop.run({"run", "c.yaml", "--out", "link.json"}).status, 0);
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "link.json", "target.json"));
  EXPECT_TRUE(std::filesystem::is_symlink(shop.directory() + "/link.json"));
  EXPECT_EQ(shop.run({"bound", "c.yaml", "--out", "/dev/null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Outputs, FailTheCommandIfTheDiskIsFull) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  Outcome outcome = shop.run({"bound", "c.yaml", "--out", "/dev/full"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("--out: '/dev/full' cannot be written: No space left on device; name another"));
  outcome = shop.run({"run", "c.yaml", "--trace", "/dev/full"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("--trace: '/dev/full' cannot be written: No space left on device; name another"));
  outcome = shop.run_into("/dev/full", {"list"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace coppice::system_test

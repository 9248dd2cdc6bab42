// Output files: tried before the run, whole or not there, and never over what must stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A run that no test would wait for.
constexpr const char* kEndless = "collective.size=1 GiB";

TEST(Outputs, ThatCannotBeWrittenAreRefusedBeforeTheRun) {
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

TEST(Outputs, OfTrafficAndBoundAreTriedToo) {
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
  EXPECT_THAT(outcome.err, HasSubstr("is the configuration"));
  outcome = shop.run({"run", "c.yaml", "--out", "r", "--trace", "./r"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("--trace ./r:1:1: './r' is another output"));
  EXPECT_EQ(shop.read("c.yaml"), kSmallConfig);
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
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

TEST(Outputs, FollowLinksAndLeaveDevicesAlone) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  std::filesystem::create_symlink("target.json", shop.directory() + "/link.json");
  EXPECT_EQ(shop.run({"run", "c.yaml", "--out", "link.json"}).status, 0);
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "link.json", "target.json"));
  EXPECT_TRUE(std::filesystem::is_symlink(shop.directory() + "/link.json"));
  EXPECT_EQ(shop.run({"bound", "c.yaml", "--out", "/dev/null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Outputs, ThatFillUpFailTheCommand) {
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
  EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written"));
}

}  // namespace
}  // namespace coppice::system_test

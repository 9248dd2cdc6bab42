// Tests `coppice topology`, the other formats of schedules, --quiet and --json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++found;
  return found;
}

TEST(Topology, IsPrintedForOtherTools) {
  const Workshop shop;
  const std::string config = shipped_config("systems/fat_tree_16.yaml");
  const Outcome dot = shop.run({"topology", config});
  EXPECT_EQ(dot.status, 0) << dot.err;
  EXPECT_EQ(count(dot.out, " -> "), 48);
  EXPECT_EQ(count(dot.out, "shape=box"), 2);
  const Outcome graphml = shop.run({"topology", config, "--format", "graphml"});
  EXPECT_EQ(count(graphml.out, "<edge "), 48);
  EXPECT_EQ(count(graphml.out, "<node "), 18);
  const Outcome tacos = shop.run({"topology", config, "--format", "tacos"});
  EXPECT_EQ(tacos.status, 2);
  EXPECT_THAT(tacos.err, HasSubstr("TACOS cannot express switches"));
}

TEST(Topology, InTacosFormatHasARowForEachLink) {
  const Workshop shop;
  const Outcome outcome = shop.run({"topology", shipped_config("systems/torus_4x4.yaml"), "--format", "tacos",
                                    "--set", "system.link.bandwidth=1073741824 B/s"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(count(outcome.out, ",150,1\n"), 64);
}

// Writes a schedule in `format` and runs the written file.
nlohmann::ordered_json run_again(const Workshop& shop, const std::string& format, const std::string& op) {
  const std::string config = shipped_config("systems/dgx1.yaml");
  const std::vector<std::string> set{"--set", "collective.op=" + op, "--set", "collective.size=64 KiB",
                                     "--set", "collective.chunks=1"};
  std::vector<std::string> write{"schedule", config,  "--format",
                                 format,     "--set", "collective.algorithm=multitree"};
  write.insert(write.end(), set.begin(), set.end());
  const Outcome written = shop.run(write);
  EXPECT_EQ(written.status, 0) << written.err;
  shop.write("schedule", written.out);
  std::vector<std::string> run{"run",   config,
                               "--set", "collective.algorithm=file",
                               "--set", "collective.file=schedule",
                               "--set", "check=values",
                               "--out", format + ".json"};
  run.insert(run.end(), set.begin(), set.end());
  const Outcome outcome = shop.run(run);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return shop.read_json(format + ".json");
}

TEST(ScheduleFormats, OfOtherToolsRunLikeTheCompiledSchedule) {
  const Workshop shop;
  for (const char* op : {"all_reduce", "all_gather", "reduce_scatter"}) {
    const auto json = run_again(shop, "json", op);
    const auto msccl = run_again(shop, "msccl", op);
    EXPECT_EQ(msccl["verified"], "values") << op;
    EXPECT_EQ(msccl["flits"], json["flits"]) << op;
  }
  const auto tacos = run_again(shop, "tacos", "all_gather");
  EXPECT_EQ(tacos["verified"], "values");
}

TEST(Style, PrintsNothingOrTheResult) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  EXPECT_THAT(shop.run({"run", "c.yaml", "--quiet"}).out, IsEmpty());
  const Outcome outcome = shop.run({"run", "c.yaml", "--json"});
  EXPECT_EQ(nlohmann::ordered_json::parse(outcome.out)["schema"], "coppice.result/1");
  EXPECT_THAT(shop.run({"run", "c.yaml"}).out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(shop.run({"run", "c.yaml", "--json", "--quiet"}).status, 2);
}

}  // namespace
}  // namespace coppice::system_test

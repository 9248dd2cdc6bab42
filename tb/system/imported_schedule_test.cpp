// Tests schedule files that coppice printed, that another tool wrote, or that the check refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

// The tables for kSmallConfig that `coppice schedule` prints.
Json printed_schedule(const Workshop& shop) {
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"schedule", "c.yaml", "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// Writes `schedule` to s.json and runs it.
Outcome run_with(const Workshop& shop, const Json& schedule, std::vector<std::string> more = {}) {
  shop.write("s.json", schedule.dump());
  std::vector<std::string> line{
      "run", "c.yaml", "--set", "collective.algorithm=file", "--set", "collective.file=s.json"};
  line.insert(line.end(), more.begin(), more.end());
  return shop.run(line);
}

TEST(ImportedSchedule, RunsLikeTheCompiledSchedule) {
  const Workshop shop;
  const Json schedule = printed_schedule(shop);
  ASSERT_EQ(shop.run({"run", "c.yaml", "--out", "compiled.json"}).status, 0);
  const Outcome outcome = run_with(shop, schedule, {"--out", "imported.json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* key : {"cycles", "verified", "steps", "flits", "flit_hops", "link_utilization"})
    EXPECT_EQ(shop.read_json("imported.json")[key], shop.read_json("compiled.json")[key]) << key;
}

TEST(ImportedSchedule, ThatFailsTheCheckIsRejectedWithTheLocation) {
  const Workshop shop;
  const Json right = printed_schedule(shop);

  Json twice = right;  // forwards a sum before the neighbour's value has been added
  Json& entry = twice["nodes"][5]["ports"][0][1];
  ASSERT_EQ(entry["op"], "reduce");
  entry["dependencies"] = 0;
  Outcome outcome = run_with(shop, twice, {"--out", "r.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("--set collective.file=s.json:1:17: the schedule in s.json fails the "
                                      "check: flow "));
  EXPECT_THAT(outcome.err, HasSubstr("accelerator "));
  EXPECT_THAT(outcome.err, HasSubstr("step "));

  Json lost = right;  // the final value does not reach the next accelerator
  auto& table = lost["nodes"][5]["ports"][0];
  table.erase(table.size() - 1);
  outcome = run_with(shop, lost, {"--out", "r.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("fails the check"));

  Json circular = right;
  for (Json& node : circular["nodes"]) {
    for (Json& port : node["ports"]) {
      for (Json& each : port) {
        if (each["op"] == "reduce") each["dependencies"] = 1;
      }
    }
  }
  outcome = run_with(shop, circular, {"--out", "r.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("waits for 1 arrivals of its flow, but only 0 are possible"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "s.json"));
}

TEST(ImportedSchedule, ForAnotherCollectiveSizeOrMachineIsRejected) {
  const Workshop shop;
  const Json schedule = printed_schedule(shop);
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--set", "collective.size=32 KiB"},
       "--set collective.size=32 KiB:1:17: collective.size is 32 KiB, but s.json is for 16 KiB: write 16 "
       "KiB\n"},
      {{"--set", "collective.op=all_gather"},
       "--set collective.op=all_gather:1:15: collective.op is all_gather, but s.json is for all_reduce: "
       "write all_reduce\n"},
      {{"--set", "system.ni.ports=2"},
       "--set system.ni.ports=2:1:17: accelerator 0 has 4 tables in s.json, but the system has 2 NI ports "
       "per accelerator: write 4\n"},
      {{"--set", "system.topology.dims=[4, 5]"},
       "s.json:1:88: /topology: the tables are for torus 4x4, but the system is torus 4x5: use a schedule "
       "made for this system, or the file's topology\n"}};
  for (const auto& [more, message] : cases) {
    const Outcome outcome = run_with(shop, schedule, more);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, message);
  }
}

TEST(ImportedSchedule, ThatExceedsTheMachineIsRejected) {
  const Workshop shop;
  const Json right = printed_schedule(shop);
  Json schedule = right;
  schedule["routes"][0][0]["vcs"] = {0, 9};
  Outcome outcome = run_with(shop, schedule);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "c.yaml:1:1: system.router.vcs is 4, but route 0 of s.json uses virtual channel 8: write at "
            "least 9\n");
  schedule = right;
  schedule["element"] = 8;
  outcome = run_with(shop, schedule);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("the elements in s.json have 8 bytes, but gradients are fp32 and have 4 bytes"));
}

TEST(ImportedSchedule, ThatCannotBeReadIsLocated) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  shop.write("s.json", "{\"schema\": \"coppice.schedule/1\",\n \"size\": }");
  Outcome outcome =
      shop.run({"run", "c.yaml", "--set", "collective.algorithm=file", "--set", "collective.file=s.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, StartsWith("s.json:2:10: not valid JSON: "));
  outcome = shop.run({"run", "c.yaml", "--set", "collective.algorithm=file"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "c.yaml:8:1: collective.file is missing: add it, for example 'file: schedule.json'\n");
  outcome =
      shop.run({"run", "c.yaml", "--set", "collective.algorithm=file", "--set", "collective.file=none"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "--set collective.file=none:1:17: collective.file: 'none' cannot be read: No such file or "
            "directory\n");
  outcome = shop.run({"run", "c.yaml", "--set", "collective.file=s.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("the schedule of ring is compiled, not read from a file"));
}

// An MSCCL all-gather of 8 GPUs, with a thread block per peer. The blocks are ordered by the peers' distance
// or by their numbers.
std::string pairwise_all_gather(bool by_distance) {
  std::string text =
      R"(<algo name="pairs" nchannels="1" nchunksperloop="8" ngpus="8" coll="allgather" inplace="1">)";
  for (int gpu = 0; gpu < 8; ++gpu) {
    text += fmt::format(R"(<gpu id="{}" i_chunks="0" o_chunks="8" s_chunks="0">)", gpu);
    int id = 0;
    const auto block = [&](int send, int receive, const char* type, int chunk) {
      text += fmt::format(
          R"(<tb id="{}" send="{}" recv="{}" chan="0"><step s="0" type="{}" srcbuf="o" srcoff="{}" dstbuf="o" )"
          R"(dstoff="{}" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb>)",
          id++, send, receive, type, chunk, chunk);
    };
    for (int i = 0; i < 8; ++i) {
      const int peer = by_distance ? (gpu + i) % 8 : i;
      if (peer == gpu) continue;
      block(peer, -1, "s", gpu);
      block(-1, peer, "r", peer);
    }
    text += "</gpu>";
  }
  return text + "</algo>";
}

// Each GPU sends 7 messages of 128 KiB through one port of 50 GB/s. The order of thread blocks in the file
// must not affect the time.
TEST(ImportedSchedule, ThreadBlocksSharePortsWhateverTheirOrder) {
  const Workshop shop;
  shop.write("c.yaml",
             "system:\n  topology: {kind: switch, dims: [8]}\n  link: {bandwidth: 50 GB/s, latency: 500 ns}\n"
             "  flit: 64 B\n  ni: {flow_control: message}\n  router: {vc_depth: 2500}\n"
             "collective: {op: all_gather, algorithm: file, file: a.xml, size: 1 MiB}\ncheck: values\n");
  for (const bool by_distance : {true, false}) {
    shop.write("a.xml", pairwise_all_gather(by_distance));
    for (const char* fidelity : {"auto", "flit"}) {
      const Outcome outcome =
          shop.run({"run", "c.yaml", "--set", std::string("fidelity=") + fidelity, "--out", "r.json"});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(shop.read_json("r.json")["verified"], "values");
      EXPECT_EQ(shop.read_json("r.json")["cycles"], 19385) << fidelity;
    }
  }
}

}  // namespace
}  // namespace coppice::system_test

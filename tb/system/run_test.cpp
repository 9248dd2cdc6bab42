#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

nlohmann::ordered_json result_of(const Workshop& shop, std::vector<std::string> overrides) {
  std::vector<std::string> arguments{"run", "c.yaml", "--out", "r.json"};
  for (const std::string& text : overrides) arguments.insert(arguments.end(), {"--set", text});
  const Outcome outcome = shop.run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.status == 0 ? shop.read_json("r.json") : nlohmann::ordered_json();
}

TEST(Run, VerifiesAndReportsASmallAllReduce) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");  // there are no warnings; progress is shown on terminals only
  EXPECT_THAT(outcome.out, HasSubstr("all_reduce of 16 KiB by ring"));
  const auto result = shop.read_json("r.json");
  EXPECT_EQ(result["schema"], "coppice.result/1");
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(result["fidelity"], "train");  // `auto` uses trains, because there is no contention
  for (const char* key : {"version", "config", "contention_free", "steps", "cycles", "time_ns", "algbw_gb_s",
                          "busbw_gb_s", "efficiency", "flits", "flit_hops"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_GT(result["bound"]["time_ns"].get<double>(), 0);
  EXPECT_LE(result["efficiency"].get<double>(), 1);
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "r.json"));
}

// Two messages share the last channel of their routes. Their rates are set by earlier channels and add up
// exactly to the bandwidth of the last one.
TEST(Run, EndsAsFlowsIfAChannelIsExactlyFull) {
  const Workshop shop;
  shop.write("c.yaml", R"(
system:
  topology: {kind: dragonfly, dims: [1, 2, 1]}
  link: {bandwidth: 280 MB/s, latency: 0 ns}
  clock: 700 MHz
  flit: 16 B
  router: {vcs: 3, vc_depth: 10, routing_delay: 0, vc_alloc_delay: 4, sw_alloc_delay: 3, st_delay: 3, credit_delay: 4}
  ni: {ports: 1, flow_control: message, lockstep: true, buffer: 20, dma_latency: 30, reduction_flits_per_cycle: 0.5}
collective: {op: reduce, root: 1, algorithm: multitree_optimal, size: 384 B}
fidelity: fluid
)");
  const Outcome outcome = shop.run({"run", "c.yaml"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(Run, RecordsItsCommandLineAndCommit) {
  const Workshop shop;
  shop.write("a c.yaml", kSmallConfig);
  ASSERT_EQ(shop.run({"run", "a c.yaml", "--set", "collective.size=8 KiB", "--out", "r.json"}).status, 0);
  const auto result = nlohmann::ordered_json::parse(shop.read("r.json"));
  EXPECT_EQ(result["command"], "coppice run 'a c.yaml' --set 'collective.size=8 KiB' --out r.json");
  EXPECT_THAT(result["commit"].get<std::string>(), ::testing::MatchesRegex("[0-9a-f]{40}\\+?|unknown"));
  EXPECT_EQ(result["assumptions"], nlohmann::ordered_json::array());
}

// Messages may be larger than 4 GiB, which is more than the length field of a TLM transaction can hold.
TEST(Run, MovesMessagesOfAnySize) {
  const Workshop shop;
  shop.write("c.yaml", R"(
system: {topology: {kind: ring, dims: [2]}}
collective: {op: all_reduce, size: 16 GiB, algorithm: ring}
check: contributions
)");
  const auto result = result_of(shop, {"fidelity=train"});
  EXPECT_EQ(result["verified"], "contributions");
  // Each accelerator makes two sends, each of half its gradients, and reads the half to which arrivals are
  // added.
  EXPECT_EQ(result["statistics"]["memory"]["bytes_written"]["sum"], 4 * (std::int64_t{8} << 30));
  EXPECT_EQ(result["statistics"]["memory"]["bytes_read"]["sum"], 6 * (std::int64_t{8} << 30));
}

// In a mesh, rows and columns share channels. With few bytes per step, there is too little slack to keep
// messages in order.
TEST(Run, ExplainsWhyAScheduleThatReliesOnLockstepLostItsOrder) {
  const Workshop shop;
  shop.write("c.yaml", R"(
system:
  topology: {kind: mesh, dims: [3, 2]}
  link: {bandwidth: 5333333333 B/s, latency: 1 ns}
  router: {vc_depth: 400, routing_delay: 1, vc_alloc_delay: 1, sw_alloc_delay: 1, st_delay: 1}
  ni: {ports: 2, buffer: 896, dma_latency: 4, reduction_latency: 4}
collective: {op: all_reduce, algorithm: ring2d, size: 2336 B}
check: values
)");
  const Outcome outcome = shop.run({"run", "c.yaml", "--out", "r.json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("wrong sum: at accelerator 0, element 536"));
  EXPECT_THAT(outcome.err,
              HasSubstr("only the lockstep enforces the order of 'ring2d', but messages arrived later "
                        "than it assumes (messages share injection port 0 of accelerator 1 in step 1"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

// Messages do not share a channel here, but arrive in the wrong order. The run detects wrong contributions.
TEST(Run, ExplainsWhyAScheduleThatReliesOnLockstepLostItsOrderInTheNetwork) {
  struct Case {
    const char* dims;
    const char* bandwidth;
    const char* ni;
    const char* size;
    const char* why;
  };
  constexpr Case kCases[] = {
      {"[4, 3]", "4 GB/s", "{ports: 3, dma_latency: 30}", "2400 B", "(messages share "},
      {"[4, 5]", "500 MB/s", "{flow_control: packet, payload: 64 B, dma_latency: 1}", "1360 B",
       "(messages of the same timestep differ in length"}};
  for (const Case& one : kCases) {
    const Workshop shop;
    shop.write("c.yaml", fmt::format(R"(
system:
  topology: {{kind: torus, dims: {}}}
  link: {{bandwidth: {}, latency: 10 ns}}
  flit: 4 B
  router: {{vc_depth: 400, routing_delay: 5, vc_alloc_delay: 2, sw_alloc_delay: 3, st_delay: 3}}
  ni: {}
collective: {{op: all_reduce, algorithm: ring2d, size: {}}}
check: contributions
)",
                                     one.dims, one.bandwidth, one.ni, one.size));
    const Outcome outcome = shop.run({"run", "c.yaml"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("is added twice; only the lockstep enforces the order of 'ring2d'"));
    EXPECT_THAT(outcome.err, HasSubstr(one.why));
  }
}

TEST(Run, RepeatsItselfFromTheConfigurationInItsResult) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  auto first = result_of(shop, {"collective.algorithm=multitree", "system.ni.flow_control=message"});
  shop.write("c.yaml", first.dump());
  auto second = result_of(shop, {});
  first.erase("simulator");
  second.erase("simulator");
  EXPECT_EQ(first.dump(), second.dump());
}

TEST(Run, OverridesKeysOfEveryType) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const auto config = result_of(
      shop,
      {"system.topology.dims=[2, 3]", "system.topology.kind=mesh", "system.link.bandwidth=[16 GB/s, 8 GB/s]",
       "system.link.latency=20 ns", "system.router.vcs=2", "system.ni.lockstep=false", "system.ni.ports=1",
       "system.ni.reduction_flits_per_cycle=0.5", "collective.size=4 KiB", "collective.op=all_gather",
       "collective.algorithm=multitree", "check=contributions", "max_cycles=100000"})["config"];
  EXPECT_EQ(config["system"]["topology"], nlohmann::ordered_json({{"kind", "mesh"}, {"dims", {2, 3}}}));
  EXPECT_EQ(config["system"]["link"]["bandwidth"], nlohmann::ordered_json({"16 GB/s", "8 GB/s"}));
  EXPECT_EQ(config["system"]["link"]["latency"], "20 ns");
  EXPECT_EQ(config["system"]["router"]["vcs"], 2);
  EXPECT_EQ(config["system"]["ni"]["lockstep"], false);
  EXPECT_EQ(config["system"]["ni"]["ports"], 1);
  EXPECT_EQ(config["system"]["ni"]["reduction_flits_per_cycle"], 0.5);
  EXPECT_EQ(config["collective"]["op"], "all_gather");
  EXPECT_EQ(config["check"], "contributions");
  EXPECT_EQ(config["max_cycles"], 100000);
}

TEST(Run, WarnsOfSettingsWithoutEffect) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome =
      shop.run({"run", "c.yaml", "--set", "system.accelerator.pes=4", "--set", "system.topology.dims=[4, 1]",
                "--set", "system.link.bandwidth=[16 GB/s, 8 GB/s]"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "--set system.link.bandwidth=[16 GB/s, 8 GB/s]:1:33: warning: system.link.bandwidth[1] has no "
            "effect: a dimension of width 1 has no links\n--set system.accelerator.pes=4:1:24: warning: "
            "system.accelerator.pes has no effect: the accelerators do not compute\n");
}

TEST(Run, FailsAtTheCycleLimit) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome = shop.run(
      {"run", "c.yaml", "--set", "max_cycles=1000", "--out", "r.json", "--trace", "t", "--vcd", "w.vcd"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("cycle limit reached at cycle 1000 "));
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

TEST(Run, StopsOnInterruptWithoutLeavingAFile) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  RunningCommand command(shop.directory(),
                         {"run", "c.yaml", "--set", "collective.size=256 MiB", "--set", "check=off", "--out",
                          "r.json", "--trace", "t", "--vcd", "w.vcd"});
  ASSERT_TRUE(command.await_on_terminal("%"));
  command.interrupt();
  const Outcome outcome = command.finish();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted at cycle"));
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml"));
}

TEST(Run, WritesTraceAndWaves) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  const Outcome outcome =
      shop.run({"run", "c.yaml", "--trace", "t", "--vcd", "w.vcd", "--set", "observe.nodes=[1, 2]"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(shop.files(), ElementsAre("c.yaml", "t", "w.vcd"));
  EXPECT_FALSE(shop.read_trace("t").empty());
  EXPECT_THAT(shop.read("w.vcd"), HasSubstr("$enddefinitions"));
}

// Runs every shipped configuration with less data. If the configuration sets a number of chunks, the test
// uses two.
TEST(Run, RunsTheShippedSystems) {
  const Workshop shop;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shipped_config("systems"))) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string path = entry.path().string();
    std::vector<std::string> line{"run", path, "--set", "collective.size=64 KiB"};
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    if (text.str().find("chunks:") != std::string::npos) {
      line.insert(line.end(), {"--set", "collective.chunks=2"});
    }
    if (text.str().find("\ntraining:") != std::string::npos) line = {"run", path};
    if (path.find("booksim") != std::string::npos) {
      line = {"traffic",        path, "--pattern", "uniform", "--rate",    "0.1",
              "--packet-flits", "1",  "--warmup",  "100",     "--measure", "1000"};
    }
    if (path.find("/routing/") != std::string::npos) line = {"route", path};
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 0) << path << '\n' << outcome.err;
    // In this study, contention makes fluid times inaccurate, which the run must report.
    if (path.find("cross_check") != std::string::npos) {
      EXPECT_THAT(outcome.err, ::testing::StartsWith("warning: fluid times are 17% too short"));
      continue;
    }
    EXPECT_EQ(outcome.err, "") << path;
  }
}

}  // namespace
}  // namespace coppice::system_test

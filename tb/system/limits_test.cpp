// Tests the limits of a run: simulated time, endless inputs, interrupts and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    line.emplace_back("--set");
    line.push_back(setting);
  }
  return line;
}

void expect_refusal(const std::vector<std::string>& line, const std::string& place, const std::string& why) {
  const Workshop shop;
  const Outcome outcome = shop.run(line);
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr(place));
  EXPECT_THAT(outcome.err, HasSubstr(why));
  EXPECT_THAT(shop.files(), ElementsAre());
}

constexpr const char* kTooLong = "takes more than the 9,223 s that can be simulated";

TEST(TimeLimit, RejectsCollectivesThatTakeLonger) {
  const std::vector<std::string> run{"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"};
  const std::vector<std::string> slow{"collective.size=140 MB", "system.link.bandwidth=1 kB/s",
                                      "system.link.latency=0 ns", "system.router.vc_depth=65536"};
  for (const std::string fidelity : {"auto", "flit", "train", "fluid"}) {
    std::vector<std::string> settings = slow;
    settings.push_back("fidelity=" + fidelity);
    expect_refusal(with(run, settings), "collective.size: ", kTooLong);
  }
}

// The lower bound of 7,500 s is within the limit on simulated time, but the time of the schedule is not.
TEST(TimeLimit, RejectsSchedulesThatTakeLongerThanTheBound) {
  const std::vector<std::string> run{"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"};
  for (const std::string fidelity : {"train", "fluid"}) {
    expect_refusal(with(run, {"collective.size=16 MB", "system.link.bandwidth=1 kB/s",
                              "collective.algorithm=ring", "fidelity=" + fidelity}),
                   "collective.size: ", kTooLong);
  }
}

TEST(TimeLimit, RejectsTrafficThatIsMeasuredLonger) {
  for (const std::string option : {"--measure", "--warmup"}) {
    expect_refusal({"traffic", shipped_config("systems/torus_4x4.yaml"), "--pattern", "uniform", "--rate",
                    "0.1", "--packet-flits", "1", option, "9223372036854775807", "--out", "t.json"},
                   option, kTooLong);
  }
}

TEST(TimeLimit, RejectsStudiesThatTakeLonger) {
  const std::string config = shipped_config("systems/routing/cross_check.yaml");
  expect_refusal(with({"route", config, "--out", "r.json"}, {"system.link.bandwidth=1 kB/s"}),
                 "routing.jobs: ", kTooLong);
  expect_refusal(
      with({"route", config, "--out", "r.json"},
           {"routing.jobs=[{copy: 8, data_parallel: 4, gradient: 1 TiB, compute: 10 us, arrival: 0 s}]",
            "system.link.bandwidth=100 MB/s"}),
      "routing.jobs: ", kTooLong);
}

TEST(TimeLimit, RejectsTooManyWindows) {
  expect_refusal({"chunks", shipped_config("systems/themis/2D-SW_SW.yaml"), "--window", "1 fs", "--out", "c"},
                 "--window 1 fs:1:1: ", "at most 1000000 windows are possible: choose longer windows");
  expect_refusal(
      with({"chunks", shipped_config("systems/themis/2D-SW_SW.yaml"), "--out", "c"},
           {"system.topology.dimensions=[{kind: switch, size: 4, bandwidth: 1 kB/s, latency: 1 ns}]"}),
      "collective.size: ", kTooLong);
}

TEST(Inputs, WithoutAnEndAreRejectedAtOnce) {
  const Workshop shop;
  const std::string config = shipped_config("systems/torus_4x4.yaml");
  std::filesystem::create_symlink("/dev/zero", shop.directory() + "/zero.csv");
  std::filesystem::create_symlink("/dev/zero", shop.directory() + "/zero.txt");
  const std::vector<std::vector<std::string>> lines = {
      {"run", "/dev/zero"},
      with({"run", config}, {"system.topology={kind: file, file: /dev/zero}"}),
      with({"run", config}, {"collective={op: all_reduce, algorithm: file, file: /dev/zero, size: 1 MiB}"}),
      with({"run", config}, {"training.model=zero.csv", "training.batch_per_accelerator=1"}),
      with({"run", shipped_config("systems/themis/2D-SW_SW.yaml")}, {"training.model=zero.txt"}),
  };
  for (const auto& line : lines) {
    const Outcome outcome = shop.run(line);
    EXPECT_EQ(outcome.status, 2) << ::testing::PrintToString(line);
    EXPECT_THAT(outcome.err, HasSubstr("a device that provides endless data"))
        << ::testing::PrintToString(line);
  }
}

TEST(Inputs, AreNeverReplacedByAnOutput) {
  const Workshop shop;
  shop.write("net.graph", "accelerators 2\nlink 0 -- 1\n");
  shop.write("layers.csv", "conv, 4, 4, 3, 3, 3, 8, 1,\n");
  const std::string config = shipped_config("systems/torus_4x4.yaml");
  const auto graph =
      with({"run", config}, {"system.topology={kind: file, file: net.graph}", "collective.size=1 KiB"});
  const auto layers =
      with({"run", config}, {"training.model=layers.csv", "training.batch_per_accelerator=1"});
  for (const auto& [line, input] : {std::pair{graph, "net.graph"}, {layers, "layers.csv"}}) {
    for (const char* option : {"--out", "--trace"}) {
      const std::string before = shop.read(input);
      std::vector<std::string> writing = line;
      writing.insert(writing.end(), {option, std::string("./") + input});
      const Outcome outcome = shop.run(writing);
      EXPECT_EQ(outcome.status, 2);
      EXPECT_THAT(outcome.err, HasSubstr("is also an input; name another file"));
      EXPECT_EQ(shop.read(input), before);
    }
  }
}

TEST(CommandLine, RefusesEmptyTexts) {
  const std::string config = shipped_config("systems/torus_4x4.yaml");
  expect_refusal({"run", config, "--out", ""}, "--out", "found an empty string");
  expect_refusal({"traffic", config, "--pattern", "uniform", "--packet-flits", "1", "--rate", ""}, "--rate",
                 "found an empty string");
}

TEST(CommandLine, FailsIfItsHelpCannotBeWritten) {
  const Workshop shop;
  for (const std::string option : {"--help", "--version"}) {
    EXPECT_EQ(shop.run_into("/dev/full", {option}).status, 1);
  }
}

// A signal ends a command in any phase (compiling, simulating or predicting). The command reports the phase
// and leaves no file, except that a comparison keeps its finished rows.
TEST(Interrupts, EndEveryPhase) {
  const std::string torus = shipped_config("systems/torus_4x4.yaml");
  const std::vector<std::string> mesh{"system.topology={kind: mesh, dims: [32, 32]}",
                                      "collective.size=16 MiB", "collective.algorithm=multitree"};
  const std::vector<std::vector<std::string>> lines = {
      with({"run", torus, "--out", "r.json"}, mesh),
      with({"schedule", torus}, mesh),
      with({"compare", torus, "--out", "r.json"}, mesh),
      with({"run", torus, "--out", "r.json"},
           {"system.topology.dims=[16, 16]", "collective.size=64 MiB", "fidelity=flit", "check=off"}),
      with({"chunks", shipped_config("systems/themis/2D-SW_SW.yaml"), "--out", "r.json"},
           {"collective.scheduler=themis_plus", "collective.chunks=4096"}),
  };
  for (const auto& line : lines) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const Workshop shop;
      RunningCommand command(shop.directory(), line);
      ASSERT_TRUE(command.await_on_terminal(" s")) << ::testing::PrintToString(line);
      command.interrupt(signal);
      const Outcome outcome = command.finish();
      EXPECT_EQ(outcome.status, 128 + signal) << ::testing::PrintToString(line);
      EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
      EXPECT_EQ(outcome.err.find("interrupted"), outcome.err.rfind("interrupted")) << outcome.err;
      const bool keeps_rows = line.front() == "compare" && !shop.files().empty();
      if (keeps_rows) {
        EXPECT_FALSE(shop.read_json("r.json").at("rows").empty());
      }
      EXPECT_THAT(shop.files(), ElementsAreArray(keeps_rows ? std::vector<std::string>{"r.json"}
                                                            : std::vector<std::string>{}));
    }
  }
}

// The memory limits that README.md and docs/measurements/speed.md state. Separate tables for all
// accelerators, or storing every flit of a train, would need several times as much.
TEST(Memory, IsAtMostTheStatedAmount) {
  struct Ceiling {
    const char* network;
    const char* size;
    const char* check;
    const char* fidelity;
    double mebibytes;
  };
  const std::vector<Ceiling> ceilings = {
      {"torus_8x8", "1 MiB", "values", "flit", 160},
      {"torus_8x8", "64 MiB", "contributions", "train", 26},
      {"torus_16x16", "1 GiB", "contributions", "train", 64},
  };
  for (const Ceiling& ceiling : ceilings) {
    const Workshop shop;
    const Outcome outcome = shop.run(
        with({"run", shipped_config(fmt::format("systems/{}.yaml", ceiling.network)), "--out", "r.json"},
             {"collective.algorithm=multitree", fmt::format("collective.size={}", ceiling.size),
              fmt::format("check={}", ceiling.check), fmt::format("fidelity={}", ceiling.fidelity)}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const double bytes = shop.read_json("r.json").at("simulator").at("peak_rss_bytes");
    EXPECT_LT(bytes / (1 << 20), ceiling.mebibytes) << ceiling.network << ", " << ceiling.size;
  }
}

// Like expect_refusal(), but with only `mebibytes` MiB of address space.
void expect_refusal_within(rlim_t mebibytes, const std::vector<std::string>& line, const std::string& place,
                           const std::string& why) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const struct rlimit little { mebibytes << 20, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  expect_refusal(line, place, why);
  EXPECT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
}

// Ordering 3,064,320 messages needs more memory than is available, so the run is refused before it starts to
// order them.
TEST(Memory, ThatDoesNotExistIsRefusedBeforeItIsAllocated) {
  expect_refusal_within(
      150,
      with({"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"},
           {"system.topology={kind: mesh, dims: [20, 20]}", "collective.algorithm=packed_trees",
            "collective.size=64 MiB", "collective.chunks=256", "check=off"}),
      "collective.algorithm: ", "3064320 messages of packed_trees");
}

TEST(Memory, ForManyChunksOfAHierarchyIsRefusedBeforeItIsAllocated) {
  const std::string dimension = "{kind: switch, size: 16, bandwidth: 100 GB/s, latency: 700 ns}";
  const auto run_of = [&](const std::string& chunks) {
    return with({"run", shipped_config("systems/hierarchy_16x8x8.yaml"), "--out", "r.json"},
                {fmt::format("system.topology.dimensions=[{0}, {0}, {0}]", dimension),
                 "collective.size=4 GiB", "collective.chunks=" + chunks, "fidelity=train", "check=off"});
  };
  expect_refusal_within(110, run_of("65536"),
                        "collective.algorithm: ", "hierarchical's 1572864 messages per accelerator needs");
  expect_refusal_within(85, run_of("4096"), "collective.algorithm: ", "hierarchical's 4096 flows at");
}

TEST(Memory, ForANetworkIsRefusedBeforeItIsAllocated) {
  const auto run_on = [](const std::string& topology) {
    return with({"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"},
                {"system.topology=" + topology, "collective.size=64 MiB", "fidelity=train", "check=off"});
  };
  expect_refusal_within(200, run_on("{kind: fully_connected, dims: [3000]}"),
                        "system.topology.dims: ", "fully_connected 3000 has more than ");
  // Here, the routing tables do not fit into memory.
  expect_refusal_within(100, run_on("{kind: bigraph, dims: [64, 64]}"),
                        "torus_4x4.yaml:", "not enough memory");
}

// Buffers of one flit do not cover the credit loop. Fluid times that ignored this were too short by a factor
// of 191.
TEST(Fluid, IsAsSlowAsCreditsAre) {
  const Workshop shop;
  const auto cycles = [&](const std::string& fidelity, const std::string& depth, const std::string& flow) {
    const Outcome outcome = shop.run(with(
        {"run", shipped_config("systems/torus_4x4.yaml"), "--out", "r.json"},
        {"collective.size=16 KiB", "collective.algorithm=ring", "fidelity=" + fidelity,
         "system.router.vc_depth=" + depth, "system.ni.flow_control=" + flow, "system.ni.lockstep=false"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return shop.read_json("r.json")["cycles"].get<double>();
  };
  const auto ratio = [&](const char* depth, const char* flow) {
    return cycles("fluid", depth, flow) / cycles("flit", depth, flow);
  };
  for (const char* depth : {"318", "64", "8", "1"}) EXPECT_NEAR(ratio(depth, "message"), 1, 0.05) << depth;
  for (const char* depth : {"318", "64", "16", "8", "1"})
    EXPECT_NEAR(ratio(depth, "packet"), 1, 0.1) << depth;
}

// In an all-to-all over two hosts, ports alternate between fast and slow channels. Without buffers in the
// model, fluid times were 85% too long.
TEST(Fluid, LeavesItsPortForBuffersLikeFlits) {
  const Workshop shop;
  shop.write("hosts.yaml",
             "system:\n"
             "  topology:\n"
             "    kind: hierarchy\n"
             "    dimensions:\n"
             "      - {kind: switch, size: 8, bandwidth: 400 GB/s, latency: 500 ns}\n"
             "      - {kind: switch, size: 2, bandwidth: 50 GB/s, latency: 2 us}\n"
             "  flit: 512 B\n"
             "  ni: {flow_control: message}\n"
             "  router: {vc_depth: 2000}\n"
             "collective: {op: all_to_all, algorithm: at_once, size: 4 MiB}\n"
             "check: off\n");
  const auto run = [&](const std::string& fidelity) {
    const Outcome outcome =
        shop.run(with({"run", "hosts.yaml", "--out", "r.json"}, {"fidelity=" + fidelity}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return shop.read_json("r.json");
  };
  const double flits = run("leap")["time_ns"];
  const auto fluid = run("fluid");
  const double error = fluid["time_ns"].get<double>() / flits - 1;
  EXPECT_NEAR(error, 0, 0.1);
  EXPECT_DOUBLE_EQ(fluid["fluid"]["error"], error);
  EXPECT_EQ(fluid["fluid"]["sample"]["scale"], 1.0);
  EXPECT_EQ(fluid["fluid"]["sample"]["fidelity"], "leap");
}

// The channel that delays a message may change while some of the message's bytes wait before a slow channel.
// If these bytes use no bandwidth of the slow channel, the run ends before its lower bound.
TEST(Fluid, RespectsTheBandwidthOfEveryChannelOfARoute) {
  const Workshop shop;
  shop.write("star.graph",
             "accelerators 5\n"
             "link 3 -- 4 bandwidth \"64000000000 B/s\" latency \"0 ps\"\n"
             "link 2 -- 3 bandwidth \"26352941176 B/s\" latency \"2000 ps\"\n"
             "link 1 -- 3 bandwidth \"8000000000 B/s\" latency \"150000 ps\"\n"
             "link 0 -- 3 bandwidth \"64000000000 B/s\" latency \"1000 ps\"\n");
  shop.write("star.yaml",
             "system:\n"
             "  topology: {kind: file, file: star.graph}\n"
             "  flit: 64 B\n"
             "  router: {vcs: 3, vc_depth: 315}\n"
             "  ni: {ports: 1, flow_control: message, lockstep: false}\n"
             "collective: {op: reduce_scatter, algorithm: multitree_optimal, size: 219904 B, chunks: 1}\n"
             "check: contributions\n");
  const Outcome outcome = shop.run(with({"run", "star.yaml", "--out", "r.json"}, {"fidelity=fluid"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GE(shop.read_json("r.json")["time_ns"].get<double>(), 219904 * 0.8 / 8);
}

}  // namespace
}  // namespace coppice::system_test

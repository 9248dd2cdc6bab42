// Tests complete runs of collectives.
#include <gmock/gmock.h>

#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "machine.h"
#include "schedule_arithmetic.h"
#include "system/machine/build.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Cycles cycles(const nlohmann::ordered_json& result) {
  return result["cycles"];
}

// The expected time of a collective, computed from its tables without any simulation.
Cycles expected_cycles(const std::string& name, const std::vector<std::string>& overrides) {
  const config::Loaded loaded = load_system(name, overrides);
  const auto topology = build_topology(loaded);
  const auto routing = build_routing(loaded, topology);
  const auto checked = build_schedule(loaded, loaded.config.collective, topology, *routing);
  return ScheduleArithmetic(topology, checked.schedule, loaded.config.system).end();
}

// --- exact durations --------------------------------------------------------------------------------------

// A 64 KiB chunk is 256 packets of 17 flits. Each of the ring's 30 steps waits for the previous one and
// consists of the memory access (4 cycles), the zero-load latency (161), the flits after the head, and
// finally the addition (4) or the store (1).
TEST(Collective, RingOn4x4TorusIsThirtyStepsOfItsChunk) {
  constexpr Cycles kDma = 4;
  constexpr Cycles kLatency = 2 + 2 * 4 + 150 + 1;
  constexpr Cycles kFlits = 65536 / 256 * 17;
  constexpr Cycles kReduceStep = kDma + kLatency + kFlits - 1 + 4;
  constexpr Cycles kGatherStep = kDma + kLatency + kFlits - 1 + 1;
  const auto result = run("torus_4x4", {"collective.algorithm=ring"});
  EXPECT_EQ(cycles(result), 15 * kReduceStep + 15 * kGatherStep);
  EXPECT_LE(cycles(result), 137'000);
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(result["steps"], 30);
  EXPECT_EQ(result["flits"], 30 * 16 * kFlits);
  EXPECT_EQ(result["flit_hops"], 2 * 30 * 16 * kFlits);
}

struct Target {
  const char* system;
  const char* flow_control;
  Cycles at_most;
};

class MultiTreeTarget : public ::testing::TestWithParam<Target> {};

// A run takes exactly the time that ScheduleArithmetic computes from MultiTree's tables. Its terms are
// memory, latency, the lockstep, the port's queue, serialization and reduction.
TEST_P(MultiTreeTarget, IsTheArithmeticOfItsTables) {
  const Target& target = GetParam();
  const std::vector<std::string> overrides{fmt::format("system.ni.flow_control={}", target.flow_control),
                                           "fidelity=flit"};
  const auto result = run(target.system, overrides);
  EXPECT_TRUE(result["contention_free"]);
  EXPECT_EQ(result["verified"], "values");
  EXPECT_EQ(cycles(result), expected_cycles(target.system, overrides));
  EXPECT_LE(cycles(result), target.at_most);
}

INSTANTIATE_TEST_SUITE_P(
    OneMebibyte, MultiTreeTarget,
    ::testing::Values(Target{"torus_4x4", "packet", 46'500}, Target{"torus_4x4", "message", 43'800},
                      Target{"torus_8x8", "packet", 43'500}, Target{"torus_8x8", "message", 41'500}),
    [](const auto& target) { return std::string(target.param.system) + "_" + target.param.flow_control; });

// Compares a run with pure serialization, which is S timesteps of F flits. Each of the two phases adds the
// latency of memory, channel and reduction at least once; anything more is time in which messages wait for
// data.
TEST(Collective, MultiTreeOn4x4TorusIsSerializationAndTheLatencyOfItsPhases) {
  const auto result = run("torus_4x4", {"system.ni.flow_control=message", "fidelity=flit"});
  constexpr Cycles kFlits = 4097;
  constexpr Cycles kStage = 4 + 161 - 1;
  const Cycles serialization = result["steps"].get<Cycles>() * kFlits;
  const Cycles gap = cycles(result) - serialization;
  EXPECT_EQ(result["steps"], 10);
  EXPECT_GE(gap, 2 * kStage + 4 + 1);
  EXPECT_LE(gap, result["steps"].get<Cycles>() * (kStage + 4));
}

// A non-default machine, size or timing for which the run and ScheduleArithmetic must agree.
struct BuiltMachine {
  const char* name;
  std::vector<std::string> overrides;
};

class Arithmetic : public ::testing::TestWithParam<BuiltMachine> {};

TEST_P(Arithmetic, AgreesWithTheCyclesOfTheSimulation) {
  for (const char* algorithm : {"multitree", "ring"}) {
    for (const char* op : {"all_reduce", "reduce_scatter", "all_gather"}) {
      auto overrides = GetParam().overrides;
      overrides.push_back(fmt::format("collective.algorithm={}", algorithm));
      overrides.push_back(fmt::format("collective.op={}", op));
      overrides.emplace_back("fidelity=flit");
      const auto result = run("torus_4x4", overrides);
      EXPECT_TRUE(result["contention_free"]);
      EXPECT_EQ(cycles(result), expected_cycles("torus_4x4", overrides)) << algorithm << " " << op;
    }
  }
}

const BuiltMachine kMachines[] = {
    {"Torus3x3", {"collective.size=100 KiB", "system.topology.dims=[3, 3]"}},
    {"Torus4x4x2", {"collective.size=40 KiB", "system.topology.dims=[4, 4, 2]"}},
    {"Mesh", {"collective.size=64 KiB", "system.topology.kind=mesh"}},
    {"WithoutLockstep", {"collective.size=64 KiB", "system.ni.lockstep=false"}},
    {"SlowMemory", {"collective.size=16 KiB", "system.ni.dma_latency=100", "system.ni.reduction_latency=77"}},
    {"NoBuffer", {"collective.size=256 KiB", "system.ni.buffer=1"}},
    {"UnequalLatencies",
     {"collective.size=64 KiB", "system.clock=2 GHz", "system.link.bandwidth=32 GB/s",
      "system.router.vc_depth=4000", "system.link.latency=[33 ns, 801 ns]"}},
    {"RoundedPeriod", {"collective.size=64 KiB", "system.clock=3 GHz", "system.link.bandwidth=48 GB/s"}},
    {"DeepPipelines",
     {"collective.size=64 KiB", "system.router.routing_delay=3", "system.router.vc_alloc_delay=2",
      "system.router.sw_alloc_delay=2", "system.router.st_delay=4", "system.ni.flow_control=message"}},
    {"UnequalChunks", {"collective.size=1000 B"}},
};

INSTANTIATE_TEST_SUITE_P(Machines, Arithmetic, ::testing::ValuesIn(kMachines),
                         [](const auto& machine) { return std::string(machine.param.name); });

// --- benefits of lockstep and flow control ----------------------------------------------------------------

// Without a lockstep, messages over several hops share channels with messages of other steps. The lockstep
// must avoid this contention even on slow links, on which a flit takes several cycles.
TEST(Collective, MeetsLessContentionInLockstep) {
  for (const char* bandwidth : {"16 GB/s", "4 GB/s"}) {
    const auto direct = [&](const char* lockstep) {
      return run("mesh_4x4", {"collective.algorithm=direct", "collective.size=256 KiB",
                              fmt::format("system.link.bandwidth={}", bandwidth),
                              fmt::format("system.ni.lockstep={}", lockstep)});
    };
    const auto held = direct("true");
    const auto free = direct("false");
    EXPECT_LT(cycles(held), cycles(free)) << bandwidth;
    EXPECT_LT(held["time_breakdown_cycles"]["contention"], free["time_breakdown_cycles"]["contention"]);
    EXPECT_GT(held["time_breakdown_cycles"]["lockstep"], 0);
    EXPECT_EQ(free["time_breakdown_cycles"]["lockstep"], 0);
  }
}

// With a head flit per 4, 16 or 64 data flits, or per message, the number of flits grows accordingly.
TEST(Collective, PaysAHeadFlitForEveryPacket) {
  const auto flits = [](std::vector<std::string> overrides) {
    overrides.emplace_back("collective.size=64 KiB");
    return run("torus_4x4", overrides)["flits"].get<std::int64_t>();
  };
  // Each of 16 nodes sends 2 * 15 messages of 4 KiB.
  constexpr std::int64_t kMessages = 2 * 15 * 16;
  EXPECT_EQ(flits({"system.ni.payload=64 B"}), kMessages * 64 * 5);
  EXPECT_EQ(flits({"system.ni.payload=256 B"}), kMessages * 16 * 17);
  EXPECT_EQ(flits({"system.ni.payload=1 KiB"}), kMessages * 4 * 65);
  EXPECT_EQ(flits({"system.ni.flow_control=message"}), kMessages * 257);
}

// --- correct sums on every machine -----------------------------------------------------------------------

TEST(Collective, ComputesCorrectSumsOnAllKindsOfMachines) {
  const std::vector<std::vector<std::string>> machines{
      {"system.topology.dims=[1]"},
      {"system.topology.dims=[2]"},
      {"system.topology.dims=[1, 3]"},
      {"system.topology.dims=[2, 2, 2]"},
      {"system.topology.dims=[5, 3]", "system.topology.kind=mesh"},
      {"system.topology.dims=[3, 3]", "system.link.bandwidth=[16 GB/s, 3 GB/s]"},
      {"system.topology.dims=[4, 4]", "system.router.vc_depth=1"},
      {"system.topology.dims=[4, 4]", "system.ni.ports=1"},
      {"system.topology.dims=[3, 3]", "system.ni.payload=16 B"},
      {"system.topology.dims=[3, 3]", "system.router.vcs=2", "system.ni.lockstep=false"},
  };
  for (const auto& machine : machines) {
    for (const char* algorithm : {"ring", "multitree"}) {
      for (const char* op : {"all_reduce", "reduce_scatter", "all_gather"}) {
        for (const char* check : {"values", "contributions"}) {
          auto overrides = machine;
          overrides.push_back(fmt::format("collective.algorithm={}", algorithm));
          overrides.push_back(fmt::format("collective.op={}", op));
          overrides.push_back(fmt::format("check={}", check));
          overrides.emplace_back("collective.size=1804 B");
          EXPECT_EQ(run("torus_4x4", overrides)["verified"], check)
              << fmt::format("{}", fmt::join(overrides, " "));
        }
      }
    }
  }
}

// --- repeatability ---------------------------------------------------------------------------------------

std::string without_timing(nlohmann::ordered_json result) {
  result.erase("simulator");
  return result.dump();
}

TEST(Collective, IsDeterministic) {
  for (const char* fidelity : {"flit", "auto"}) {
    const std::vector<std::string> overrides{"collective.size=32 KiB", "collective.algorithm=ring",
                                             "system.topology.kind=mesh",
                                             fmt::format("fidelity={}", fidelity)};
    EXPECT_EQ(without_timing(run("torus_4x4", overrides)), without_timing(run("torus_4x4", overrides)));
  }
}

// Writing observations of a run must not change its result.
TEST(Collective, HasTheSameResultWithObservers) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace.json");
  options.vcd_path = directory.file("waves.vcd");
  const std::vector<std::string> overrides{"collective.size=16 KiB", "fidelity=flit"};
  EXPECT_EQ(without_timing(run("torus_4x4", overrides, options)),
            without_timing(run("torus_4x4", overrides)));
}

// --- runs that end early ---------------------------------------------------------------------------------

// A run of N cycles succeeds with a limit of N cycles and fails with a limit of N - 1.
TEST(Collective, StopsAtTheCycleLimit) {
  const Cycles needed = cycles(run("torus_4x4", {"collective.size=4 KiB"}));
  for (const char* fidelity : {"flit", "train"}) {
    const auto limited = [&](Cycles limit) {
      return run("torus_4x4", {"collective.size=4 KiB", fmt::format("max_cycles={}", limit),
                               fmt::format("fidelity={}", fidelity)});
    };
    EXPECT_EQ(cycles(limited(needed)), needed);
    EXPECT_THAT(
        [&] { limited(needed - 1); },
        ThrowsMessage<ModelError>(AllOf(HasSubstr("cycle limit"), HasSubstr(fmt::format("{}", needed - 1)),
                                        HasSubstr("of 480 messages have arrived"))));
  }
}

TEST(Collective, StopsWhenItIsInterrupted) {
  const std::atomic<bool> interrupted = true;
  RunOptions options;
  options.interrupted = &interrupted;
  EXPECT_THROW(run("torus_4x4", {"fidelity=flit"}, options), Interrupted);
}

TEST(Collective, ReportsItsProgress) {
  const config::Loaded loaded = load_system("torus_4x4", {"fidelity=flit"});
  std::vector<double> fractions;
  RunOptions options;
  options.progress = [&](double fraction) { fractions.push_back(fraction); };
  run_program(loaded, load_program(loaded), options);
  ASSERT_GE(fractions.size(), 3U);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
}

TEST(Collective, RejectsObservedNodesThatDoNotExist) {
  config::Loaded loaded = load_system("torus_4x4");
  loaded.config.observe_nodes = {16};
  RunOptions options;
  options.vcd_path = "unused.vcd";
  EXPECT_THAT(
      [&] { run_in_child([&] { return run_program(loaded, load_program(loaded), options); }, nullptr); },
      ThrowsMessage<ConfigError>(
          HasSubstr("observe.nodes: accelerator 16 does not exist: torus 4x4 has accelerators 0 to 15")));
}

}  // namespace
}  // namespace coppice::system

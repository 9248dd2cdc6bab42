// Tests passes over layers that run on accelerators while exchanges use the same memories.
#include "system/program/shared_passes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "accelerator/accelerator.h"
#include "machine.h"
#include "system/machine/configured_accelerator.h"
#include "system/program/program_run.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;
using workload::Compute;
using workload::JoinCollective;
using workload::Operation;
using workload::Program;
using workload::Purpose;

constexpr Bytes kGradients = 32 * 1024;
constexpr Bytes kBytesPerCycle = 64;
// The cycles for which a ring all-reduce among 4 accelerators occupies each memory. Three quarters of the
// data are read twice to be sent. The same amount arrives twice: it is first added, which takes a read and a
// write, and later stored.
constexpr Cycles kDelay = kGradients / 4 * 3 * (1 + 1 + 2 + 1) / kBytesPerCycle;

config::Loaded ring(std::vector<std::string> more = {}) {
  std::vector<std::string> keys{"system.topology.kind=ring",
                                "system.topology.dims=[4]",
                                "collective.algorithm=ring",
                                "collective.size=32 KiB",
                                "system.accelerator.pes=1",
                                "check=values",
                                "fidelity=train",
                                "system.accelerator.memory_bandwidth=64 GB/s"};
  keys.insert(keys.end(), more.begin(), more.end());
  return load_system("torus_4x4", keys);
}

// A vector-matrix product that is limited by the memory, because the array consumes weights faster than they
// arrive.
workload::Layer wide_layer() {
  workload::Layer layer;
  layer.name = "wide";
  layer.channels = 256;
  layer.filters = 14 * 32;
  return layer;
}

Cycles alone(const config::Loaded& loaded, workload::Pass pass = workload::Pass::kForward) {
  return make_accelerator(loaded).cost(wide_layer(), pass, 1).total();
}

Compute pass_of(const config::Loaded& loaded) {
  Compute compute;
  compute.layer = 0;
  compute.purpose = Purpose::kForward;
  compute.duration = alone(loaded) * loaded.config.system.clock.period();
  return compute;
}

// A program in which four ranks execute the same operations, with an all-reduce among all of them.
Program program_of(std::vector<Operation> operations) {
  Program program;
  program.layers = {wide_layer()};
  program.groups = {{"all", {0, 1, 2, 3}}};
  program.collectives.push_back({.name = "sum", .bytes = kGradients, .kind = "data"});
  program.ranks.assign(4, {std::move(operations), 0});
  return program;
}

ordered_json run_passes(const config::Loaded& loaded, const Program& program) {
  return run_in_child([&] { return run_program(loaded, program, {}); }, nullptr);
}

// The duration of one operation of a rank, in cycles of 1 ns.
double cycles_of(const ordered_json& result, int operation, int rank = 0) {
  const auto& times = result.at("accelerators").at(static_cast<std::size_t>(rank)).at("operations");
  const auto& one = times.at(static_cast<std::size_t>(operation));
  return one.at("end_ns").get<double>() - one.at("begin_ns").get<double>();
}

TEST(SharedPasses, WaitWhileTheNetworkInterfaceUsesTheMemory) {
  for (const char* fidelity : {"train", "flit"}) {
    const config::Loaded loaded = ring({std::string("fidelity=") + fidelity});
    const auto result =
        run_passes(loaded, program_of({{"pass", pass_of(loaded), {}}, {"sum", JoinCollective{0}, {}}}));
    EXPECT_EQ(result.at("verified"), "values");
    EXPECT_EQ(result.at("fidelity"), fidelity);
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(cycles_of(result, 0, rank), static_cast<double>(alone(loaded) + kDelay)) << fidelity;
    }
    EXPECT_EQ(result.at("passes"), (ordered_json{{"formula", 0}, {"tiles", 4}, {"delayed_ns", kDelay}}));
  }
}

// A pass that does not actually overlap with an exchange takes the time of its formula, even if it is
// simulated tile by tile.
TEST(SharedPasses, TakeTheTimeOfTheFormulaWithAnExclusiveMemory) {
  for (const char* fidelity : {"train", "flit"}) {
    const config::Loaded loaded = ring({std::string("fidelity=") + fidelity});
    Compute long_before;
    long_before.duration = 100'000 * kFemtosecondsPerNanosecond;
    const auto result = run_passes(loaded, program_of({{"before", long_before, {}},
                                                       {"sum", JoinCollective{0}, {}},
                                                       {"pass", pass_of(loaded), {0}}}));
    EXPECT_EQ(cycles_of(result, 2), static_cast<double>(alone(loaded)));
    EXPECT_EQ(result.at("cycles"), 100'000 + alone(loaded));
    EXPECT_EQ(result.at("passes"), (ordered_json{{"formula", 0}, {"tiles", 4}, {"delayed_ns", 0.0}}));
  }
}

TEST(SharedPasses, TakeTheTimeOfTheFormulaIfExchangesDoNotOverlap) {
  const config::Loaded loaded = ring();
  const auto result = run_passes(loaded, program_of({{"first", pass_of(loaded), {}},
                                                     {"sum", JoinCollective{0}, {0}},
                                                     {"last", pass_of(loaded), {1}}}));
  EXPECT_EQ(result.at("passes"), (ordered_json{{"formula", 8}, {"tiles", 0}, {"delayed_ns", 0.0}}));
  EXPECT_EQ(cycles_of(result, 0), static_cast<double>(alone(loaded)));
  EXPECT_EQ(cycles_of(result, 2), static_cast<double>(alone(loaded)));
}

// A slow accelerator's pass is longer by its additional computing time only, not by additional memory time.
TEST(SharedPasses, OfSlowAcceleratorsTakeLonger) {
  const config::Loaded loaded = ring({"program.jitter=[1, 1.5, 1, 0.5]"});
  const auto result =
      run_passes(loaded, program_of({{"pass", pass_of(loaded), {}}, {"sum", JoinCollective{0}, {}}}));
  const auto nominal = static_cast<double>(alone(loaded));
  EXPECT_EQ(cycles_of(result, 0, 0), nominal + kDelay);
  EXPECT_EQ(cycles_of(result, 0, 1), std::ceil(1.5 * nominal) + kDelay);
  EXPECT_EQ(cycles_of(result, 0, 3), std::ceil(0.5 * nominal));  // as if it had the memory to itself
  EXPECT_EQ(result.at("passes").at("tiles"), 3);
}

TEST(SharedPasses, DoNotExistIfTheMemoryIsUnlimited) {
  const config::Loaded loaded = ring({"system.accelerator.memory_bandwidth=unlimited"});
  const Program program = program_of({{"pass", pass_of(loaded), {}}, {"sum", JoinCollective{0}, {}}});
  EXPECT_FALSE(SharedPasses(loaded, program).any(0));
  const auto result = run_passes(loaded, program);
  EXPECT_FALSE(result.contains("passes"));
  EXPECT_EQ(cycles_of(result, 0), static_cast<double>(alone(loaded)));
}

// Computations that are given as operations and bytes instead of layers, as in large models and program
// files. Per cycle, the accelerator moves 64 B and performs 2,048 operations.
TEST(SharedPasses, OfOperationsAndBytesWaitForTheMemoryToo) {
  constexpr Cycles kWhole = 63 * 400;
  Compute moving;
  moving.operations = 2048.0 * 63 * 100;
  moving.bytes = static_cast<double>(kBytesPerCycle * kWhole);
  Compute computing;
  computing.operations = 2048.0 * kWhole;
  computing.bytes = static_cast<double>(kBytesPerCycle * 63 * 40);
  for (const char* fidelity : {"train", "flit"}) {
    const config::Loaded loaded = ring({std::string("fidelity=") + fidelity});
    const auto beside = [&](const Compute& compute) {
      return run_passes(loaded, program_of({{"pass", compute, {}}, {"sum", JoinCollective{0}, {}}}));
    };
    const auto held_up = beside(moving);
    EXPECT_EQ(cycles_of(held_up, 0), static_cast<double>(kWhole + kDelay)) << fidelity;
    EXPECT_EQ(held_up.at("passes"), (ordered_json{{"formula", 0}, {"tiles", 4}, {"delayed_ns", kDelay}}));
    // If the pass is limited by computation, the memory has enough spare time for the exchange.
    EXPECT_LT(cycles_of(beside(computing), 0), static_cast<double>(kWhole + kDelay / 4)) << fidelity;
    const auto before =
        run_passes(loaded, program_of({{"pass", moving, {}}, {"sum", JoinCollective{0}, {0}}}));
    EXPECT_EQ(cycles_of(before, 0), static_cast<double>(kWhole));
    EXPECT_EQ(before.at("passes").at("tiles"), 0);
  }
}

RC_GTEST_PROP(SharedPasses, TakeTheRooflinesTimeAlone, ()) {
  const config::Loaded loaded = ring();
  Compute compute;
  compute.operations = *rc::gen::inRange(0, 1'000'000'000);
  compute.bytes = *rc::gen::inRange(1, 100'000'000);
  const Program program = program_of({{"pass", compute, {}}, {"sum", JoinCollective{0}, {}}});
  SharedPasses passes(loaded, program);
  const auto work = passes.work(0, 0);
  const double roofline = std::max(compute.operations / 2048, compute.bytes / kBytesPerCycle);
  RC_ASSERT(static_cast<double>(passes.alone(*work)) >= roofline);
  RC_ASSERT(static_cast<double>(passes.alone(*work)) < roofline + SharedPasses::kPieces + 1);
}

// Even if the accelerator's clock differs from the system's, its passes begin and end in whole cycles of the
// system.
TEST(SharedPasses, EndInWholeCyclesOfTheSystem) {
  const config::Loaded loaded = ring({"system.accelerator.clock=700 MHz"});
  Compute compute = pass_of(loaded);
  const Femtoseconds period = loaded.config.system.clock.period();
  const Femtoseconds time = alone(loaded) * loaded.config.system.accelerator.clock.period();
  compute.duration = (time + period - 1) / period * period;
  Compute long_before;
  long_before.duration = 100'000 * kFemtosecondsPerNanosecond;
  const auto result = run_passes(
      loaded,
      program_of({{"before", long_before, {}}, {"sum", JoinCollective{0}, {}}, {"pass", compute, {0}}}));
  EXPECT_EQ(result.at("passes").at("tiles"), 4);
  EXPECT_EQ(result.at("cycles"), 100'000 + compute.duration / period);
}

}  // namespace
}  // namespace coppice::system

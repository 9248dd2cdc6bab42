// Tests accelerators that compute layers while their network interfaces reduce gradients in the same memory.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "accelerator/accelerator_module.h"
#include "accelerator/layer_engine.h"
#include "fabric/sim_time.h"
#include "machine.h"
#include "ni/interface.h"
#include "system/training/trained_accelerator.h"

namespace coppice::system {
namespace {

using accelerator::PassWork;
using workload::Layer;
using workload::Pass;

using Works = std::vector<std::shared_ptr<const PassWork>>;

// An accelerator that computes `works`. It starts the all-reduce before computing if `reduces`, and
// afterwards otherwise.
class Computer final : public accelerator::AcceleratorModule {
 public:
  Computer(const sc_core::sc_module_name& name, Frequency clock, Works works, bool reduces, Cycles& end)
      : AcceleratorModule(name),
        engine_("engine", clock),
        works_(std::move(works)),
        reduces_(reduces),
        end_(&end) {
    share_memory(engine_.memory);
    SC_HAS_PROCESS(Computer);
    SC_THREAD(work);
  }

 private:
  void work() {
    if (reduces_) write_register(ni::Registers::kControl, ni::Registers::kStart);
    for (const auto& work : works_) {
      engine_.start(work);
      wait(engine_.done());
    }
    *end_ = fabric::current_cycle(kPeriod);
    if (!reduces_) write_register(ni::Registers::kControl, ni::Registers::kStart);
  }

  static constexpr Femtoseconds kPeriod = 1'000'000;
  accelerator::LayerEngine engine_;
  Works works_;
  bool reduces_;
  Cycles* end_;
};

struct Times {
  Cycles computed = 0;    // when the last accelerator finished computing
  Cycles all_reduce = 0;  // when the all-reduce ended
  std::string verified;
};

constexpr Bytes kGradients = 32 * 1024;

std::vector<std::string> keys(const std::string& memory_bandwidth, const std::string& fidelity) {
  return {"system.topology.kind=ring", "system.topology.dims=[4]",
          "collective.algorithm=ring", "collective.size=32 KiB",
          "system.accelerator.pes=1",  "check=values",
          "fidelity=" + fidelity,      "system.accelerator.memory_bandwidth=" + memory_bandwidth};
}

Works works_of(const config::Loaded& loaded, const std::vector<Layer>& layers) {
  const accelerator::Accelerator accelerator = make_accelerator(loaded);
  Works works;
  for (const Layer& layer : layers) {
    works.push_back(std::make_shared<PassWork>(accelerator.work(layer, Pass::kForward, 1)));
  }
  return works;
}

// If `together`, the all-reduce starts at the same time as the work; otherwise, it starts when the work is
// done.
Times run_with(const config::Loaded& loaded, const Works& works, bool together) {
  const auto result = run_in_child(
      [&] {
        std::vector<Cycles> ends(4, -1);
        RunOptions options;
        options.parts.make_accelerator = [&](int node) {
          return std::make_unique<Computer>("accelerator", Frequency{1'000'000'000}, works, together,
                                            ends[static_cast<std::size_t>(node)]);
        };
        auto json = run_program(loaded, load_program(loaded), options);
        json["computed"] = ends;
        return json;
      },
      nullptr);
  Times times;
  for (const Cycles end : result.at("computed")) {
    EXPECT_GE(end, 0) << "did not finish before the run ended";
    times.computed = std::max(times.computed, end);
  }
  times.all_reduce = result.at("cycles");
  times.verified = result.at("verified");
  return times;
}

Times run_with(const std::vector<std::string>& overrides, const std::vector<Layer>& layers, bool together) {
  const config::Loaded loaded = load_system("torus_4x4", overrides);
  return run_with(loaded, works_of(loaded, layers), together);
}

// A vector-matrix product that is limited by the memory: the array consumes weights faster than they arrive,
// so the memory is busy until the last weights have been loaded.
Layer wide_layer() {
  Layer layer;
  layer.name = "wide";
  layer.channels = 256;
  layer.filters = 14 * 32;
  return layer;
}

std::vector<Layer> convolutions() {
  Layer first;
  first.name = "first";
  first.ifmap_height = first.ifmap_width = 10;
  first.filter_height = first.filter_width = 3;
  first.channels = 8;
  first.filters = 64;
  Layer second = first;
  second.name = "second";
  second.ifmap_height = second.ifmap_width = 8;
  second.channels = 64;
  second.filters = 32;
  Layer third;
  third.name = "third";
  third.ifmap_height = third.ifmap_width = 6;
  third.channels = 32;
  third.filters = 128;
  return {first, second, third};
}

// The bytes that a ring all-reduce of 4 moves through each accelerator's memory. In each of the two phases,
// three quarters of the data are read and sent. In the first phase, the same amount arrives and is added,
// which takes a read and a write; in the second phase, it arrives and is stored.
constexpr Bytes kMoved = kGradients / 4 * 3 * (1 + 1 + 2 + 1);

TEST(ComputingAccelerator, TakesTheCyclesOfTheFormulaWithAnExclusiveMemory) {
  for (const char* bandwidth : {"unlimited", "64 GB/s", "7 GB/s"}) {
    const auto overrides = keys(bandwidth, "train");
    const config::Loaded loaded = load_system("torus_4x4", overrides);
    accelerator::PeCycles expected = 0;
    for (const Layer& layer : convolutions()) {
      expected += make_accelerator(loaded).cost(layer, Pass::kForward, 1).total();
    }
    EXPECT_EQ(run_with(overrides, convolutions(), false).computed, expected) << bandwidth;
  }
}

// Work may contain tile sequences that are empty or have zero repetitions; these take no time.
TEST(ComputingAccelerator, SkipsEmptyRuns) {
  const auto computed = [](const Works& works) {
    const auto overrides = keys("64 GB/s", "train");
    return run_with(load_system("torus_4x4", overrides), works, false).computed;
  };
  accelerator::TileSequence some;
  some.tiles.assign(3, {.compute = 50, .load = 64, .store = 64, .new_output = true, .takes_half = true});
  accelerator::TileSequence never = some;
  never.repeats = 0;
  const auto work = [](std::vector<accelerator::TileSequence> runs) {
    return std::make_shared<PassWork>(PassWork{{}, std::move(runs)});
  };
  const Cycles alone = computed({work({some})});
  EXPECT_GE(alone, 150);
  EXPECT_EQ(computed({work({{}, never, some, never, {}})}), alone);
  EXPECT_EQ(computed({work({}), work({never}), work({{}})}), 0);
}

TEST(ComputingAccelerator, WaitsWhileTheNetworkInterfaceUsesASlowMemory) {
  constexpr Bytes kBytesPerCycle = 64;
  for (const char* fidelity : {"flit", "train"}) {
    const auto overrides = keys("64 GB/s", fidelity);
    const Times apart = run_with(overrides, {wide_layer()}, false);
    const Times together = run_with(overrides, {wide_layer()}, true);
    EXPECT_EQ(together.verified, "values");
    // During the last tile's computation, the memory may be idle, so the all-reduce has to end before this
    // tile.
    constexpr Cycles kTile = 2 * 1 + 32 + 256 - 2;
    ASSERT_LT(together.all_reduce, together.computed - kTile - 2);
    EXPECT_EQ(together.computed, apart.computed + kMoved / kBytesPerCycle) << fidelity;
    // The all-reduce also waits for tiles whose memory accesses come first.
    EXPECT_GT(together.all_reduce, apart.all_reduce - apart.computed);
  }
}

TEST(ComputingAccelerator, LosesAtMostTheTimeOfTheNetworkInterfacesTraffic) {
  constexpr Bytes kBytesPerCycle = 32;
  const auto overrides = keys("32 GB/s", "train");
  const Times apart = run_with(overrides, convolutions(), false);
  const Times together = run_with(overrides, convolutions(), true);
  EXPECT_GT(together.computed, apart.computed);
  EXPECT_LE(together.computed, apart.computed + kMoved / kBytesPerCycle);
}

TEST(ComputingAccelerator, LosesNothingIfTheMemoryIsUnlimited) {
  for (const char* fidelity : {"flit", "train"}) {
    const auto overrides = keys("unlimited", fidelity);
    const Times apart = run_with(overrides, convolutions(), false);
    const Times together = run_with(overrides, convolutions(), true);
    EXPECT_EQ(together.computed, apart.computed);
    EXPECT_EQ(together.all_reduce, apart.all_reduce - apart.computed);
  }
}

// If the memory is slower than the links, it determines the speed of an all-reduce.
TEST(MemoryBandwidth, BoundsAnAllReduceOfItsOwn) {
  const auto cycles = [](const char* bandwidth) {
    return run("torus_4x4", keys(bandwidth, "flit"))["cycles"].get<Cycles>();
  };
  const Cycles unlimited = cycles("unlimited");
  EXPECT_EQ(cycles("900 GB/s"), unlimited);
  const Cycles short_of_memory = cycles("4 GB/s");
  EXPECT_GE(short_of_memory, kMoved / 4);
  EXPECT_GT(short_of_memory, unlimited);
}

}  // namespace
}  // namespace coppice::system

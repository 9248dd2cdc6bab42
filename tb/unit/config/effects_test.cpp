#include "config/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTorus =
    "system:\n"
    "  topology: {kind: torus, dims: [4, 1]}\n"
    "  link:\n"
    "    bandwidth: [16 GB/s, 8 GB/s]\n"
    "collective: {algorithm: ring, size: 1 MiB}\n";

std::vector<std::string> warnings(const std::vector<std::string>& overrides, Purpose purpose = Purpose::kRun,
                                  bool records_waves = false) {
  const ScratchFile file(kTorus);
  std::vector<std::string> lines;
  for (std::string line : ineffective_keys(load(file.path(), overrides, purpose), purpose, records_waves)) {
    if (line.starts_with(file.path())) line = line.substr(file.path().size() + 1);
    lines.push_back(line);
  }
  return lines;
}

// The warnings about the key that `override_text` sets.
std::vector<std::string> added(const std::string& override_text, Purpose purpose = Purpose::kRun) {
  std::vector<std::string> lines;
  for (const std::string& line : warnings({"system.topology.dims=[4, 4]", override_text}, purpose)) {
    if (line.starts_with("--set " + override_text)) lines.push_back(line);
  }
  return lines;
}

TEST(IneffectiveKeys, ListsTheLinkKeysOfADimensionWithoutLinks) {
  EXPECT_THAT(warnings({}),
              ElementsAre("4:26: warning: system.link.bandwidth[1] has no effect: a dimension of width "
                          "1 has no links"));
  EXPECT_THAT(warnings({"system.topology.dims=[4, 4]"}), IsEmpty());
}

TEST(IneffectiveKeys, IgnoresKeysOfTheBase) {
  const ScratchFile base(
      "system: {topology: {kind: ring, dims: [4]}}\ncollective: {algorithm: ring, size: 1 MiB, root: 2}\n");
  const ScratchFile file("base: " + base.path() + "\n");
  const ScratchFile own("base: " + base.path() + "\ncollective: {root: 1}\n");
  const auto found = [](const ScratchFile& one, const std::vector<std::string>& overrides) {
    return ineffective_keys(load(one.path(), overrides, Purpose::kRun), Purpose::kRun);
  };
  EXPECT_THAT(found(file, {}), IsEmpty());
  EXPECT_THAT(found(base, {}), ElementsAre(HasSubstr("collective.root has no effect")));
  EXPECT_THAT(found(own, {}),
              ElementsAre(HasSubstr(own.path() + ":2:20: warning: collective.root has no effect")));
  EXPECT_THAT(found(file, {"collective.root=3"}), ElementsAre(HasSubstr("collective.root has no effect")));
}

TEST(IneffectiveKeys, IgnoresKeysWithAnEffect) {
  for (const char* text : {"system.clock=2 GHz", "system.router.vc_depth=8", "system.ni.buffer=8",
                           "system.ni.payload=128 B", "system.ni.reduction_flits_per_cycle=0.5", "seed=2",
                           "check=off", "max_cycles=10000", "fidelity=flit"}) {
    EXPECT_THAT(added(text), IsEmpty()) << text;
  }
}

TEST(IneffectiveKeys, ListsTheSchedulerOfChunksThatDoNotUseDimensions) {
  EXPECT_THAT(added("collective.scheduler=themis"),
              ElementsAre(HasSubstr("collective.scheduler has no effect: ring does not move chunks")));
  EXPECT_THAT(added("collective.intra_dimension=scf"),
              ElementsAre(HasSubstr("collective.intra_dimension has no effect: ring does not move chunks")));
}

TEST(IneffectiveKeys, ListsOverrides) {
  EXPECT_THAT(added("system.accelerator.pes=4"),
              ElementsAre("--set system.accelerator.pes=4:1:24: warning: system.accelerator.pes has no "
                          "effect: the accelerators do not compute"));
  EXPECT_THAT(added("system.ni.reduction_flits_per_cycle=2"),
              ElementsAre(HasSubstr("at most one flit per cycle")));
  EXPECT_THAT(added("observe.nodes=[1]"), ElementsAre(HasSubstr("--vcd")));
}

TEST(IneffectiveKeys, IncludeKeysDisabledByOtherKeys) {
  const auto run = [](const std::vector<std::string>& overrides) {
    std::vector<std::string> all{"system.topology.dims=[4, 4]"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return warnings(all);
  };
  EXPECT_THAT(run({"system.ni.flow_control=message", "system.ni.payload=128 B"}),
              ElementsAre(HasSubstr("system.ni.payload has no effect: message-based")));
  EXPECT_THAT(run({"system.ni.lockstep=false", "system.ni.buffer=9"}),
              ElementsAre(HasSubstr("system.ni.buffer has")));
  EXPECT_THAT(run({"collective.op=all_gather", "system.ni.reduction_latency=9"}),
              ElementsAre(HasSubstr("system.ni.reduction_latency has no effect: an all-gather")));
  EXPECT_THAT(run({"check=contributions", "seed=9"}), ElementsAre(HasSubstr("seed has no effect")));
  EXPECT_THAT(run({"check=values", "seed=9"}), IsEmpty());
  EXPECT_THAT(run({"collective.size=16 MiB", "seed=9"}), IsEmpty());
  EXPECT_THAT(run({"collective.size=17 MiB", "seed=9"}), ElementsAre(HasSubstr("seed has no effect")));
}

TEST(IneffectiveKeys, IncludeTrainingKeysWithoutTraining) {
  EXPECT_THAT(added("system.accelerator.buffers.input=1 MiB"), ElementsAre(HasSubstr("do not compute")));
  // This key has an effect even without training, because the network interface uses the same memory.
  EXPECT_THAT(added("system.accelerator.memory_bandwidth=1 TB/s"), IsEmpty());
  EXPECT_THAT(warnings({"system.topology.dims=[4, 4]", "system.ni.impl=rtl",
                        "system.accelerator.memory_bandwidth=1 TB/s"}),
              ElementsAre(HasSubstr("memory_bandwidth has no effect: a Verilog network interface")));
  EXPECT_THAT(warnings({"system.topology.dims=[4, 4]", "training.model=ncf", "system.accelerator.pes=4"}),
              ElementsAre(HasSubstr(
                  "collective.size has no effect: training.model determines the size of the gradients")));
}

// Programs compute at the arrays' peak rate or on a roofline, so keys that describe other details of an
// accelerator have no effect.
TEST(IneffectiveKeys, DependOnTheComputationOfPrograms) {
  Loaded loaded;
  loaded.top = {"f"};
  loaded.config.system.topology = {"ring", {4}};
  loaded.config.program.file = "program.yaml";
  const auto of = [&](const char* key) {
    loaded.places = {{key, {"f", 2, 3}}};
    return ineffective_keys(loaded, Purpose::kRun);
  };
  for (const char* key : {"system.accelerator.model", "system.accelerator.pes", "system.accelerator.array",
                          "system.accelerator.clock", "program.jitter"}) {
    EXPECT_THAT(of(key), IsEmpty()) << key;
  }
  for (const char* key :
       {"system.accelerator.dataflow", "system.accelerator.timing", "system.accelerator.split",
        "system.accelerator.tiling", "system.accelerator.buffers.input"}) {
    EXPECT_THAT(of(key), ElementsAre(HasSubstr("only the layers of a table have tiles"))) << key;
  }
  for (const char* key : {"training.optimizer", "training.overlap", "training.batch_per_accelerator"}) {
    EXPECT_THAT(of(key), ElementsAre(HasSubstr("the program specifies all computations"))) << key;
  }
  EXPECT_THAT(of("collective.op"), ElementsAre(HasSubstr("the program specifies its collectives")));
  EXPECT_THAT(of("system.accelerator.roofline.peak_tflops"), ElementsAre(HasSubstr("is systolic")));
  loaded.config.system.accelerator.model = "roofline";
  EXPECT_THAT(of("system.accelerator.roofline.peak_tflops"), IsEmpty());
  EXPECT_THAT(of("system.accelerator.pes"), ElementsAre(HasSubstr("is roofline")));
}

// In a program, each collective without a named algorithm chooses one. A key is not reported as ineffective
// if one of the possible choices uses it.
TEST(IneffectiveKeys, DependOnTheChoicesForPrograms) {
  Loaded loaded;
  loaded.top = {"f"};
  loaded.config.system.topology.kind = "hierarchy";
  loaded.config.program.trace = "t.{rank}.et";
  const auto of = [&](const char* key) {
    loaded.places = {{key, {"f", 2, 3}}};
    return ineffective_keys(loaded, Purpose::kRun);
  };
  EXPECT_THAT(of("collective.dimension_algorithms"), IsEmpty());
  EXPECT_THAT(of("collective.scheduler"), IsEmpty());
  EXPECT_THAT(
      of("collective.chunks"),
      ElementsAre(HasSubstr("the automatically chosen algorithm determines the number of its chunks")));
  loaded.config.program.collectives[workload::CollectiveOp::kAllReduce].algorithm = "packed_trees";
  EXPECT_THAT(of("collectives.all_reduce.chunks"), IsEmpty());
  loaded.config.collective.algorithm = "ring";
  EXPECT_THAT(of("collective.scheduler"), ElementsAre(HasSubstr("ring does not move chunks")));
  loaded.config.system.topology = {"ring", {4}};
  loaded.config.collective.algorithm = "";
  EXPECT_THAT(of("collective.scheduler"), ElementsAre(HasSubstr("a ring is not a hierarchy of dimensions")));
}

// A result file contains every key with its value, so its keys must not be treated as set by the user.
TEST(IneffectiveKeys, IgnoresTheKeysOfAResult) {
  const ScratchFile file(
      "{\"schema\": \"coppice.result/1\", \"config\": {\"system\": {\"topology\": {\"kind\": \"ring\", "
      "\"dims\": [4]}, \"accelerator\": {\"pes\": 4}}, \"collective\": {\"algorithm\": \"ring\", "
      "\"size\": \"1 KiB\"}}}\n");
  EXPECT_THAT(ineffective_keys(load(file.path(), {}, Purpose::kRun), Purpose::kRun), IsEmpty());
  EXPECT_THAT(ineffective_keys(load(file.path(), {"system.accelerator.pes=8"}, Purpose::kRun), Purpose::kRun),
              ElementsAre(HasSubstr("system.accelerator.pes has no effect")));
}

TEST(IneffectiveKeys, DependOnHowChunksAreChosen) {
  const auto of_schedule = [](const std::string& algorithm, const std::string& key) {
    std::vector<std::string> lines;
    for (const std::string& line : warnings(
             {"system.topology.dims=[4, 4]", "collective.algorithm=" + algorithm, key}, Purpose::kSchedule)) {
      if (line.starts_with("--set " + key)) lines.push_back(line);
    }
    return lines;
  };
  for (const char* key : {"system.link.bandwidth=8 GB/s", "system.link.latency=1 us", "system.clock=2 GHz",
                          "system.ni.message_setup=1 us", "system.router.vc_depth=8"}) {
    EXPECT_THAT(of_schedule("tree", key), IsEmpty()) << key;
    EXPECT_THAT(of_schedule("ring", key),
                ElementsAre(HasSubstr("has no effect: the schedule of ring does not depend on this")));
  }
}

// In a torus or mesh, a dimension of width 1 has no links. In a Clos network, one accelerator per ToR still
// has links.
TEST(IneffectiveKeys, ExcludeLinksOfAClosWithOneAcceleratorPerTor) {
  Loaded loaded;
  loaded.top = {"f"};
  loaded.config.system.topology = {"clos", {1, 4, 2}};
  loaded.config.system.link.bandwidth = {{16'000'000'000}, {8'000'000'000}};
  for (const char* key : {"system.link.bandwidth", "system.link.bandwidth[0]", "system.link.bandwidth[1]"}) {
    loaded.places[key] = {"f", 2, 3};
  }
  EXPECT_THAT(ineffective_keys(loaded, Purpose::kRun), IsEmpty());
}

TEST(IneffectiveKeys, IncludeComputationKeysOfATextWorkload) {
  Loaded loaded;
  loaded.top = {"f"};
  loaded.config.system.topology.kind = "hierarchy";
  loaded.config.collective.algorithm = "hierarchical";
  loaded.config.training.model = "dlrm.txt";
  for (const char* key : {"fidelity", "check", "training.batch_per_accelerator", "system.router.vcs",
                          "collective.chunks", "training.overlap", "training.all_gather_bytes"}) {
    loaded.places[key] = {"f", 2, 3};
  }
  EXPECT_THAT(
      ineffective_keys(loaded, Purpose::kTextRun),
      ElementsAre(
          "f:2:3: warning: system.router.vcs, training.batch_per_accelerator, fidelity, check have no effect "
          "on the prediction of a text workload: its chunks move without flits or values"));
  EXPECT_THAT(ineffective_keys(loaded, Purpose::kRun),
              ElementsAre("f:2:3: warning: training.batch_per_accelerator has no effect: a text workload "
                          "specifies the times of its layers"));
  loaded.config.training.model = "resnet50";
  loaded.places = {{"training.all_gather_bytes", {"f", 2, 3}}};
  EXPECT_THAT(ineffective_keys(loaded, Purpose::kRun),
              ElementsAre(HasSubstr("training.all_gather_bytes has no effect: training.model is a layer")));
}

TEST(IneffectiveKeys, IncludeNetworkKeysOfASingleAccelerator) {
  EXPECT_THAT(
      warnings({"system.topology.dims=[1, 1]", "system.router.vcs=3"}),
      ElementsAre(HasSubstr("system.link.bandwidth has no effect"), HasSubstr("system.router.vcs has no")));
}

TEST(IneffectiveKeys, IncludeKeysThatTheCommandDoesNotUse) {
  EXPECT_THAT(
      warnings({"system.topology.dims=[4, 4]"}, Purpose::kTraffic),
      ElementsAre(
          "5:25: warning: collective.algorithm, collective.size have no effect on synthetic traffic"));
  EXPECT_THAT(warnings({"system.topology.dims=[4, 4]"}, Purpose::kBound),
              ElementsAre("5:25: warning: collective.algorithm has no effect on the bound"));
  EXPECT_THAT(warnings({"system.topology.dims=[4, 4]"}, Purpose::kSchedule), IsEmpty());
  EXPECT_THAT(added("system.ni.dma_latency=4", Purpose::kTraffic),
              ElementsAre(HasSubstr("on synthetic traffic")));
  EXPECT_THAT(added("system.link.latency=4 ns", Purpose::kTraffic), IsEmpty());
  EXPECT_THAT(added("seed=2", Purpose::kTraffic), IsEmpty());
}

TEST(IneffectiveKeys, ExcludeObservedNodesIfWavesAreRecorded) {
  EXPECT_THAT(warnings({"system.topology.dims=[4, 4]", "observe.nodes=[1]"}, Purpose::kRun, true), IsEmpty());
}

// The buffer depth has an effect in the fluid fabric: buffers that do not cover the credit loop limit the
// flows' rates.
TEST(IneffectiveKeys, ExcludeBuffersOfTheFluidFabric) {
  Loaded loaded;
  loaded.top = {"f"};
  loaded.config.system.topology = {"torus", {4, 4}};
  loaded.config.fidelity = Fidelity::kFluid;
  loaded.places["system.router.vc_depth"] = {"f", 2, 3};
  EXPECT_THAT(ineffective_keys(loaded, Purpose::kRun), IsEmpty());
}

TEST(IneffectiveKeys, IncludeVerilogKeysOfRoutingStudies) {
  Loaded loaded;
  loaded.top = {"f"};
  loaded.config.system.topology = {"clos", {4, 4, 2}};
  loaded.config.system.ni.impl = Implementation::kRtl;
  loaded.config.system.router.impl = Implementation::kRtl;
  loaded.places["system.ni.impl"] = {"f", 2, 3};
  loaded.places["system.router.impl"] = {"f", 3, 3};
  EXPECT_THAT(
      ineffective_keys(loaded, Purpose::kRoute),
      ElementsAre("f:3:3: warning: system.router.impl, system.ni.impl have no effect on a routing study"));
}

}  // namespace
}  // namespace coppice::config

#include "config/loader.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "schedule/registry.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using workload::CollectiveOp;

constexpr const char* kTorus =
    "system:\n"
    "  topology: {kind: torus, dims: [4, 4]}\n"
    "collective:\n"
    "  algorithm: ring\n"
    "  size: 1 MiB\n";

Loaded load_text(const std::string& text, const std::vector<std::string>& overrides = {},
                 Purpose purpose = Purpose::kRun) {
  const ScratchFile file(text);
  return load(file.path(), overrides, purpose);
}

// The error message of load() for `text`. If the message has a location, the file name is omitted.
std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {},
                      Purpose purpose = Purpose::kRun) {
  const ScratchFile file(text);
  try {
    load(file.path(), overrides, purpose);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    return what.starts_with(file.path()) ? what.substr(file.path().size() + 1) : what;
  }
  return "accepted";
}

TEST(Load, ReadsEveryKindOfValue) {
  const Config config = load_text(R"(
system:
  topology: {kind: mesh, dims: 4x2}
  link: {bandwidth: [16 GB/s, 8 GB/s], latency: 20 ns}
  clock: 2 GHz
  flit: 32 B
  router: {vcs: 2, vc_depth: 8, routing_delay: 0, vc_alloc_delay: 2, sw_alloc_delay: 3, st_delay: 4,
           credit_delay: 0, impl: systemc}
  ni: {ports: 2, flow_control: message, payload: 512 B, lockstep: off, buffer: 100, dma_latency: 1,
       reduction_latency: 2, reduction_flits_per_cycle: 0.5, impl: systemc}
  accelerator: {pes: 8, array: [16, 8], dataflow: weight_stationary, clock: 500 MHz,
                memory_bandwidth: 900 GB/s}
collective: {op: all_gather, algorithm: multitree, size: 64 KiB}
training: {model: resnet50, batch_per_accelerator: 4, overlap: layer_wise}
fidelity: flit
check: contributions
seed: 42
max_cycles: 1000000
observe: {nodes: [1, 3]}
)")
                            .config;
  EXPECT_EQ(config.system.topology.kind, "mesh");
  EXPECT_THAT(config.system.topology.dims, ElementsAre(4, 2));
  EXPECT_THAT(config.system.link.bandwidth, ElementsAre(Bandwidth{16'000'000'000}, Bandwidth{8'000'000'000}));
  EXPECT_THAT(config.system.link.latency, ElementsAre(20'000'000));
  EXPECT_EQ(config.system.clock.hertz, 2'000'000'000);
  EXPECT_EQ(config.system.flit, 32);
  EXPECT_EQ(config.system.router, (RouterConfig{2, 8, 0, 2, 3, 4, 0, Implementation::kSystemc}));
  EXPECT_EQ(config.system.ni, (NiConfig{.ports = 2,
                                        .flow_control = FlowControl::kMessage,
                                        .payload = 512,
                                        .lockstep = false,
                                        .buffer = 100,
                                        .dma_latency = 1,
                                        .reduction_latency = 2,
                                        .reduction_flits_per_cycle = 0.5}));
  EXPECT_EQ(config.system.accelerator, (AcceleratorConfig{.pes = 8,
                                                          .array = {16, 8},
                                                          .dataflow = "weight_stationary",
                                                          .clock = {500'000'000},
                                                          .memory_bandwidth = Bandwidth{900'000'000'000}}));
  EXPECT_EQ(config.collective, (workload::CollectiveSpec{
                                   .op = CollectiveOp::kAllGather, .algorithm = "multitree", .size = 65536}));
  EXPECT_EQ(config.training, (TrainingConfig{"resnet50", 4, workload::Overlap::kLayerWise}));
  EXPECT_EQ(config.fidelity, Fidelity::kFlit);
  EXPECT_EQ(config.check, Check::kContributions);
  EXPECT_EQ(config.seed, 42U);
  EXPECT_EQ(config.max_cycles, 1'000'000);
  EXPECT_THAT(config.observe_nodes, ElementsAre(1, 3));
}

TEST(Load, NamesUnknownKeysWithTheNearestKnownOne) {
  const std::string text = kTorus;
  EXPECT_EQ(complaint(text + "sed: 3\n"), "6:1: unknown key 'sed'; did you mean 'seed'?");
  EXPECT_EQ(complaint("system:\n  ruoter:\n    vcs: 3\n"),
            "2:3: unknown key 'system.ruoter'; did you mean 'system.router'?");
  EXPECT_EQ(complaint(text + "router:\n  vcs: 3\n"),
            "6:1: unknown key 'router'; did you mean 'system.router'?");
  EXPECT_EQ(complaint(text, {"system.link.bandwith=3 GB/s"}),
            "--set system.link.bandwith=3 GB/s:1:13: unknown key 'system.link.bandwith'; did you mean "
            "'system.link.bandwidth'?");
  EXPECT_EQ(complaint("system.clock: 1 GHz\n"),
            "1:1: 'system.clock' must be nested: write each part of the name as a key of its own, inside the "
            "section of the previous part");
}

TEST(Load, RejectsKeysOfEarlierVersionsWithTheirReplacement) {
  EXPECT_EQ(complaint(std::string(kTorus) + "routing:\n  order: job\n"),
            "7:3: routing.order is no longer a key: leave it out: the greedy method assigns flows in the "
            "order of the jobs");
  EXPECT_THAT(complaint(kTorus, {"routing.annealing=published"}),
              ::testing::HasSubstr("leave it out: annealing uses Hedera's"));
}

TEST(Load, NamesMissingKeysAtTheSectionThatLacksThem) {
  EXPECT_THAT(complaint("seed: 1\n"),
              StartsWith("1:1: system.topology.kind is missing: add it, for example 'kind: torus'"));
  EXPECT_THAT(complaint("\nsystem:\n  topology:\n    kind: torus\n"),
              StartsWith("3:3: system.topology.dims is missing: add it, for example 'dims: [8, 8]'"));
  const std::string system = "system: {topology: {kind: torus, dims: [4, 4]}}\n";
  EXPECT_THAT(complaint(system + "collective:\n  size: 1 MiB\n"),
              StartsWith("2:1: collective.algorithm is missing"));
  EXPECT_THAT(complaint(system + "collective:\n  algorithm: ring\n"),
              StartsWith("2:1: collective.size is missing"));
  EXPECT_EQ(complaint(system, {}, Purpose::kTraffic), "accepted");
  EXPECT_THAT(complaint(system, {}, Purpose::kBound), StartsWith("1:1: collective.size is missing"));
  EXPECT_EQ(complaint(system + "collective: {size: 4 B}\n", {}, Purpose::kBound), "accepted");
}

TEST(Load, ReadsTheRanksOfAProtocolInAscendingOrder) {
  const std::string system = "system: {topology: {kind: torus, dims: [4, 4]}, ni: {protocols: [";
  const auto with = [&](const std::string& ranks) {
    return system + "{name: LL, ranks: " + ranks + "}]}}\ncollective: {algorithm: ring, size: 4 B}\n";
  };
  EXPECT_THAT(load_text(with("[2, 8]")).config.system.ni.protocols.front().ranks,
              ::testing::ElementsAre(2, 8));
  EXPECT_EQ(complaint(with("[4, 4]")), "accepted");
  for (const char* wrong : {"[8, 2]", "[8]", "[1, 2, 3]"}) {
    EXPECT_THAT(complaint(with(wrong)),
                ::testing::HasSubstr("the minimum and maximum number of accelerators"))
        << wrong;
  }
}

TEST(Load, NeedsNoSizeToTrainButAModel) {
  const std::string untrained =
      "system: {topology: {kind: torus, dims: [4, 4]}}\ncollective: {algorithm: ring}\n";
  const Config config = load_text(untrained + "training: {model: ncf}\n").config;
  EXPECT_EQ(config.training, (TrainingConfig{"ncf", 16, workload::Overlap::kNone}));
  EXPECT_EQ(config.collective.size, 0);
  EXPECT_EQ(config.system.accelerator.memory_bandwidth, std::nullopt);
  EXPECT_THAT(complaint(untrained + "training: {batch_per_accelerator: 4}\n"),
              StartsWith("3:1: training.model is missing: add it, for example 'model: resnet50'"));
  EXPECT_THAT(complaint(untrained + "training: {model: ncf}\n", {}, Purpose::kSchedule),
              StartsWith("2:1: collective.size is missing"));
  EXPECT_THAT(complaint(untrained + "training: {model: ncf, batch_per_accelerator: 0}\n"),
              StartsWith("3:47: training.batch_per_accelerator must be"));
}

TEST(Load, ReportsSectionsInPlaceOfValuesAndViceVersa) {
  EXPECT_EQ(complaint("system: 5\n"), "1:9: system must be a section of keys and values, not '5'");
  EXPECT_EQ(complaint("system: [1]\n"), "1:9: system must be a section of keys and values, not a list");
  EXPECT_EQ(complaint("seed: {a: 1}\n"),
            "1:7: seed must be a whole number from 0 to 18446744073709551615, not a "
            "section");
  EXPECT_EQ(complaint("seed:\nfidelity: flit\n"), "1:1: seed has no value: write one, for example '1'");
}

TEST(Load, RejectsWhatDoesNotExistYet) {
  const std::string text = kTorus;
  EXPECT_THAT(complaint(text, {"collective.algorithm=rings"}), ::testing::HasSubstr("did you mean 'ring'?"));
}

TEST(Load, OverridesAnyKey) {
  const Config config =
      load_text(kTorus, {"system.topology.dims=[8, 2]", "system.link.bandwidth=[8 GB/s, 4 GB/s]",
                         "system.ni.lockstep=false", "observe.nodes=[2]", "seed=9", "check=off",
                         "collective={op: all_gather, size: 8 KiB}"})
          .config;
  EXPECT_THAT(config.system.topology.dims, ElementsAre(8, 2));
  EXPECT_EQ(config.system.link.bandwidth.at(1).bytes_per_second, 4'000'000'000);
  EXPECT_FALSE(config.system.ni.lockstep);
  EXPECT_THAT(config.observe_nodes, ElementsAre(2));
  EXPECT_EQ(config.seed, 9U);
  EXPECT_EQ(config.check, Check::kOff);
  EXPECT_EQ(config.collective.op, CollectiveOp::kAllGather);
  EXPECT_EQ(config.collective.algorithm, "ring");
  EXPECT_EQ(config.collective.size, 8192);
}

TEST(Load, LetsTheLastOverrideWin) {
  EXPECT_EQ(load_text(kTorus, {"seed=9", "seed=10"}).config.seed, 10U);
}

TEST(Loaded, HasTheLocationOfKeysAndOfTheirNearestSection) {
  const Loaded loaded = load_text(kTorus, {"system.link.bandwidth=[8 GB/s, 4 GB/s]"});
  EXPECT_EQ(loaded.place("collective.size").line, 5);
  EXPECT_EQ(loaded.place("collective.size").column, 9);
  EXPECT_EQ(loaded.place("collective.op").line, 3);
  EXPECT_EQ(loaded.place("system.topology.dims[1]").column, 37);
  EXPECT_EQ(loaded.place("system.link.bandwidth[1]").column, 32);
  EXPECT_EQ(loaded.place("system.link.bandwidth[1]").file, "--set system.link.bandwidth=[8 GB/s, 4 GB/s]");
  EXPECT_EQ(loaded.place("system.router.vcs").line, 1);
  EXPECT_EQ(loaded.place("max_cycles").file, loaded.top.file);
}

// A random configuration that satisfies every rule.
Config arbitrary_config() {
  const auto below = [](int end) { return *rc::gen::inRange(1, end); };
  Config config;
  SystemConfig& system = config.system;
  system.topology.kind = *rc::gen::elementOf(std::vector<std::string>{"torus", "mesh"});
  system.topology.dims =
      *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(below(4)), rc::gen::inRange(1, 6));
  system.clock.hertz = *rc::gen::inRange<std::int64_t>(1'000'000'000, 4'000'000'000);
  system.flit = below(64);
  const std::size_t links = *rc::gen::element(std::size_t{1}, system.topology.dims.size());
  system.link.bandwidth.clear();
  system.link.latency.clear();
  for (std::size_t d = 0; d < links; ++d) {
    system.link.bandwidth.push_back({*rc::gen::inRange<std::int64_t>(1'000, 1'000'000'000)});
    system.link.latency.push_back(*rc::gen::inRange<std::int64_t>(0, 200'000'000'000));
  }
  system.router = {below(31) + 1, below(65536), *rc::gen::inRange(0, 65), below(65),
                   below(65),     below(65),    *rc::gen::inRange(0, 65), Implementation::kSystemc};
  system.ni = {*rc::gen::inRange(0, 65),
               *rc::gen::element(FlowControl::kPacket, FlowControl::kMessage),
               system.flit * below(64),
               *rc::gen::arbitrary<bool>(),
               below(100'000),
               below(1000),
               below(1000),
               below(1'000'000),
               0.001 * below(1'000'000),
               NiConfig{}.contexts,  // has an effect in programs only
               NiConfig{}.context_order,
               NiConfig{}.table_load,
               NiConfig{}.early_messages,
               Implementation::kSystemc};
  system.accelerator.forwarding_cost = 0.001 * below(900);
  if (*rc::gen::arbitrary<bool>()) {
    system.accelerator.model = "roofline";
    system.accelerator.roofline = {
        0.5 * below(100), 0.01 * below(100), {below(1000) * 1'000'000'000L}, 0.01 * below(100)};
  }
  system.accelerator.pes = below(100);
  system.accelerator.array = {below(100), below(100)};
  system.accelerator.dataflow = "input_stationary";
  system.accelerator.pe_latency = below(4);
  if (*rc::gen::arbitrary<bool>()) system.accelerator.operands = "int8";
  system.accelerator.clock = {below(100) * 1'000'000};
  if (*rc::gen::arbitrary<bool>()) system.accelerator.memory_bandwidth = Bandwidth{below(1000) * 1'000'000L};
  if (*rc::gen::arbitrary<bool>()) {
    config.training = {"ncf", below(100),
                       *rc::gen::element(workload::Overlap::kNone, workload::Overlap::kLayerWise,
                                         workload::Overlap::kChained)};
  }
  config.collective = {
      *rc::gen::element(CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter, CollectiveOp::kAllGather),
      *rc::gen::elementOf(std::vector<std::string>{"ring", "multitree", "file", "double_tree"}), "",
      *rc::gen::inRange<Bytes>(1, 1 << 30) * 4};
  if (config.collective.algorithm == "double_tree") {
    config.collective.chunks = *rc::gen::element(schedule::kAutomaticChunks, 1, 7);
    config.collective.trees =
        *rc::gen::element(schedule::TreePlacement::kAuto, schedule::TreePlacement::kRouted,
                          schedule::TreePlacement::kEmbedded, schedule::TreePlacement::kCcube);
  }
  if (config.collective.algorithm == "file") config.collective.file = "tables.json";
  config.fidelity = *rc::gen::element(Fidelity::kAuto, Fidelity::kFlit);
  config.check = *rc::gen::element(Check::kAuto, Check::kValues, Check::kContributions, Check::kOff);
  config.seed = *rc::gen::arbitrary<std::uint64_t>();
  config.max_cycles = *rc::gen::inRange<Cycles>(0, 1'000'000'000'000);
  config.observe_nodes = {0};
  return config;
}

RC_GTEST_PROP(ToJson, LoadsAgainAsTheSameConfiguration, ()) {
  const Config config = arbitrary_config();
  const std::string text = to_json(config).dump(2);
  RC_LOG(text);
  RC_ASSERT(load_text(text).config == config);
}

TEST(ToJson, WritesEveryKeyInTheUnitsOfTheFile) {
  const auto json = to_json(load_text(kTorus).config);
  EXPECT_EQ(json["system"]["link"]["bandwidth"], "16 GB/s");
  EXPECT_EQ(json["system"]["link"]["latency"], "150 ns");
  EXPECT_EQ(json["system"]["topology"]["dims"], nlohmann::ordered_json({4, 4}));
  EXPECT_EQ(json["system"]["ni"]["ports"], "auto");
  EXPECT_EQ(json["collective"]["size"], "1 MiB");
  EXPECT_EQ(json["fidelity"], "auto");
  EXPECT_EQ(json["observe"]["nodes"], nlohmann::ordered_json::array({0}));
}

TEST(Load, LetsTheAlgorithmChooseChunksUnlessTheyAreSet) {
  const std::string system = "system: {topology: {kind: dgx1}}\ncollective:\n  size: 1 MiB\n";
  for (const char* algorithm : {"overlapped_tree", "multitree_optimal", "ring"}) {
    const std::string text = system + "  algorithm: " + algorithm + "\n";
    EXPECT_EQ(load_text(text).config.collective.chunks, schedule::kAutomaticChunks);
    EXPECT_EQ(load_text(text + "  chunks: auto\n").config.collective.chunks, schedule::kAutomaticChunks);
    EXPECT_EQ(load_text(text + "  chunks: 3\n").config.collective.chunks, 3);
  }
}

TEST(ToJson, OmitsTheCollectiveOfTraffic) {
  const Loaded loaded = load_text("system: {topology: {kind: mesh, dims: [2, 2]}}\n", {}, Purpose::kTraffic);
  const auto json = to_json(loaded.config);
  EXPECT_FALSE(json["collective"].contains("algorithm"));
  EXPECT_EQ(load_text(json.dump(), {}, Purpose::kTraffic).config, loaded.config);
}

TEST(Loader, FilesMayBeBesideTheConfiguration) {
  const ScratchFile graph("accelerators 2\nlink 0 -- 1\n", ".graph");
  const std::filesystem::path whole(graph.path());
  const auto file_of = [](const std::string& name) {
    return load_text("system: {topology: {kind: file, file: " + name +
                     "}}\ncollective: {algorithm: ring, size: 1 MiB}\n")
        .config.system.topology.file;
  };
  EXPECT_EQ(file_of(whole.filename().string()), whole.string());
  EXPECT_EQ(file_of(whole.string()), whole.string());
  EXPECT_EQ(file_of("absent.graph"), "absent.graph");
  // A name that exists in the working directory takes precedence over the folder of the configuration.
  EXPECT_EQ(file_of("."), ".");
}

}  // namespace
}  // namespace coppice::config

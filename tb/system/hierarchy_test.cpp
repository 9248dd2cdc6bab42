// Tests chunked collectives on hierarchies, as a user runs them.
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSmall =
    "system:\n"
    "  topology:\n"
    "    kind: hierarchy\n"
    "    dimensions:\n"
    "      - {kind: ring, size: 4, links: 2, bandwidth: 400 Gb/s, latency: 20 ns}\n"
    "      - {kind: fully_connected, size: 2, bandwidth: 400 Gb/s, latency: 100 ns}\n"
    "      - {kind: switch, size: 2, bandwidth: 200 Gb/s, latency: 200 ns}\n"
    "  clock: 2 GHz\n"
    "  flit: 128 B\n"
    "  router: {vc_depth: 512}\n"
    "  ni: {flow_control: message}\n"
    "collective: {algorithm: hierarchical, size: 1 MB, chunks: 8}\n";

// On 4x2x2 accelerators, flits and trains must take the same number of cycles for 1 MB with every scheduler.
TEST(Hierarchy, TakesTheSameTimeInFlitsAndTrains) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  for (const char* scheduler : {"baseline", "themis", "themis_plus"}) {
    std::vector<nlohmann::ordered_json> cycles;
    for (const char* fidelity : {"train", "flit"}) {
      const Outcome run =
          shop.run({"run", "c.yaml", "--set", std::string("collective.scheduler=") + scheduler, "--set",
                    std::string("fidelity=") + fidelity, "--out", "r.json"});
      ASSERT_EQ(run.status, 0) << scheduler << ' ' << fidelity << ": " << run.err;
      const auto result = shop.read_json("r.json");
      EXPECT_EQ(result["verified"], "values");
      cycles.push_back(result["cycles"]);
    }
    EXPECT_EQ(cycles[0], cycles[1]) << scheduler;
  }
}

// A box switch of 6 accelerators, whose size is not a power of two, and a rail switch of 4.
constexpr const char* kSwitches =
    "system:\n"
    "  topology:\n"
    "    kind: hierarchy\n"
    "    dimensions:\n"
    "      - {kind: switch, size: 6, bandwidth: 450 GB/s, latency: 400 ns}\n"
    "      - {kind: switch, size: 4, bandwidth: 50 GB/s, latency: 2 us}\n"
    "  clock: 2 GHz\n"
    "  flit: 256 B\n"
    "  router: {vcs: 4, vc_depth: auto}\n"
    "  ni: {flow_control: message}\n"
    "collective: {algorithm: hierarchical, size: 16 MiB, chunks: 64}\n";

// In the direct algorithm, a port sends the messages to all members of its group one after another. The order
// of all chunks' messages must be as good as `coppice chunks` predicts.
TEST(Hierarchy, RunsTheDirectAlgorithmThroughSwitchesInTheExpectedTime) {
  const Workshop shop;
  shop.write("c.yaml", kSwitches);
  for (const char* methods : {"[direct, direct]", "[direct, halving_doubling]"}) {
    const std::string chosen = std::string("collective.dimension_algorithms=") + methods;
    const Outcome run = shop.run({"run", "c.yaml", "--set", chosen, "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << run.err;
    ASSERT_EQ(shop.run({"chunks", "c.yaml", "--set", chosen, "--out", "e.json"}).status, 0);
    const double expected = shop.read_json("e.json")["time_ns"];
    EXPECT_NEAR(shop.read_json("r.json")["time_ns"].get<double>() / expected, 1, 0.01) << methods;
  }
}

TEST(Hierarchy, IsDirectByDefaultThroughSwitchesWhoseSizeIsNotAPowerOfTwo) {
  const Workshop shop;
  shop.write("c.yaml", kSwitches);
  const auto cycles = [&](const std::string& setting) {
    const Outcome run = shop.run({"run", "c.yaml", "--set", setting, "--out", "r.json"});
    EXPECT_EQ(run.status, 0) << run.err;
    return shop.read_json("r.json")["cycles"];
  };
  EXPECT_EQ(cycles("seed=1"), cycles("collective.dimension_algorithms=[direct, halving_doubling]"));
  const Outcome refused = shop.run(
      {"run", "c.yaml", "--set", "collective.dimension_algorithms=[halving_doubling, halving_doubling]"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("dimension 0 is a switch of 6 accelerators, but halving_doubling needs "
                                     "a power of two: write 4 or 8 accelerators, or use direct or ring"));
}

// On a graph of boxes and rails, `auto` uses the direct algorithm in all switches, names it, and reaches the
// same time as the configuration that it names.
TEST(Hierarchy, IsDirectThroughTheRailsOfAGraphIfThatIsFastest) {
  const Workshop shop;
  const std::string rails = shipped_config("systems/graphs/rail_4x8.yaml");
  const std::vector<std::string> sized{"run", rails, "--set", "collective.size=16MiB", "--out", "r.json"};
  const auto with = [&](std::vector<std::string> settings) {
    settings.insert(settings.begin(), sized.begin(), sized.end());
    const Outcome run = shop.run(settings);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return shop.read_json("r.json");
  };
  const auto chosen = with({"--set", "collective.algorithm=auto"});
  EXPECT_GE(chosen["efficiency"].get<double>(), 0.9);
  const auto& first = chosen["expected"][0];
  EXPECT_EQ(first["algorithm"], "hierarchical");
  EXPECT_EQ(first["dimension_algorithms"].dump(), R"(["direct","direct"])");
  const auto named = with({"--set", "collective.algorithm=hierarchical", "--set",
                           "collective.chunks=" + first["chunks"].dump(), "--set",
                           "collective.dimension_algorithms=[direct, direct]"});
  EXPECT_EQ(named["cycles"], chosen["cycles"]);
}

// If all chunks visited two equal dimensions in the same order, the second would be idle most of the time,
// and the collective would reach only 62% of the bound.
TEST(Hierarchy, IsScheduledByThemisIfThatIsFastest) {
  const Workshop shop;
  shop.write("c.yaml", kSwitches);
  const Outcome run =
      shop.run({"run", "c.yaml", "--set",
                "system.topology.dimensions=[{kind: switch, size: 4, bandwidth: 50 GB/s, latency: 400 ns}, "
                "{kind: switch, size: 4, bandwidth: 50 GB/s, latency: 400 ns}]",
                "--set", "collective.algorithm=auto", "--set", "collective.size=64MiB", "--out", "r.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = shop.read_json("r.json");
  EXPECT_GE(result["efficiency"].get<double>(), 0.95);
  EXPECT_THAT(result["expected"][0].value("scheduler", ""), HasSubstr("themis"));
}

// Two boxes of 4 accelerators, each with 2 switches, on 4 rails, as a graph. With `fabric`, each box has a
// leaf for all its rails, and two spines connect the leaves.
std::string boxes_of_two_planes(bool fabric = false) {
  std::string graph = "accelerators 8\nswitches 8\n";
  const auto link = [&](int accelerator, int hub, const char* bandwidth, const char* latency) {
    graph += "link " + std::to_string(accelerator) + " -- s" + std::to_string(hub) + " bandwidth \"" +
             bandwidth + "\" latency \"" + latency + "\"\n";
  };
  for (int node = 0; node < 8; ++node) {
    for (int plane = 0; plane < 2; ++plane) link(node, node / 4 * 2 + plane, "100 GB/s", "200 ns");
    link(node, fabric ? 4 + node / 4 : 4 + node % 4, "50 GB/s", "1 us");
  }
  if (!fabric) return graph;
  for (const char* ends : {"s4 -- s6", "s4 -- s7", "s5 -- s6", "s5 -- s7"})
    graph += std::string("link ") + ends + " bandwidth \"100 GB/s\" latency \"1 us\"\n";
  return graph;
}

constexpr const char* kBoxesOfTwoPlanes =
    "system:\n"
    "  topology: {kind: file, file: planes.graph}\n"
    "  clock: 1 GHz\n"
    "  router: {vcs: 4}\n"
    "  ni: {flow_control: message}\n"
    "collective: {algorithm: hierarchical, chunks: 32, size: 4 MiB}\n";

// Chunks take turns among the planes of a dimension, and their flits take the same time as trains.
TEST(Hierarchy, UsesAllPlanesOfABox) {
  const Workshop shop;
  shop.write("planes.graph", boxes_of_two_planes());
  shop.write("c.yaml", kBoxesOfTwoPlanes);
  std::vector<nlohmann::ordered_json> cycles;
  for (const char* fidelity : {"train", "flit"}) {
    const Outcome run =
        shop.run({"run", "c.yaml", "--set", std::string("fidelity=") + fidelity, "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto result = shop.read_json("r.json");
    EXPECT_EQ(result["verified"], "values");
    EXPECT_GE(result["efficiency"].get<double>(), 0.85);  // one plane alone would reach 0.6
    cycles.push_back(result["cycles"]);
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

// Messages in boxes use both planes, and messages between boxes use the routes through leaves and spines.
TEST(Hierarchy, UsesAllPlanesOfABoxBesideAFabric) {
  const Workshop shop;
  shop.write("planes.graph", boxes_of_two_planes(true));
  shop.write("c.yaml", kBoxesOfTwoPlanes);
  const Outcome run = shop.run({"run", "c.yaml", "--out", "r.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = shop.read_json("r.json");
  EXPECT_EQ(result["verified"], "values");
  EXPECT_GE(result["efficiency"].get<double>(), 0.7);
}

// The time that `coppice chunks` predicts must be close to the simulated time.
TEST(Hierarchy, TakesTheExpectedTimeOfItsChunks) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  for (const char* scheduler : {"baseline", "themis", "themis_plus"}) {
    const std::string chosen = std::string("collective.scheduler=") + scheduler;
    ASSERT_EQ(shop.run({"run", "c.yaml", "--set", chosen, "--out", "r.json"}).status, 0);
    ASSERT_EQ(shop.run({"chunks", "c.yaml", "--set", chosen, "--out", "e.json"}).status, 0);
    const double expected = shop.read_json("e.json")["time_ns"];
    EXPECT_NEAR(shop.read_json("r.json")["time_ns"].get<double>() / expected, 1, 0.01) << scheduler;
  }
}

TEST(Hierarchy, PrintsTheTimesAndSharesOfItsChunks) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  const std::string text = shop.run({"chunks", "c.yaml"}).out;
  ASSERT_EQ(shop.run({"chunks", "c.yaml", "--out", "e.json"}).status, 0);
  const auto result = shop.read_json("e.json");
  EXPECT_THAT(text, HasSubstr(fmt::format("{:.3f} us expected, {:.3f} us ideal, utilization {:.2f} %\n",
                                          result["time_ns"].get<double>() / 1000,
                                          result["ideal_time_ns"].get<double>() / 1000,
                                          100 * result["utilization"].get<double>())));
  for (std::size_t d = 0; d < result["dimensions"].size(); ++d) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\ndimension {}: ", d)));
    EXPECT_THAT(text, HasSubstr(fmt::format("sent per accelerator, utilization {:.2f} %\n",
                                            100 * result["dimensions"][d]["utilization"].get<double>())));
  }
}

// In this configuration of Themis' Fig. 5, a unit of time is a millisecond, and routers add less than a
// microsecond.
TEST(Hierarchy, TakesTheUnitsOfFigure5) {
  const Workshop shop;
  for (const auto& [scheduler, units] : {std::pair{"baseline", 8}, {"themis", 7}}) {
    const Outcome run = shop.run({"run", shipped_config("systems/themis/figure_5.yaml"), "--set",
                                  std::string("collective.scheduler=") + scheduler, "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_NEAR(shop.read_json("r.json")["time_ns"].get<double>() / 1e6, units, 0.001) << scheduler;
  }
}

// A 4 KiB all-reduce over a reducing switch of four accelerators, at one 16-byte flit per cycle. After 4
// cycles in memory, 257 flits leave; each takes 31 cycles through routers and channel, and the switch adds it
// in 4 cycles. The sum then leaves after another 4 cycles, returns in the same way and is stored in one
// cycle.
TEST(InNetwork, TakesTheTimeOfThePathsUpAndDown) {
  const Workshop shop;
  shop.write("c.yaml",
             "system:\n"
             "  topology:\n"
             "    kind: hierarchy\n"
             "    dimensions:\n"
             "      - {kind: switch, size: 4, bandwidth: 16 GB/s, latency: 40 ns, in_network: true}\n"
             "  ni: {flow_control: message, dma_latency: 4, reduction_latency: 4}\n"
             "collective: {algorithm: hierarchical, size: 4 KiB, chunks: 1}\n");
  for (const char* fidelity : {"flit", "train"}) {
    const Outcome run = shop.run({"run", "c.yaml", "--set", std::string("fidelity=") + fidelity, "--set",
                                  "check=values", "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << fidelity << ": " << run.err;
    const auto result = shop.read_json("r.json");
    EXPECT_EQ(result["cycles"], (4 + 256 + 31 + 4) + (4 + 256 + 31 + 1)) << fidelity;
    EXPECT_EQ(result["verified"], "values");
    EXPECT_EQ(result["bound"]["time_ns"], 256.0);
    EXPECT_EQ(result["dimensions"][0]["bytes_per_accelerator"], 4096.0);
  }
}

std::string with_switches_that_add() {
  std::string config = kSmall;
  const std::string last = "latency: 200 ns}";
  config.replace(config.find(last), last.size(), "latency: 200 ns, in_network: true}");
  return config;
}

TEST(InNetwork, HasTheSameTimesAndRightValuesInFlitsAndTrains) {
  const Workshop shop;
  shop.write("c.yaml", with_switches_that_add());
  for (const char* op : {"all_reduce", "reduce_scatter", "all_gather"}) {
    for (const char* scheduler : {"baseline", "themis"}) {
      std::vector<nlohmann::ordered_json> cycles;
      for (const char* fidelity : {"train", "flit"}) {
        const Outcome run =
            shop.run({"run", "c.yaml", "--set", std::string("collective.op=") + op, "--set",
                      std::string("collective.scheduler=") + scheduler, "--set", "collective.size=256 KiB",
                      "--set", std::string("fidelity=") + fidelity, "--out", "r.json"});
        ASSERT_EQ(run.status, 0) << op << ' ' << scheduler << ' ' << fidelity << ": " << run.err;
        const auto result = shop.read_json("r.json");
        EXPECT_EQ(result["verified"], "values");
        EXPECT_LE(result["efficiency"].get<double>(), 1);
        cycles.push_back(result["cycles"]);
      }
      EXPECT_EQ(cycles[0], cycles[1]) << op << ' ' << scheduler;
    }
  }
}

// If the switches reduce, chunks send half as much data through them, so the run is faster than without. In
// both cases, it takes the predicted time.
TEST(InNetwork, MakesThemisFaster) {
  const Workshop shop;
  const auto config = [](const char* in_network) {
    return std::string(
               "system:\n"
               "  topology:\n"
               "    kind: hierarchy\n"
               "    dimensions:\n"
               "      - {kind: switch, size: 8, bandwidth: 400 Gb/s, latency: 700 ns") +
           in_network +
           "}\n"
           "      - {kind: switch, size: 4, bandwidth: 200 Gb/s, latency: 700 ns" +
           in_network +
           "}\n"
           "  clock: 2 GHz\n"
           "  flit: 128 B\n"
           "  router: {vc_depth: 1024}\n"
           "  ni: {flow_control: message}\n"
           "collective: {algorithm: hierarchical, scheduler: themis, size: 32 MB, chunks: 64}\n";
  };
  shop.write("with.yaml", config(", in_network: true"));
  shop.write("without.yaml", config(""));
  std::map<std::string, double> time;
  for (const char* name : {"with", "without"}) {
    const std::string file = std::string(name) + ".yaml";
    const Outcome run = shop.run({"run", file, "--out", "r.json"});
    ASSERT_EQ(run.status, 0) << run.err;
    time[name] = shop.read_json("r.json")["time_ns"];
    ASSERT_EQ(shop.run({"chunks", file, "--out", "e.json"}).status, 0);
    EXPECT_NEAR(time[name] / shop.read_json("e.json")["time_ns"].get<double>(), 1, 0.02) << name;
  }
  EXPECT_LT(time["with"], 0.7 * time["without"]);
}

TEST(InNetwork, IsRejectedIfItDoesNotApply) {
  const Workshop shop;
  shop.write("c.yaml", with_switches_that_add());
  const auto refused = [&](const std::string& setting) {
    const Outcome run = shop.run({"run", "c.yaml", "--set", setting});
    EXPECT_EQ(run.status, 2) << setting;
    return run.err;
  };
  EXPECT_THAT(
      refused("system.topology.dimensions=[{kind: ring, size: 4, links: 2, bandwidth: 2 GB/s, latency: "
              "1 ns, in_network: true}]"),
      HasSubstr("a ring has no switch that could reduce data"));
  EXPECT_THAT(refused("system.topology.bundled=false"), HasSubstr("the links must be bundled"));
  const std::string other = refused("collective.algorithm=ring");
  EXPECT_THAT(other, HasSubstr("c.yaml:7:"));
  EXPECT_THAT(other, HasSubstr("collective.algorithm: ring cannot reduce in the network"));
  EXPECT_THAT(refused("system.ni.impl=rtl"), HasSubstr("in-network reduction is not available in Verilog"));
  // Unlike switches with halving and doubling, reducing switches may have any size.
  EXPECT_EQ(shop.run({"run", "c.yaml", "--set",
                      "system.topology.dimensions=[{kind: switch, size: 6, bandwidth: 200 Gb/s, latency: 20 "
                      "ns, in_network: true}]",
                      "--set", "collective.size=96 KiB"})
                .status,
            0);
}

TEST(Hierarchy, RejectsNetworksThatCannotBeBuiltOrScheduled) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  const auto refused = [&](const std::string& setting) {
    const Outcome run = shop.run({"run", "c.yaml", "--set", setting});
    EXPECT_EQ(run.status, 2) << setting;
    return run.err;
  };
  const auto one = [](const std::string& dimension) {
    return "system.topology.dimensions=[{" + dimension + "}]";
  };
  EXPECT_THAT(refused(one("kind: switch, size: 4, bandwidth: 0 Gb/s, latency: 20 ns")),
              HasSubstr("bandwidth"));
  EXPECT_THAT(refused(one("kind: bus, size: 4, bandwidth: 200 Gb/s, latency: 20 ns")),
              HasSubstr("must be ring, fully_connected or switch"));
  EXPECT_THAT(refused("collective.chunks=100000"),
              HasSubstr("collective.chunks is 100000, but 1 MB can be divided into at most 7812"));
  EXPECT_THAT(refused("collective.scheduler=thames"), HasSubstr("did you mean 'themis'?"));
  shop.write("n.yaml",
             "topology: [ Ring, Switch ]\nnpus_count: [ 4 ]\nbandwidth: [ 50, 50 ]\nlatency: [ 20, 20 ]\n");
  EXPECT_THAT(refused("system.topology.dimensions=n.yaml"), HasSubstr("n.yaml:2:13: npus_count has 1 value"));
}

constexpr const char* kText =
    "HYBRID_TRANSFORMER model_parallel_NPU_group: 8\n2\n"
    "a -1 1000 ALLREDUCE 1000000 1000 ALLREDUCE 1000000 1000 ALLREDUCE 500000 0\n"
    "b -1 1000 ALLREDUCE 1000000 1000 ALLREDUCE 1000000 1000 ALLREDUCE 500000 0\n";

TEST(TextTraining, DividesTheTimeOfAnIteration) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  shop.write("t.txt", kText);
  double before = 0;
  for (const char* scheduler : {"baseline", "themis_plus"}) {
    const std::string set = std::string("collective.scheduler=") + scheduler;
    const Outcome told = shop.run({"chunks", "c.yaml", "--workload", "./t.txt", "--set", set});
    ASSERT_EQ(told.status, 0) << told.err;
    EXPECT_THAT(told.out, HasSubstr("training iteration of t on 16 accelerators"));
    ASSERT_EQ(shop.run({"chunks", "c.yaml", "--workload", "./t.txt", "--set", set, "--out", "r.json"}).status,
              0);
    const auto training = shop.read_json("r.json")["training"];
    const auto ns = [&](const char* key) { return training[key].get<double>(); };
    EXPECT_EQ(ns("compute_ns"), 6000);
    // Model data moves among eight accelerators at 150 GB/s, which takes at least 4 * 11.6 us. Gradients of a
    // megabyte move between two accelerators at 25 GB/s, which takes 40 us.
    EXPECT_GE(ns("exposed_model_ns"), 46'000);
    EXPECT_NEAR(ns("exposed_data_ns"), 40'000, 2000);
    EXPECT_NEAR(ns("compute_ns") + ns("exposed_model_ns") + ns("exposed_data_ns"), ns("total_ns"), 1e-3);
    EXPECT_LE(ns("ideal_total_ns"), ns("total_ns"));
    if (before > 0) {
      EXPECT_LT(ns("total_ns"), before);
    }
    before = ns("total_ns");
  }
}

// Without overlap, collectives follow one another, so the simulated time is close to the sum of the predicted
// times.
TEST(TextTraining, TakesThePredictedTimeOnTheMachine) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  shop.write("t.txt", kText);
  ASSERT_EQ(shop.run({"chunks", "c.yaml", "--workload", "./t.txt", "--out", "p.json"}).status, 0);
  const Outcome run = shop.run({"run", "c.yaml", "--set", "training.model=./t.txt", "--out", "r.json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto result = shop.read_json("r.json");
  EXPECT_NE(result["verified"], "off");
  const double predicted = shop.read_json("p.json")["training"]["total_ns"].get<double>();
  EXPECT_NEAR(result["time_ns"].get<double>() / predicted, 1, 0.1);
  EXPECT_EQ(result["iterations"][0]["compute_ns"], 6000);
  // Each of two groups has four collectives for parts of the model, and each of eight pairs has one for
  // gradients.
  EXPECT_EQ(result["collectives"].size(), 2 * 4 + 8);
}

TEST(TextTraining, RejectsGroupsThatAreNotDimensions) {
  const Workshop shop;
  shop.write("c.yaml", kSmall);
  shop.write("t.txt",
             "HYBRID_TRANSFORMER model_parallel_NPU_group: 6\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 0\n");
  const Outcome cut = shop.run({"chunks", "c.yaml", "--workload", "./t.txt"});
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, HasSubstr("groups of 6 accelerators do not match the dimensions"));
  const Outcome unequal = shop.run({"run", "c.yaml", "--set", "training.model=./t.txt"});
  EXPECT_EQ(unequal.status, 2);
  EXPECT_THAT(unequal.err, HasSubstr("16 accelerators cannot be split into groups of 6"));
  for (const Outcome& absent : {shop.run({"run", "c.yaml", "--set", "training.model=./none.txt"}),
                                shop.run({"chunks", "c.yaml", "--workload", "./none.txt"})}) {
    EXPECT_EQ(absent.status, 2);
    EXPECT_THAT(absent.err, HasSubstr("the text workload ./none.txt does not exist"));
  }
}

}  // namespace
}  // namespace coppice::system_test

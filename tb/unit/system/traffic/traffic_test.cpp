// Compares synthetic traffic with values calibrated with BookSim2: its default input-queued router, an 8x8
// mesh and uniform traffic.
#include <gmock/gmock.h>

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TrafficOptions uniform(double rate, int packet_flits, Cycles measure = 50'000) {
  TrafficOptions traffic;
  traffic.rate = rate;
  traffic.packet_flits = packet_flits;
  traffic.warmup = measure / 5;
  traffic.measure = measure;
  return traffic;
}

struct Point {
  int packet_flits;
  double rate;
  double latency;
  double latency_tolerance;  // relative; 0 if the latency is not compared
  double accepted;
  double hops;
};

std::string name_of(const ::testing::TestParamInfo<Point>& point) {
  return fmt::format("{}FlitsAt{}PerMille", point.param.packet_flits, std::lround(point.param.rate * 1000));
}

class Calibration : public ::testing::TestWithParam<Point> {};

TEST_P(Calibration, AgreesWithTheMeasuredRouter) {
  const Point& point = GetParam();
  const auto result = run_synthetic("mesh_8x8_booksim", uniform(point.rate, point.packet_flits));
  const double latency = result["packet_latency_mean"];
  const double accepted = result["accepted_flits_per_node_cycle"];
  if (point.latency_tolerance > 0) {
    EXPECT_NEAR(latency, point.latency, point.latency_tolerance * point.latency);
  }
  // Injection is random, so the accepted rate may deviate by three standard deviations of the number of
  // packets.
  const double packets = 64 * 50'000 * point.rate / point.packet_flits;
  const double noise = 3 * point.rate / std::sqrt(packets);
  EXPECT_NEAR(accepted, point.rate, noise + 0.0005);
  EXPECT_NEAR(accepted, point.accepted, 0.05 * point.accepted + (point.rate < 0.01 ? noise + 0.0005 : 0));
  EXPECT_NEAR(result["hops_mean"].get<double>(), 6.25, 0.015 * 6.25);
  EXPECT_FALSE(result["saturated"]);
}

// 1-flit packets saturate at a rate of about 0.43, and 16-flit packets at about 0.4. Latencies are compared
// only up to three quarters of these rates.
INSTANTIATE_TEST_SUITE_P(
    Mesh8x8, Calibration,
    ::testing::Values(Point{1, 0.005, 33.07, 0.01, 0.0050, 6.21}, Point{1, 0.1, 33.84, 0.03, 0.1001, 6.24},
                      Point{1, 0.2, 35.10, 0.03, 0.1998, 6.25}, Point{1, 0.3, 37.89, 0.03, 0.2998, 6.25},
                      Point{1, 0.4, 58.28, 0, 0.3995, 6.25}, Point{16, 0.005, 48.21, 0.01, 0.0055, 6.17},
                      Point{16, 0.2, 67.24, 0.03, 0.1992, 6.24}, Point{16, 0.3, 91.58, 0, 0.3001, 6.25}),
    name_of);

// At almost no load, a packet takes 5 cycles per router, plus 2, plus one for every flit after the first. The
// torus has a channel latency of 2 cycles, which adds one cycle per channel.
TEST(Traffic, HasTheZeroLoadLatencyOfTheFormula) {
  const auto mesh = run_synthetic("mesh_8x8_booksim", uniform(0.001, 4));
  EXPECT_NEAR(mesh["packet_latency_mean"].get<double>(), 5 * mesh["hops_mean"].get<double>() + 2 + 3, 0.3);
  const auto torus = run_synthetic("mesh_8x8_booksim", uniform(0.001, 4),
                                   {"system.topology.kind=torus", "system.link.latency=2 ns"});
  const double hops = torus["hops_mean"];
  EXPECT_NEAR(torus["packet_latency_mean"].get<double>(), 5 * hops + (hops - 1) + 2 + 3, 0.3);
  EXPECT_NEAR(hops, 5, 0.15);  // on average, 2 in each dimension, plus the source's own router
}

// In these patterns, no destination has two shortest routes in opposite directions, so the mean distance
// follows from the geometry.
TEST(Traffic, UsesTheShortestPathInEveryPattern) {
  const std::vector<std::pair<Pattern, double>> torus_hops{
      {Pattern::kTranspose, 5}, {Pattern::kTornado, 7}, {Pattern::kNeighbor, 3}, {Pattern::kBitcomp, 5}};
  for (const auto& [pattern, hops] : torus_hops) {
    TrafficOptions traffic = uniform(0.05, 1, 10'000);
    traffic.pattern = pattern;
    const auto result = run_synthetic("mesh_8x8_booksim", traffic, {"system.topology.kind=torus"});
    EXPECT_NEAR(result["hops_mean"].get<double>(), hops, 0.1) << result["traffic"]["pattern"];
  }
}

TEST(Traffic, ReportsSaturation) {
  TrafficOptions traffic = uniform(0.9, 1, 2'000);
  const auto result = run_synthetic("mesh_8x8_booksim", traffic);
  EXPECT_TRUE(result["saturated"]);
  EXPECT_LT(result["accepted_flits_per_node_cycle"], 0.6);
  EXPECT_GT(result["accepted_flits_per_node_cycle"], 0.35);
}

struct Spread {
  const char* name;
  std::vector<std::string> keys;
};

class SpreadTraffic : public ::testing::TestWithParam<Spread> {};

// Packets are longer than the buffers, and the load is higher than the network can carry. If all packets
// stopped moving, the run would report a deadlock.
TEST_P(SpreadTraffic, NeverDeadlocks) {
  std::vector<std::string> keys{"system.router.vc_depth=2"};
  for (const std::string& key : GetParam().keys) keys.push_back(key);
  const auto result = run_synthetic("mesh_8x8_booksim", uniform(1, 7, 20'000), keys);
  EXPECT_TRUE(result["saturated"]);
  EXPECT_GT(result["accepted_flits_per_node_cycle"], 0.02);
}

// At low load, every packet arrives, so the accepted rate equals the offered rate.
TEST_P(SpreadTraffic, DeliversTheOfferedTraffic) {
  const auto result = run_synthetic("mesh_8x8_booksim", uniform(0.05, 4, 10'000), GetParam().keys);
  EXPECT_FALSE(result["saturated"]);
  EXPECT_NEAR(result["accepted_flits_per_node_cycle"].get<double>(), 0.05, 0.004);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, SpreadTraffic,
    ::testing::Values(
        Spread{"MeshValiant", {"system.router.routing=valiant", "system.router.vcs=2"}},
        Spread{"TorusValiant",
               {"system.topology.kind=torus", "system.router.routing=valiant", "system.router.vcs=4"}},
        Spread{"TorusUgal",
               {"system.topology.kind=torus", "system.router.routing=ugal", "system.router.vcs=4"}},
        Spread{"MeshAdaptive", {"system.router.routing=adaptive", "system.router.vcs=3"}},
        Spread{"TorusAdaptive",
               {"system.topology.kind=torus", "system.router.routing=adaptive", "system.router.vcs=4"}},
        Spread{"TorusAdaptiveByAge",
               {"system.topology.kind=torus", "system.router.routing=adaptive", "system.router.vcs=3",
                "system.router.arbitration=age"}},
        Spread{"DragonflyUgal",
               {"system.topology.kind=dragonfly", "system.topology.dims=[2, 4, 2]",
                "system.router.routing=ugal", "system.router.vcs=3"}},
        Spread{"DragonflyValiant",
               {"system.topology.kind=dragonfly", "system.topology.dims=[2, 4, 2]",
                "system.router.routing=valiant", "system.router.vcs=3"}},
        Spread{"FatTreeAdaptive",
               {"system.topology.kind=fat_tree", "system.topology.dims=[4, 3]",
                "system.router.routing=adaptive", "system.router.vcs=1"}}),
    [](const ::testing::TestParamInfo<Spread>& network) { return std::string(network.param.name); });

// A dimension-order route has 5.25 channels on average. A route through a random node consists of two such
// routes.
TEST(Traffic, UsesLongerPathsThroughRandomNodes) {
  const auto result =
      run_synthetic("mesh_8x8_booksim", uniform(0.05, 1, 20'000), {"system.router.routing=valiant"});
  EXPECT_NEAR(result["hops_mean"].get<double>(), 2 * 5.25 + 1, 0.15);
}

// On a torus, minimal routing of tornado traffic uses only one direction of each ring. Detours use the other
// direction as well.
TEST(Traffic, CarriesMoreTornadoTrafficWithDetours) {
  const auto accepted = [](const std::string& routing) {
    TrafficOptions traffic = uniform(0.9, 1, 5'000);
    traffic.pattern = Pattern::kTornado;
    const auto result = run_synthetic("mesh_8x8_booksim", traffic,
                                      {"system.topology.kind=torus", "system.router.routing=" + routing});
    return result["accepted_flits_per_node_cycle"].get<double>();
  };
  const double minimal = accepted("minimal");
  EXPECT_LT(minimal, 0.34);
  EXPECT_GT(accepted("valiant"), 1.1 * minimal);
}

TEST(Traffic, AnswersRequests) {
  TrafficOptions traffic = uniform(0.12, 1, 20'000);
  traffic.request_reply =
      RequestReply{.writes = 0.25, .read_request = 1, .read_reply = 5, .write_request = 5, .write_reply = 1};
  const auto result = run_synthetic("mesh_8x8_booksim", traffic);
  EXPECT_FALSE(result["saturated"]);
  EXPECT_NEAR(result["accepted_flits_per_node_cycle"].get<double>(), 0.12, 0.004);
  // A transaction consists of two packets; the means differ only by random noise.
  EXPECT_NEAR(result["transaction_latency_mean"].get<double>(),
              2 * result["packet_latency_mean"].get<double>(),
              0.02 * result["transaction_latency_mean"].get<double>());
}

TEST(Traffic, ComesInBurstsThatWait) {
  TrafficOptions traffic = uniform(0.1, 4, 50'000);
  const double steady = run_synthetic("mesh_8x8_booksim", traffic)["packet_latency_mean"];
  traffic.bursts = Bursts{0.001, 0.005};
  const auto result = run_synthetic("mesh_8x8_booksim", traffic);
  // An active source sends a 4-flit packet every 6.7 cycles on average, so packets of a burst wait for each
  // other.
  EXPECT_GT(result["packet_latency_mean"].get<double>(), steady + 1.5);
  EXPECT_NEAR(result["accepted_flits_per_node_cycle"].get<double>(), 0.1, 0.01);
  traffic.bursts = Bursts{0.001, 0.1};
  EXPECT_THAT([&] { run_synthetic("mesh_8x8_booksim", traffic); },
              ThrowsMessage<ConfigError>(HasSubstr("--bursts")));
}

TEST(Traffic, HasNoMeanWithoutAPacket) {
  const auto result = run_synthetic("mesh_8x8_booksim", uniform(1e-9, 1, 10));
  EXPECT_TRUE(result["packet_latency_mean"].is_null());
  EXPECT_EQ(result["accepted_flits_per_node_cycle"], 0.0);
  EXPECT_FALSE(result["saturated"]);
}

TEST(Traffic, DependsOnTheSeed) {
  const auto measure = [](int seed) {
    auto result = run_synthetic("mesh_8x8_booksim", uniform(0.3, 4, 2'000), {fmt::format("seed={}", seed)});
    result.erase("simulator");
    return result.dump();
  };
  EXPECT_EQ(measure(1), measure(1));
  EXPECT_NE(measure(1), measure(2));
}

TEST(Traffic, HasTheKeysOfTheDesign) {
  const auto result = run_synthetic("mesh_8x8_booksim", uniform(0.1, 1, 1'000));
  for (const char* key : {"packet_latency_mean", "flit_latency_mean", "accepted_flits_per_node_cycle",
                          "hops_mean", "saturated", "simulator", "config", "schema"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
}

// All traffic of one destination passes its ejection channel.
TEST(Traffic, MeasuresTheBusiestEjectionChannel) {
  TrafficOptions traffic = uniform(0.01, 1, 5'000);
  traffic.pattern = Pattern::kHotspot;
  traffic.hotspots = {{27, 1}};
  const auto result = run_synthetic("mesh_8x8_booksim", traffic);
  EXPECT_NEAR(result["ejection_utilization_max"].get<double>(),
              64 * result["accepted_flits_per_node_cycle"].get<double>(), 0.03);
}

// A flit's latency counts from its injection, so it excludes the packet's serialization and its time in the
// source queue.
TEST(Traffic, CountsFlitLatencyFromInjection) {
  const auto result = run_synthetic("mesh_8x8_booksim", uniform(0.001, 16));
  EXPECT_NEAR(result["flit_latency_mean"].get<double>(), 5 * result["hops_mean"].get<double>() + 2, 0.5);
}

TEST(Traffic, RejectsInvalidOptions) {
  const auto refused = [](const TrafficOptions& traffic, const std::string& message) {
    EXPECT_THAT([&] { run_synthetic("mesh_8x8_booksim", traffic); },
                ThrowsMessage<ConfigError>(HasSubstr(message)));
  };
  refused(uniform(0, 1), "--rate");
  refused(uniform(1.1, 1), "at most 1");
  refused(uniform(std::nan(""), 1), "--rate");
  refused(uniform(0.1, 0), "--packet-flits");
  TrafficOptions traffic = uniform(0.1, 1);
  traffic.measure = 0;
  refused(traffic, "--measure");
  traffic = uniform(0.1, 1);
  traffic.warmup = -1;
  refused(traffic, "--warmup");
}

TEST(Traffic, RejectsAPatternThatIsNotDefinedForTheNetwork) {
  TrafficOptions traffic = uniform(0.1, 1);
  traffic.pattern = Pattern::kTranspose;
  EXPECT_THAT([&] { run_synthetic("mesh_8x8_booksim", traffic, {"system.topology.dims=[4, 8]"}); },
              ThrowsMessage<ConfigError>(HasSubstr("two equal dims")));
}

TEST(Traffic, StopsAtTheCycleLimit) {
  EXPECT_THAT([&] { run_synthetic("mesh_8x8_booksim", uniform(0.1, 1), {"max_cycles=3000"}); },
              ThrowsMessage<ModelError>(HasSubstr("cycle limit reached at cycle 3000 ")));
}

}  // namespace
}  // namespace coppice::system

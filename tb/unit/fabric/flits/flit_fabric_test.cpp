#include "fabric/flits/flit_fabric.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/route_timing.h"
#include "small_fabric.h"
#include "support/child.h"

namespace coppice::fabric {
namespace {

using ::coppice::testing::in_child;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

// --- zero-load latency -------------------------------------------------------------------------------------

// Cycles between the packets of successive pairs of nodes, long enough that no two packets meet.
constexpr Cycles kApart = 200;

void send_every_pair(SmallFabric& small, int flits) {
  Cycles at = 1;
  for (NodeId src = 0; src < small.topology.num_accelerators(); ++src) {
    for (NodeId dst = 0; dst < small.topology.num_accelerators(); ++dst) {
      small.send(at, src, dst, flits);
      at += kApart;
    }
  }
}

TEST(FlitFabric, TakesFiveCyclesPerRouterTwoMoreAndOnePerFurtherFlit) {
  struct Case {
    topology::Topology topology;
    int flits;
  };
  const Case cases[] = {{torus({4, 4}), 1}, {torus({5, 3}), 17},  {torus({2, 3}), 4}, {torus({3}), 2},
                        {mesh({4, 4}), 16}, {mesh({3, 2, 2}), 1}, {mesh({1}), 5}};
  std::vector<std::unique_ptr<SmallFabric>> fabrics;
  for (const Case& c : cases) {
    fabrics.push_back(
        std::make_unique<SmallFabric>(fmt::format("fabric_{}", fabrics.size()), c.topology, system_config()));
    send_every_pair(*fabrics.back(), c.flits);
  }
  run_cycles(256 * kApart + kApart);
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    SmallFabric& small = *fabrics[i];
    std::size_t packets = 0;
    for (const Sink& sink : small.sinks) {
      packets += sink.arrivals.size();
      for (const auto& [packet, at] : sink.arrivals) {
        EXPECT_EQ(at - packet.created, 5 * packet.hops + 2 + cases[i].flits - 1)
            << small.topology.name() << " " << packet.src << "->" << packet.dst;
        const auto route = topology::make_route(small.topology, *small.routing, packet.src, packet.dst, 0, 0);
        EXPECT_EQ(packet.hops, route.size());
        EXPECT_EQ(packet.flit_cycles(), (5 * packet.hops + 2) * cases[i].flits);
      }
    }
    const auto nodes = static_cast<std::size_t>(small.topology.num_accelerators());
    EXPECT_EQ(packets, nodes * nodes);
    EXPECT_NO_THROW(small.fabric->check_conservation());
  }
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

config::SystemConfig random_delays(int vcs, int depth) {
  config::SystemConfig system = system_config(vcs, depth);
  system.router.routing_delay = *rc::gen::inRange(0, 5);
  system.router.vc_alloc_delay = *rc::gen::inRange(1, 5);
  system.router.sw_alloc_delay = *rc::gen::inRange(1, 5);
  system.router.st_delay = *rc::gen::inRange(1, 5);
  system.router.credit_delay = *rc::gen::inRange(0, 5);
  return system;
}

std::vector<int> random_dims() {
  static const std::vector<std::vector<int>> kDims{{1},    {2},    {3},    {5},       {2, 2},
                                                   {3, 2}, {4, 3}, {1, 4}, {2, 3, 2}, {3, 3}};
  return *rc::gen::elementOf(kDims);
}

// All latencies of this random topology are whole numbers of cycles; route_timing_test covers rounding.
topology::Topology random_topology() {
  const auto dims = random_dims();
  std::vector<topology::LinkSpec> links;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto bandwidth = *rc::gen::element<std::int64_t>(16, 16, 16, 8, 10, 3);
    links.push_back(link(*rc::gen::inRange<Cycles>(0, 8), bandwidth * 1'000'000'000));
  }
  return *rc::gen::arbitrary<bool>() ? topology::make_torus(dims, links) : topology::make_mesh(dims, links);
}

// The test computes the expected latency without route_timing: two cycles of injection, four stages per
// router, the latency of every channel, and one cycle on the ejection channel.
RC_GTEST_PROP(FlitFabric, TakesTheDelaysOfItsStagesAndChannels, ()) {
  const auto topology = random_topology();
  const config::SystemConfig system = random_delays(4, 64);
  const auto nodes = topology.num_accelerators();
  const auto src = *rc::gen::inRange<NodeId>(0, nodes);
  const auto dst = *rc::gen::inRange<NodeId>(0, nodes);
  const int flits = *rc::gen::inRange(1, 20);
  const auto router = system.router;
  const std::string failure = in_child([&]() -> std::string {
    SmallFabric small("fabric", topology, system);
    small.send(3, src, dst, flits);
    run_cycles(100'000);
    if (small.sink(dst).arrivals.size() != 1) return "no arrival";
    const auto& [packet, at] = small.sink(dst).arrivals.front();
    const auto route = topology::make_route(topology, *small.routing, src, dst, 0, 0);
    const Cycles stages =
        router.routing_delay + router.vc_alloc_delay + router.sw_alloc_delay + router.st_delay;
    Cycles latency = 2 + stages * static_cast<Cycles>(route.size()) + 1;
    double slowest = 1;
    NodeId node = src;
    for (std::size_t i = 0; i + 1 < route.size(); ++i) {
      const auto& channel = topology.channel(topology.out_channels(node)[route[i].out_port]);
      // On a slow channel, a flit arrives only when all of its bytes have been transferred.
      const Femtoseconds flit_time = 16 * 1'000'000'000'000'000 / channel.bandwidth.bytes_per_second;
      latency += channel.latency / kCycle + (flit_time - 1) / kCycle;
      slowest = std::max(slowest, 16e9 / static_cast<double>(channel.bandwidth.bytes_per_second));
      node = channel.dst;
    }
    if (time_route(topology, system, src, route).latency != latency) return "route_timing differs";
    const Cycles head = at - packet.created - (flits - 1);
    if (slowest == 1) return head == latency ? "" : fmt::format("{} instead of {}", head, latency);
    // The tail follows at the rate of the slowest channel, but it may catch up by as much as routing and
    // virtual-channel allocation delayed the head.
    const double lag = static_cast<double>(at - packet.created - latency);
    const double paced = static_cast<double>(flits - 1) * slowest;
    const auto routers = static_cast<double>(route.size());
    const bool holds =
        lag < paced + routers && lag > paced - routers * (router.routing_delay + router.vc_alloc_delay + 1);
    return holds ? "" : fmt::format("{} flits, the tail {} behind the head's time", flits, lag);
  });
  RC_ASSERT(failure == "");
}

// A sender with d slots of buffer space sends d flits per credit loop of 6 cycles, 3 in each direction.
TEST(FlitFabric, ShallowBuffersThrottleByTheCreditLoop) {
  std::vector<std::unique_ptr<SmallFabric>> fabrics;
  std::vector<std::unique_ptr<Recorder>> recorders;
  constexpr int kFlits = 200;
  for (int depth = 1; depth <= 8; ++depth) {
    fabrics.push_back(
        std::make_unique<SmallFabric>(fmt::format("depth_{}", depth), mesh({3}), system_config(1, depth)));
    recorders.push_back(std::make_unique<Recorder>());
    fabrics.back()->fabric->add_observer(*recorders.back());
    fabrics.back()->send(0, 0, 2, kFlits);
  }
  run_cycles(10'000);
  constexpr Cycles kLoop = 6;
  for (int depth = 1; depth <= 8; ++depth) {
    std::vector<Cycles> ejected;
    for (const auto& seen : recorders[static_cast<std::size_t>(depth - 1)]->seen) {
      if (seen.event.node == 2) ejected.push_back(seen.at);
    }
    ASSERT_EQ(ejected.size(), std::size_t{kFlits});
    // The rate is measured in steady state, over a whole number of credit loops.
    const std::size_t first = 50;
    const std::size_t last = first + 60;
    const Cycles expected = depth >= kLoop ? 60 : 60 * kLoop / depth;
    EXPECT_EQ(ejected[last] - ejected[first], expected) << "depth " << depth;
  }
}

TEST(FlitFabric, RefusesChannelsFasterThanAFlitPerCycle) {
  const auto topology = mesh({2}, link(1, 17'000'000'000));
  EXPECT_THAT([&] { SmallFabric("fabric", topology, system_config()); },
              ThrowsMessage<ModelError>(HasSubstr("0->1 carries more than one flit per cycle")));
}

// --- invariants under random traffic ---------------------------------------------------------------------

struct Offered {
  Cycles at;
  NodeId src;
  NodeId dst;
  int port;
  int ejection_port;
  int flits;
};

// The observed positions of a packet's flits along its route.
class Journey {
 public:
  // Adds one flit event. Returns "" if it is consistent with the previous events, or else a description of
  // the fault.
  std::string add(const Recorder::Seen& seen, int flits) {
    const auto place = std::tuple{seen.event.node, seen.event.out_port};
    std::uint32_t& next = next_[place];
    if (seen.event.flit.sequence != next) {
      return fmt::format("packet {}: flit {} where {} is next", seen.tag, seen.event.flit.sequence, next);
    }
    if ((seen.event.flit.tail != 0) != (static_cast<int>(next) + 1 == flits))
      return "tail in the wrong place";
    ++next;
    return "";
  }
  std::string complete(int flits, std::size_t places) const {
    if (next_.size() != places) return fmt::format("{} places instead of {}", next_.size(), places);
    for (const auto& [place, count] : next_) {
      if (static_cast<int>(count) != flits) return "flits lost on the way";
    }
    return "";
  }

 private:
  std::map<std::tuple<NodeId, int>, std::uint32_t> next_;
};

std::string check_observations(const std::vector<Recorder::Seen>& seen, const std::vector<Offered>& packets,
                               SmallFabric& small) {
  std::vector<Journey> journeys(packets.size());
  std::map<std::tuple<NodeId, int, int, int>, std::uint64_t>
      open;  // the packet that holds each virtual channel
  std::map<std::tuple<NodeId, int, int, Cycles>, int> at_once;
  std::vector<std::int64_t> channel_flits(small.topology.channels().size(), 0);
  for (const auto& flit : seen) {
    const FlitEvent& event = flit.event;
    if (const auto wrong = journeys[flit.tag].add(flit, packets[flit.tag].flits); !wrong.empty())
      return wrong;
    const auto vc = std::tuple{event.node, event.out_port, event.ni_port, event.vc};
    if (event.flit.is_head() && open.contains(vc)) return "two packets at once on a virtual channel";
    if (event.flit.is_head()) open[vc] = flit.tag;
    if (!open.contains(vc) || open[vc] != flit.tag) return "a stray flit between another packet's";
    if (event.flit.tail != 0) open.erase(vc);
    if (++at_once[{event.node, event.out_port, event.ni_port, flit.at}] > 1) return "two flits in one cycle";
    const auto out = small.topology.out_channels(event.node);
    if (event.out_port >= 0 && event.out_port < static_cast<int>(out.size())) {
      ++channel_flits[static_cast<std::size_t>(out[static_cast<std::size_t>(event.out_port)])];
    }
  }
  for (std::size_t k = 0; k < packets.size(); ++k) {
    const auto route =
        topology::make_route(small.topology, *small.routing, packets[k].src, packets[k].dst, 0, 0);
    const auto wrong = journeys[k].complete(packets[k].flits, route.size() + 1);
    if (!wrong.empty()) return wrong;
  }
  if (small.fabric->statistics().channel_flits != channel_flits) return "channel_flits differ";
  return "";
}

std::string check_deliveries(const std::vector<Offered>& packets, SmallFabric& small, int ni_ports) {
  std::set<std::uint64_t> delivered;
  std::int64_t flit_hops = 0;
  std::int64_t flits = 0;
  for (std::size_t i = 0; i < small.sinks.size(); ++i) {
    for (const auto& [packet, at] : small.sinks[i].arrivals) {
      const Offered& offered = packets[packet.tag];
      if (!delivered.insert(packet.tag).second) return "delivered twice";
      if (offered.dst != static_cast<NodeId>(i) / ni_ports) return "delivered to another node";
      if (offered.ejection_port != static_cast<int>(i) % ni_ports) return "delivered to another port";
      flits += packet.flits;
      flit_hops += std::int64_t{packet.flits} * packet.hops;
    }
  }
  if (delivered.size() != packets.size()) {
    return fmt::format("{} of {} delivered\n{}", delivered.size(), packets.size(),
                       small.fabric->describe_packets(8));
  }
  const FabricStatistics& statistics = small.fabric->statistics();
  if (statistics.flits_injected != flits || statistics.flits_ejected != flits) return "flits miscounted";
  if (statistics.flit_hops != flit_hops) return "flit hops miscounted";
  return "";
}

RC_GTEST_PROP(FlitFabric, DeliversEveryFlitOnceAndInOrder, ()) {
  const auto topology = random_topology();
  const int vcs = *rc::gen::inRange(topology::min_vcs(topology), 6);
  config::SystemConfig system = random_delays(vcs, *rc::gen::inRange(1, 10));
  system.ni.reduction_flits_per_cycle = *rc::gen::element(1.0, 1.0, 0.7);
  const int ni_ports = *rc::gen::inRange(1, 4);
  const auto node = rc::gen::inRange<NodeId>(0, topology.num_accelerators());
  const auto port = rc::gen::inRange(0, ni_ports);
  std::vector<Offered> packets;
  const int count = *rc::gen::inRange(1, 80);
  for (int i = 0; i < count; ++i) {
    packets.push_back(
        {*rc::gen::inRange<Cycles>(0, 100), *node, *node, *port, *port, *rc::gen::inRange(1, 25)});
  }
  std::stable_sort(packets.begin(), packets.end(),
                   [](const Offered& a, const Offered& b) { return a.at < b.at; });
  const std::string failure = in_child([&]() -> std::string {
    SmallFabric small("fabric", topology, system, ni_ports);
    Recorder recorder;
    small.fabric->add_observer(recorder);
    for (std::size_t k = 0; k < packets.size(); ++k) {
      const Offered& packet = packets[k];
      small.send(packet.at, packet.src, packet.dst, packet.flits, k, packet.port, packet.ejection_port);
    }
    run_cycles(200'000);
    small.failure.rethrow();
    if (auto wrong = check_deliveries(packets, small, ni_ports); !wrong.empty()) return wrong;
    if (auto wrong = check_observations(recorder.seen, packets, small); !wrong.empty()) return wrong;
    if (!small.fabric->idle()) return "not idle";
    if (sc_core::sc_pending_activity()) return "an idle fabric has events";
    small.fabric->check_conservation();
    return "";
  });
  RC_ASSERT(failure == "");
}

// --- failures ---------------------------------------------------------------------------------------------

// Routes around the ring in the positive direction only, without datelines, so that it can deadlock.
class Clockwise : public topology::RoutingFunction {
 public:
  explicit Clockwise(int nodes) : nodes_(nodes) {}
  topology::Hop next_hop(NodeId at, NodeId dst, topology::RouteState&, int ejection_port) const override {
    const int out_port = at == dst && nodes_ > 0 ? 2 + ejection_port : 0;
    return {static_cast<std::uint16_t>(out_port), {0, 1}};
  }
  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return 1; }

 private:
  int nodes_;
};

TEST(FlitFabric, ListsTheStuckPacketsOfADeadlock) {
  SmallFabric small("fabric", torus({4}), std::make_unique<Clockwise>(4), system_config(1, 4));
  for (NodeId src = 0; src < 4; ++src) small.send(1, src, (src + 2) % 4, 40, static_cast<std::uint64_t>(src));
  run_cycles(5'000);
  for (const Sink& sink : small.sinks) EXPECT_TRUE(sink.arrivals.empty());
  EXPECT_FALSE(small.fabric->idle());
  EXPECT_EQ(small.fabric->packets_in_flight(), 4);
  EXPECT_LT(small.fabric->last_movement(), 100);
  EXPECT_THROW(small.fabric->check_conservation(), ModelError);
  EXPECT_THAT(small.fabric->describe_packets(16),
              AllOf(HasSubstr("packet 0->2 of 40 flits, "), HasSubstr("packet 1->3 of 40 flits, "),
                    HasSubstr("packet 2->0 of 40 flits, "), HasSubstr("packet 3->1 of 40 flits, "),
                    HasSubstr("waiting for a virtual channel of output 0"),
                    HasSubstr("holding output 0 vc 0 with 0 credits")));
  const std::string brief = small.fabric->describe_packets(2);
  EXPECT_EQ(std::count(brief.begin(), brief.end(), '\n'), 2);
}

// Only a credit wakes a port that waits for credits, so once the network has deadlocked, the kernel has no
// more events.
TEST(FlitFabric, HasNoEventsInADeadlock) {
  SmallFabric small("fabric", torus({4}), std::make_unique<Clockwise>(4), system_config(1, 4));
  for (NodeId src = 0; src < 4; ++src) small.send(1, src, (src + 2) % 4, 40);
  run_cycles(5'000);
  EXPECT_EQ(small.fabric->packets_in_flight(), 4);
  EXPECT_FALSE(sc_core::sc_pending_activity());
}

// The packet circulates forever and never reaches its destination, which the fabric must report.
TEST(FlitFabric, ReportsALivelock) {
  SmallFabric small("fabric", torus({4}), std::make_unique<Clockwise>(0), system_config(1, 4));
  small.send(1, 0, 2, 1);
  run_cycles(100'000);
  EXPECT_THAT([&] { small.failure.rethrow(); }, ThrowsMessage<ModelError>(HasSubstr("livelock")));
}

// Two packets contend for an output. The later packet waits, and both packets arrive.
TEST(FlitFabric, DelaysAPacketOnlyByContention) {
  SmallFabric small("fabric", mesh({3}), system_config(1, 16));
  small.send(1, 0, 2, 10, 0);
  small.send(6, 1, 2, 10, 1);  // reaches router 1 while the first packet holds its output's only VC
  run_cycles(1'000);
  const auto& arrivals = small.sink(2).arrivals;
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].packet.tag, 0U);
  EXPECT_EQ(arrivals[0].at - 1, 5 * 3 + 2 + 9);
  EXPECT_GT(arrivals[1].at - 6, 5 * 2 + 2 + 9);
}

}  // namespace
}  // namespace coppice::fabric

#include "fabric/fluid/fluid_fabric.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fabric/route_timing.h"
#include "small_fabric.h"
#include "support/child.h"
#include "topology/networks/clos.h"
#include "topology/networks/kinds.h"

namespace coppice::fabric {
namespace {

using ::coppice::testing::in_child;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr Bytes kFlit = 16;
constexpr int kDeep =
    512;  // flits per buffer, enough to cover the credit loop of a channel with a latency of 150 cycles

// Offers whole messages in order, never before their start times, and records the messages that it receives.
class Station final : public Injector, public Ejector {
 public:
  struct Planned {
    Cycles at;
    Message message;
    std::int64_t flits;
  };

  void add(const Planned& planned) { waiting_.push_back(planned); }
  Answer next_packet(Cycles /*now*/, Packet& /*packet*/) override { return Answer::kSleep; }
  void packet_injected(const Packet& /*packet*/, Cycles /*now*/) override {}
  void packet_ejected(const Packet& /*packet*/, Cycles /*now*/) override {}

  Pending next_message() override {
    if (waiting_.empty()) return {};
    return {&waiting_.front().message, waiting_.front().at};
  }
  void message_started(std::uint64_t message, Cycles now) override { started[message] = now; }
  void message_injected(std::uint64_t message, Cycles now) override {
    injected[message] = now;
    waiting_.pop_front();
  }
  std::int64_t message_ejected(std::uint64_t message, Cycles now) override {
    ejected[message] = now;
    return (*flits)[message];
  }

  std::map<std::uint64_t, Cycles> started;
  std::map<std::uint64_t, Cycles> injected;
  std::map<std::uint64_t, Cycles> ejected;
  std::map<std::uint64_t, std::int64_t>* flits = nullptr;

 private:
  std::deque<Planned> waiting_;
};

struct Sent {
  Cycles at;
  NodeId src;
  NodeId dst;
  int spine;
  std::int64_t flits;
};

// A Clos network with a fluid fabric. Its channels carry one flit per cycle.
class SmallFluid {
 public:
  explicit SmallFluid(const std::vector<int>& dims, Cycles latency = 1, int vc_depth = 16)
      : topology(topology::make_clos(dims, std::vector(2, link(latency)))), clos(topology) {
    system.router.vc_depth = vc_depth;
    set_time_resolution();
    const Framing framing{config::FlowControl::kMessage, kFlit, 256};
    fabric = std::make_unique<FluidFabric>("fluid", topology, system, framing, 1, failure);
    stations.resize(static_cast<std::size_t>(topology.num_accelerators()));
    for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
      stations[static_cast<std::size_t>(node)].flits = &flits;
      fabric->connect(node, 0, station(node), station(node));
    }
  }

  // Schedules a message of `count` flits, including its head. Call before the simulation, in chronological
  // order for each source.
  std::uint64_t send(Cycles at, NodeId src, NodeId dst, int spine, std::int64_t count) {
    const std::uint64_t id = next_++;
    flits[id] = count;
    Message message;
    message.id = id;
    message.src = src;
    message.dst = dst;
    message.route = &route(src, dst, spine);
    message.bytes = (count - 1) * kFlit;
    message.flit_time = kCycle;
    station(src).add({at, message, count});
    fabric->wake(src, 0, at);
    source_of[id] = src;
    latency_of[id] = time_route(topology, system, src, *message.route).latency;
    return id;
  }

  const topology::Route& route(NodeId src, NodeId dst, int spine) {
    routes_.push_back(std::make_unique<topology::Route>(clos.route(src, dst, spine, system.router.vcs)));
    return *routes_.back();
  }
  Station& station(NodeId node) { return stations[static_cast<std::size_t>(node)]; }
  // The time at which the message's last flit left its port.
  Cycles sent(std::uint64_t message) { return station(source_of[message]).injected.at(message); }
  Cycles arrived(std::uint64_t message) {
    for (Station& each : stations) {
      if (each.ejected.contains(message)) return each.ejected.at(message);
    }
    return -1;
  }
  // The time at which the message's last flit crossed the bottleneck: its arrival minus its zero-load
  // latency.
  Cycles through(std::uint64_t message) { return arrived(message) - latency_of[message]; }
  Cycles started(std::uint64_t message) { return station(source_of[message]).started.at(message); }

  config::SystemConfig system = system_config();
  topology::Topology topology;
  topology::Clos clos;
  Failure failure;
  std::unique_ptr<FluidFabric> fabric;
  std::vector<Station> stations;
  std::map<std::uint64_t, std::int64_t> flits;
  std::map<std::uint64_t, NodeId> source_of;
  std::map<std::uint64_t, Cycles> latency_of;

 private:
  std::uint64_t next_ = 1;
  std::vector<std::unique_ptr<topology::Route>> routes_;
};

void finish(SmallFluid& net, Cycles cycles = 1'000'000) {
  run_cycles(cycles);
  net.failure.rethrow();
  EXPECT_TRUE(net.fabric->idle());
  EXPECT_NO_THROW(net.fabric->check_conservation());
}

// --- hand-computed times -----------------------------------------------------------------------------------

TEST(FluidFabric, ALoneMessageTakesItsFlitsAndItsLatency) {
  SmallFluid net({2, 2, 1}, 150, kDeep);
  const auto far = net.send(10, 0, 3, 0, 1000);
  const auto near = net.send(10, 2, 2, 0, 1);  // within its ToR
  finish(net);
  EXPECT_EQ(net.sent(far), 10 + 1000);
  EXPECT_EQ(net.arrived(far), 10 + 1000 + net.latency_of[far]);
  EXPECT_GT(net.latency_of[far], 4 * 150);
  EXPECT_LT(net.latency_of[near], 3 * 150);
  EXPECT_EQ(net.fabric->statistics().flits_ejected, 1001);
}

// For two cycles, the long message shares the ejection channel with a single flit. Rounding to whole cycles
// adds no further delay.
TEST(FluidFabric, TimesInWholeCyclesStayWhole) {
  SmallFluid net({2, 2, 1}, 150, kDeep);
  const auto far = net.send(10, 0, 3, 0, 1000);
  const auto near = net.send(10, 2, 3, 0, 1);
  finish(net);
  EXPECT_EQ(net.through(near), 12);
  EXPECT_EQ(net.through(far), 10 + 1 + 1000);
}

// Messages a, b and c share ToR 0's uplink at a third of its rate each; d shares the downlink to ToR 2 with a
// and gets two thirds. a and d end at 1,800. Then b and c get half of the uplink each. When b ends at 3,000,
// c gets all of it.
TEST(FluidFabric, SharesLinksFairlyAndAgainWhenFlowsEnd) {
  SmallFluid net({4, 3, 1});
  const auto a = net.send(0, 0, 8, 0, 600);
  const auto b = net.send(0, 1, 4, 0, 1200);
  const auto c = net.send(0, 2, 5, 0, 1800);
  const auto d = net.send(0, 6, 9, 0, 1200);
  run_cycles(400);
  constexpr double kLink = 16e9;
  EXPECT_THAT(net.fabric->rate(0, 0), ::testing::Optional(DoubleNear(kLink / 3, 1)));
  EXPECT_THAT(net.fabric->rate(6, 0), ::testing::Optional(DoubleNear(kLink * 2 / 3, 1)));
  EXPECT_EQ(net.fabric->rate(7, 0), std::nullopt);
  finish(net);
  EXPECT_EQ(net.through(a), 1800);
  EXPECT_EQ(net.through(d), 1800);
  EXPECT_EQ(net.through(b), 3000);
  EXPECT_EQ(net.through(c), 3600);
}

// Until cycle 501, two messages share the uplink, which leaves 750.5 flits of each. Then three messages share
// it. The first two end after another 2,251.5 cycles, which a clocked interface sees in the next whole cycle.
// The third has 249.5 flits left, which use the whole uplink.
TEST(FluidFabric, EndsBetweenCyclesAreExactAndSeenInTheNext) {
  SmallFluid net({4, 2, 1});
  const auto a = net.send(0, 0, 4, 0, 1001);
  const auto b = net.send(0, 1, 5, 0, 1001);
  const auto c = net.send(501, 2, 6, 0, 1000);
  finish(net);
  EXPECT_EQ(net.through(a), 2753);
  EXPECT_EQ(net.through(b), 2753);
  EXPECT_EQ(net.through(c), 3002);  // 2,752.5 + 249.5
}

TEST(FluidFabric, AReroutedMessageKeepsItsProgress) {
  SmallFluid net({2, 2, 2});
  const auto a = net.send(0, 0, 2, 0, 1000);
  const auto b = net.send(0, 1, 3, 0, 1000);
  run_cycles(400);  // 200 flits of each message are through
  net.fabric->reroute(1, 0, 3, net.route(1, 3, 1));
  finish(net);
  EXPECT_EQ(net.through(a), 1200);
  EXPECT_EQ(net.through(b), 1200);
  const auto& carried = net.fabric->statistics().channel_flits;
  EXPECT_EQ(carried[static_cast<std::size_t>(net.clos.up(0, 0))], 1200);
  EXPECT_EQ(carried[static_cast<std::size_t>(net.clos.up(0, 1))], 800);
}

TEST(FluidFabric, LaterMessagesUseTheNewRoute) {
  SmallFluid net({1, 2, 2});
  net.send(10, 0, 1, 0, 100);
  run_cycles(5);
  net.fabric->reroute(0, 0, 1, net.route(0, 1, 1));
  finish(net);
  EXPECT_EQ(net.fabric->statistics().channel_flits[static_cast<std::size_t>(net.clos.up(0, 0))], 0);
  EXPECT_EQ(net.fabric->statistics().channel_flits[static_cast<std::size_t>(net.clos.up(0, 1))], 100);
}

TEST(FluidFabric, ADeadChannelStopsFlowsUntilItRecovers) {
  SmallFluid net({1, 2, 1});
  const auto a = net.send(0, 0, 1, 0, 1000);
  run_cycles(400);
  net.fabric->set_channel(net.clos.up(0, 0), false);
  run_cycles(300);
  EXPECT_THAT(net.fabric->rate(0, 0), ::testing::Optional(0.0));
  EXPECT_THAT(net.fabric->describe_packets(5), ::testing::HasSubstr("message 1 from 0: 9600 of 16000 bytes"));
  net.fabric->set_channel(net.clos.up(0, 0), true);
  finish(net);
  EXPECT_EQ(net.through(a), 1300);
}

// --- buffers ---------------------------------------------------------------------------------------------

// Messages a and b share the uplink. Buffers before the uplink absorb the rest of a's 400 flits, so from
// cycle 400 on, a's port sends c to a node behind the same ToR, although a is in flight until cycle 800.
TEST(FluidFabric, APortStartsItsNextMessageWhileThePreviousOneDrains) {
  SmallFluid net({3, 2, 1}, 1, kDeep);
  const auto a = net.send(0, 0, 3, 0, 400);
  const auto c = net.send(0, 0, 2, 0, 300);
  const auto b = net.send(0, 1, 4, 0, 400);
  finish(net);
  EXPECT_EQ(net.sent(a), 400);
  EXPECT_EQ(net.started(c), 401);
  EXPECT_EQ(net.through(c), 701);
  EXPECT_EQ(net.through(a), 800);
  EXPECT_EQ(net.through(b), 800);
}

// A message uses one virtual channel, so it has one buffer at the port and one behind the NIC's channel, with
// 16 flits each. It leaves the port once all but 32 flits have passed the uplink, at half a flit per cycle.
TEST(FluidFabric, APortWaitsForRoomInTheBuffersOfTheRoute) {
  SmallFluid net({3, 2, 1}, 1, 16);
  const auto a = net.send(0, 0, 3, 0, 400);
  net.send(0, 1, 4, 0, 400);
  finish(net);
  EXPECT_EQ(net.sent(a), 2 * (400 - 32));
  EXPECT_EQ(net.through(a), 800);
}

// While the port sends the second message, half of the first message's 60 flits wait in the buffer behind the
// NIC's channel. In the flit fabric, these flits also take turns at the switch input from the second message;
// fluid rates ignore this effect, which costs at most 30 cycles.
TEST(FluidFabric, WaitsInBuffersLikeFlits) {
  SmallFluid net({3, 2, 1}, 1, 64);
  SmallFabric flits("flits", net.topology, topology::make_routing(net.topology, 4), system_config(4, 64));
  const std::vector<Sent> plan{{1, 0, 3, 0, 60}, {1, 0, 2, 0, 600}, {1, 1, 4, 0, 900}};
  std::vector<std::uint64_t> messages;
  for (const Sent& sent : plan) {
    messages.push_back(net.send(sent.at, sent.src, sent.dst, sent.spine, sent.flits));
    flits.send(static_cast<Cycles>(sent.at), sent.src, sent.dst, static_cast<int>(sent.flits));
  }
  finish(net);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(net.arrived(messages[i])),
                static_cast<double>(flits.sink(plan[i].dst).arrivals.back().at), 30)
        << "message " << i;
  }
}

TEST(FluidFabric, ConservationFailsWhileMessagesAreInFlight) {
  SmallFluid net({1, 2, 1});
  net.send(0, 0, 1, 0, 1000);
  run_cycles(400);
  EXPECT_THROW(net.fabric->check_conservation(), ModelError);
}

// --- observers -------------------------------------------------------------------------------------------

class Watcher final : public FabricObserver {
 public:
  void flit_sent(const FlitEvent& /*event*/, const Packet& /*packet*/, Cycles /*now*/) override {}
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override {
    busy[channel].emplace_back(begin, end);
    used_cycles[channel] += static_cast<double>(used) / kCycle;
  }
  void flow_rate(NodeId node, int /*ni_port*/, double bytes_per_second, Femtoseconds at) override {
    rates[node].emplace_back(at / kCycle, bytes_per_second / 16e9);
  }
  std::map<topology::ChannelId, std::vector<std::pair<Cycles, Cycles>>> busy;
  std::map<topology::ChannelId, double> used_cycles;
  std::map<NodeId, std::vector<std::pair<Cycles, double>>> rates;
};

TEST(FluidFabric, ObserversSeeRatesAndBusyChannels) {
  SmallFluid net({2, 2, 1});
  Watcher watcher;
  net.fabric->add_observer(watcher);
  net.send(0, 0, 2, 0, 1000);
  net.send(500, 1, 3, 0, 750);
  finish(net);
  // The messages share the uplink from cycle 500 until the first one ends at 1,500. From 500, each port still
  // sends at full rate for 64 cycles, until the 32 flits of buffer space before the uplink are full. A port
  // becomes idle when only these last 32 flits remain.
  EXPECT_THAT(watcher.rates[0], ElementsAre(std::pair(0, 1.0), std::pair(500, 0.5), std::pair(500, 1.0),
                                            std::pair(564, 0.5), std::pair(1436, 0.0)));
  EXPECT_THAT(watcher.rates[1], ElementsAre(std::pair(500, 0.5), std::pair(500, 1.0), std::pair(564, 0.5),
                                            std::pair(1500, 1.0), std::pair(1718, 0.0)));
  EXPECT_THAT(watcher.busy[net.clos.up(0, 0)], ElementsAre(std::pair(0, 1750)));
  const topology::ChannelId first_nic = net.topology.out_channels(0).front();
  EXPECT_THAT(watcher.busy[first_nic], ElementsAre(std::pair(0, 1436)));
  EXPECT_NEAR(watcher.used_cycles[net.clos.up(0, 0)], 1750, 0.01);
  EXPECT_NEAR(watcher.used_cycles[first_nic], 1000, 0.01);
}

// --- comparison with other models -------------------------------------------------------------------------

// An input-queued switch takes turns between its input ports, whereas fluid rates are fair to flows. Four
// flows share a spine's downlink, and three of them come from one ToR. In the fluid fabric, each flow gets a
// quarter; with flits, the flow that is alone on its input gets half, and the others get a sixth each.
TEST(FluidFabric, IsFairBetweenFlowsWhileRoutersAreFairBetweenPorts) {
  constexpr int kFlits = 3000;
  const std::vector<std::pair<NodeId, NodeId>> pairs{{0, 8}, {1, 9}, {2, 10}, {4, 11}};
  SmallFluid net({4, 3, 1});
  SmallFabric flits("flits", net.topology, topology::make_routing(net.topology, 4), system_config(4, 64));
  std::vector<std::uint64_t> messages;
  for (const auto& [src, dst] : pairs) {
    messages.push_back(net.send(1, src, dst, 0, kFlits));
    flits.send(1, src, dst, kFlits);
  }
  finish(net);
  for (const std::uint64_t message : messages) EXPECT_EQ(net.through(message), 1 + 4 * kFlits);
  const auto arrival = [&](NodeId dst) { return static_cast<double>(flits.sink(dst).arrivals.front().at); };
  EXPECT_NEAR(arrival(11), 2.0 * kFlits, 0.02 * kFlits);
  for (const NodeId dst : {8, 9, 10}) EXPECT_NEAR(arrival(dst), 4.0 * kFlits, 0.02 * kFlits);
}

// The reference: progressive filling, recomputed at every event. It raises all rates together and freezes the
// flows of a link when the link is full. Rates are in flits per cycle.
std::vector<double> fill(const std::vector<std::vector<int>>& links_of, const std::vector<bool>& active,
                         int links) {
  std::vector<double> rate(links_of.size(), 0);
  std::vector<bool> rising = active;
  std::vector<double> left(static_cast<std::size_t>(links), 1.0);
  while (std::find(rising.begin(), rising.end(), true) != rising.end()) {
    std::vector<int> open(left.size(), 0);
    for (std::size_t f = 0; f < rate.size(); ++f) {
      if (!rising[f]) continue;
      for (const int l : links_of[f]) ++open[static_cast<std::size_t>(l)];
    }
    double step = 1.0;
    for (std::size_t l = 0; l < left.size(); ++l) {
      if (open[l] > 0) step = std::min(step, left[l] / open[l]);
    }
    for (std::size_t l = 0; l < left.size(); ++l) left[l] -= step * open[l];
    for (std::size_t f = 0; f < rate.size(); ++f) {
      if (!rising[f]) continue;
      rate[f] += step;
      rising[f] = std::none_of(links_of[f].begin(), links_of[f].end(),
                               [&](int l) { return left[static_cast<std::size_t>(l)] < 1e-9; });
    }
  }
  return rate;
}

// The time at which each message's last flit crosses the bottleneck, computed by progressive filling. Each
// source sends one message.
std::vector<double> ends_by_definition(const SmallFluid& net, const std::vector<Sent>& plan) {
  const auto channels = static_cast<int>(net.topology.channels().size());
  std::vector<std::vector<int>> links_of;
  for (const Sent& sent : plan) {
    std::vector<int> links{net.topology.out_channels(sent.src).front(), channels + sent.dst};
    const int from = net.clos.tor_of(sent.src);
    const int to = net.clos.tor_of(sent.dst);
    if (from != to) {
      links.push_back(net.clos.up(from, sent.spine));
      links.push_back(net.clos.down(sent.spine, to));
    }
    links_of.push_back(links);
  }
  std::vector<double> left;
  for (const Sent& sent : plan) left.push_back(static_cast<double>(sent.flits));
  std::vector<double> end(plan.size(), -1);
  double now = 0;
  while (std::find(end.begin(), end.end(), -1.0) != end.end()) {
    std::vector<bool> active;
    double next = 1e18;
    for (std::size_t f = 0; f < plan.size(); ++f) {
      const auto at = static_cast<double>(plan[f].at);
      active.push_back(at <= now && end[f] < 0);
      if (at > now) next = std::min(next, at);
    }
    const std::vector<double> rate =
        fill(links_of, active, channels + static_cast<int>(net.topology.num_accelerators()));
    for (std::size_t f = 0; f < plan.size(); ++f) {
      if (active[f]) next = std::min(next, now + left[f] / rate[f]);
    }
    for (std::size_t f = 0; f < plan.size(); ++f) {
      if (!active[f]) continue;
      left[f] -= rate[f] * (next - now);
      if (left[f] < 1e-6) end[f] = next;
    }
    now = next;
  }
  return end;
}

// Incrementally updated rates give the same times as rates that are recomputed at every event, and all flits
// and bytes are accounted for. With one accelerator per ToR, messages share only the last channels of their
// routes, so flits in buffers do not delay other messages.
RC_GTEST_PROP(FluidFabric, TimesAgreeWithProgressiveFillingFromScratch, ()) {
  const std::vector<int> dims{1, *rc::gen::inRange(2, 9), *rc::gen::inRange(1, 4)};
  const int accelerators = dims[0] * dims[1];
  std::vector<Sent> plan;
  for (NodeId src = 0; src < accelerators; ++src) {
    const NodeId dst = *rc::gen::inRange(0, accelerators);
    if (dst == src) continue;
    plan.push_back({*rc::gen::inRange<Cycles>(0, 2000), src, dst, *rc::gen::inRange(0, dims[2]),
                    *rc::gen::inRange<std::int64_t>(1, 3000)});
  }
  const std::string outcome = in_child([&] {
    SmallFluid net(dims);
    std::vector<std::uint64_t> messages;
    for (const Sent& s : plan) messages.push_back(net.send(s.at, s.src, s.dst, s.spine, s.flits));
    run_cycles(1'000'000);
    net.failure.rethrow();
    net.fabric->check_conservation();
    if (!net.fabric->idle()) return std::string("not idle");
    const std::vector<double> ends = ends_by_definition(net, plan);
    for (std::size_t f = 0; f < plan.size(); ++f) {
      const auto end = static_cast<double>(net.through(messages[f]));
      if (end < ends[f] - 1e-3 || end > ends[f] + 1 + 1e-3) {
        return fmt::format("message {} ends at {}, not {}", f, end, ends[f]);
      }
    }
    return std::string("equal");
  });
  RC_ASSERT(outcome == "equal");
}

}  // namespace
}  // namespace coppice::fabric

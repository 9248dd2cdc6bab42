#include "topology/networks/adaptive_routing.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "topology/networks/kinds.h"
#include "topology/routing/tie_bits.h"

namespace coppice::topology {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Topology network(Kind kind, const std::vector<int>& dims) {
  const std::vector<LinkSpec> links{LinkSpec{{16'000'000'000}, 0}};
  return make_topology(kind, dims, links);
}

// A router whose loads are set by the test.
class Loads final : public OutputLoads {
 public:
  int waiting(int out_port) const override { return out_port == busy ? 1000 : 0; }
  int busy = -1;
};

struct Case {
  Kind kind;
  std::vector<int> dims;
  Detours detours;
  int vcs;
};

Case random_case() {
  const auto kind = *rc::gen::element(Kind::kTorus, Kind::kMesh, Kind::kDragonfly, Kind::kFatTree);
  const auto any = *rc::gen::element(Detours::kValiant, Detours::kAdaptive, Detours::kUgal);
  if (kind == Kind::kDragonfly) {
    const std::vector<int> dims{*rc::gen::inRange(1, 3), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 3)};
    return {kind, dims, any == Detours::kAdaptive ? Detours::kUgal : any, *rc::gen::inRange(3, 8)};
  }
  if (kind == Kind::kFatTree) {
    const std::vector<int> dims{*rc::gen::inRange(2, 4), *rc::gen::inRange(1, 4)};
    return {kind, dims, any == Detours::kUgal ? Detours::kAdaptive : any, *rc::gen::inRange(1, 4)};
  }
  const auto dims =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(2, 5));
  return {kind, dims, any, *rc::gen::inRange(4, 9)};
}

RC_GTEST_PROP(DetourRouting, HasNoCycleOfDependencies, ()) {
  const Case c = random_case();
  const Topology topology = network(c.kind, c.dims);
  const auto routing = make_detour_routing(topology, c.vcs, c.detours);
  ChannelDependencyGraph graph(topology, c.vcs);
  routing->add_dependencies(graph);
  RC_ASSERT(graph.find_cycle().empty());
}

// Follows a packet that chooses randomly among its possible hops. Returns the number of hops, or a negative
// number if the packet does not arrive or a hop uses nonexistent virtual channels.
int follow(const Topology& topology, const DetourRouting& routing, int vcs, NodeId src, NodeId dst,
           std::uint32_t tie_bits, std::uint32_t choices) {
  RouteState state{.tie_bits = tie_bits};
  Loads loads;
  NodeId at = src;
  for (int hops = 0; hops < 4 * topology.num_nodes() + 4;
       ++hops, choices = choices * 1664525U + 1013904223U) {
    loads.busy = static_cast<int>(choices >> 8) % 8;
    const NextHops ways = routing.ways(at, dst, state, 0, loads);
    const auto out = topology.out_channels(at);
    if (ways.hop.out_port >= out.size()) return at == dst ? hops : -1;
    const std::size_t others = ways.adaptive.size();
    const std::size_t choice = (choices >> 16) % (others + 1);
    if (choice == others && others > 0) routing.advance_state(state);
    const Hop hop = choice == others ? ways.hop : ways.adaptive[choice];
    if (hop.vcs.begin >= hop.vcs.end || hop.vcs.end > vcs) return -2;
    at = topology.channel(out[hop.out_port]).dst;
  }
  return -3;
}

RC_GTEST_PROP(DetourRouting, LeadsToTheDestinationWhateverIsChosen, ()) {
  const Case c = random_case();
  const Topology topology = network(c.kind, c.dims);
  const auto routing = make_detour_routing(topology, c.vcs, c.detours);
  const auto src = *rc::gen::inRange(0, topology.num_accelerators());
  const auto dst = *rc::gen::inRange(0, topology.num_accelerators());
  const auto bits = *rc::gen::arbitrary<std::uint32_t>() & ~kPassed;
  const int hops = follow(topology, *routing, c.vcs, src, dst, bits, *rc::gen::arbitrary<std::uint32_t>());
  RC_ASSERT(hops >= 0);
}

TEST(DetourRouting, UsesOnlyShortestPathsIfItIsAdaptive) {
  const Topology torus = network(Kind::kTorus, {5, 4});
  const auto routing = make_detour_routing(torus, 4, Detours::kAdaptive);
  const NodeId dst = torus.node_at(std::array{3, 2});
  // Every shortest route has 4 channels: 2 in the first dimension, across the wraparound link, and 2 in the
  // second.
  for (std::uint32_t choices = 1; choices < 200; ++choices) {
    EXPECT_EQ(follow(torus, *routing, 4, 0, dst, choices << 20 & ~kPassed, choices * 77777U), 4);
  }
}

TEST(DetourRouting, RoutesThroughTheRandomNode) {
  const Topology mesh = network(Kind::kMesh, {8, 8});
  const auto routing = make_detour_routing(mesh, 2, Detours::kValiant);
  for (NodeId middle = 0; middle < 64; ++middle) {
    const Route route = make_route(mesh, *routing, 0, 9, draw_bits(middle, 64), 0);
    const auto apart = [&](NodeId a, NodeId b) { return std::abs(a % 8 - b % 8) + std::abs(a / 8 - b / 8); };
    EXPECT_EQ(static_cast<int>(route.size()), apart(0, middle) + apart(middle, 9) + 1) << middle;
  }
}

// The highest tie bit records whether the packet has passed its intermediate node, so it must not be random.
TEST(DetourRouting, StartsBeforeItsIntermediateNode) {
  const Topology mesh = network(Kind::kMesh, {4, 4});
  const auto routing = make_detour_routing(mesh, 2, Detours::kValiant);
  EXPECT_EQ((std::uint64_t{1} << routing->num_tie_bits()) & kPassed, kPassed);
}

TEST(DetourRouting, ChoosesEveryNodeEquallyOften) {
  std::vector<int> counts(72);
  RouteState state;
  for (std::uint32_t value = 0; value < kDrawnValues; value += 97) {
    state.tie_bits = value << kDrawnShift;
    ++counts[static_cast<std::size_t>(drawn(state, 72))];
  }
  const double mean = static_cast<double>(kDrawnValues) / 97 / 72;
  for (const int count : counts) EXPECT_NEAR(count, mean, 2);
  for (int node = 0; node < 72; ++node) {
    state.tie_bits = draw_bits(node, 72);
    EXPECT_EQ(drawn(state, 72), node);
  }
}

// UGAL sends a packet the other way around the ring if the first channel of the shortest route is busy and
// the first channel of the detour is not.
TEST(DetourRouting, AvoidsACongestedShortestPath) {
  const Topology ring = network(Kind::kTorus, {8});
  const auto routing = make_detour_routing(ring, 4, Detours::kUgal);
  Loads loads;
  const auto first_port = [&](int busy) {
    loads.busy = busy;
    RouteState state{.tie_bits = draw_bits(6, 8)};
    return routing->ways(0, 2, state, 0, loads).hop.out_port;
  };
  EXPECT_EQ(first_port(-1), 0);
  EXPECT_EQ(first_port(0), 1);
}

// UGAL compares one channel across the dateline with a detour of three channels. Its estimate multiplies the
// waiting flits by the number of channels.
TEST(DetourRouting, UsesTheShorterDirectionAroundARing) {
  class Waiting final : public OutputLoads {
   public:
    explicit Waiting(std::vector<int> loads) : loads_(std::move(loads)) {}
    int waiting(int out_port) const override { return loads_[static_cast<std::size_t>(out_port)]; }

   private:
    std::vector<int> loads_;
  };
  const Topology ring = network(Kind::kTorus, {8});
  const auto routing = make_detour_routing(ring, 4, Detours::kUgal);
  const auto port_to_7 = [&](int up, int down) {
    const Waiting loads({up, down});
    RouteState state{.tie_bits = draw_bits(1, 8)};
    return routing->ways(0, 7, state, 0, loads).hop.out_port;
  };
  EXPECT_EQ(port_to_7(10, 30), 1);
  EXPECT_EQ(port_to_7(10, 31), 0);
}

TEST(DetourRouting, ReportsUnmetRequirements) {
  const auto refusal = [](Kind kind, const std::vector<int>& dims, int vcs, Detours detours,
                          const char* message) {
    const Topology topology = network(kind, dims);
    EXPECT_THAT([&] { make_detour_routing(topology, vcs, detours); },
                ThrowsMessage<UnsupportedError>(HasSubstr(message)));
  };
  refusal(Kind::kTorus, {4, 4}, 3, Detours::kValiant, "needs at least 4, half for each part");
  refusal(Kind::kTorus, {4, 4}, 2, Detours::kAdaptive, "needs at least 3, one more than");
  refusal(Kind::kDragonfly, {1, 2, 1}, 2, Detours::kUgal, "a third for each group");
  refusal(Kind::kDragonfly, {1, 2, 1}, 4, Detours::kAdaptive, "write ugal or valiant");
  refusal(Kind::kFatTree, {2, 2}, 4, Detours::kUgal, "write adaptive or valiant");
  refusal(Kind::kFatTree, {4, 2, 2}, 4, Detours::kAdaptive, "with dims [k, n]");
  refusal(Kind::kFullyConnected, {4}, 4, Detours::kValiant, "write minimal instead");
}

}  // namespace
}  // namespace coppice::topology

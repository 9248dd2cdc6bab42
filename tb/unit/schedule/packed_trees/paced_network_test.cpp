#include "schedule/packed_trees/paced_network.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "machine.h"
#include "random_trees.h"
#include "schedule/packed_trees/symmetric_links.h"
#include "topology/bounds/bound.h"

namespace coppice::schedule {
namespace {

using topology::Channel;
using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

constexpr std::int64_t kEnough = 1'000'000'000'000;  // limit on the search effort that is never reached
constexpr Bytes kProbe = Bytes{1} << 40;

// Two accelerators, each linked to a switch of its own, with four slower links between the switches. A
// message occupies its port at the rate of a slow link, although the network carries four times that rate.
TEST(PacedNetwork, IsLimitedByPortsThatWaitForSlowLinks) {
  Topology graph(topology::Kind::kFile, {}, 2, 2);
  const auto link = [&](NodeId a, NodeId b, std::int64_t gb_per_s) {
    graph.add_channel(a, b, {gb_per_s * 1'000'000'000}, 0);
    graph.add_channel(b, a, {gb_per_s * 1'000'000'000}, 0);
  };
  link(0, 2, 80);
  link(1, 3, 80);
  for (int i = 0; i < 4; ++i) link(2, 3, 20);
  const auto gather = divide_by_pace(graph, {}, TreeUse::kDown, {});
  ASSERT_TRUE(gather);
  EXPECT_NEAR(gather->bytes_per_second, 2 * 20e9, 1e3);  // each accelerator sends half of the data
  // In an all-reduce, all of the data passes each port.
  const auto both =
      divide_by_pace(graph, {Roots::Shares::kFree, topology::kNoNode}, TreeUse::kBoth, *twins_of(graph));
  ASSERT_TRUE(both);
  EXPECT_NEAR(both->bytes_per_second, 20e9, 1e3);
}

// On random networks: no channel or port is overloaded, as much enters a switch as leaves it, the rate does
// not exceed the bound, and trees of nearly that rate exist.
RC_GTEST_PROP(PacedNetwork, CarriesTreesThatKeepPortsFree, ()) {
  const Machine machine = random_network(false);
  const Topology& graph = machine.topology;
  const auto twins = *twins_of(graph);
  const auto paced = divide_by_pace(graph, {Roots::Shares::kFree, topology::kNoNode}, TreeUse::kBoth, twins);
  RC_ASSERT(paced.has_value());
  std::vector<double> load(graph.channels().size(), 0);
  std::map<NodeId, double> surplus;
  for (std::size_t id = 0; id < paced->channels.size(); ++id) {
    const Channel& channel = paced->network.channel(static_cast<ChannelId>(id));
    const auto rate = static_cast<double>(channel.bandwidth.bytes_per_second);
    const auto own = static_cast<std::size_t>(paced->channels[id]);
    load[own] += rate;
    load[static_cast<std::size_t>(twins[own])] += rate;
    surplus[channel.src] -= rate;
    surplus[channel.dst] += rate;
  }
  for (std::size_t id = 0; id < load.size(); ++id) {
    RC_ASSERT(load[id] <= 1.0001 * static_cast<double>(graph.channels()[id].bandwidth.bytes_per_second));
  }
  for (const auto& [node, more] : surplus) {
    if (!paced->network.is_accelerator(node)) RC_ASSERT(std::abs(more) < 100);
  }
  const double bound =
      static_cast<double>(kProbe) / topology::least_all_reduce_time(graph, kProbe).ns() * 1e9;
  RC_ASSERT(paced->bytes_per_second <= 1.0001 * bound);
  const Roots roots{Roots::Shares::kFree, topology::kNoNode};
  const auto packing = pack_arborescences(paced->network, roots, paced->bytes_per_second, kEnough, true);
  RC_ASSERT(packing.has_value());
  RC_ASSERT(packing->trees_bytes_per_second >= 0.9 * paced->bytes_per_second);
  // The time for which the trees' messages, in both directions, occupy each port.
  std::vector<double> busy(graph.channels().size(), 0);
  int all = 0;
  for (const int weight : packing->weights) all += weight;
  for (std::size_t t = 0; t < packing->trees.size(); ++t) {
    const double rate = packing->trees_bytes_per_second * packing->weights[t] / all;
    for (const TreeHop& hop : packing->trees[t].hops) {
      std::int64_t pace = std::numeric_limits<std::int64_t>::max();
      for (const ChannelId id : hop.path) {
        const ChannelId own = paced->channels[static_cast<std::size_t>(id)];
        pace = std::min(pace, graph.channel(own).bandwidth.bytes_per_second);
      }
      const auto first =
          static_cast<std::size_t>(paced->channels[static_cast<std::size_t>(hop.path.front())]);
      const auto last = static_cast<std::size_t>(paced->channels[static_cast<std::size_t>(hop.path.back())]);
      busy[first] += rate / static_cast<double>(pace);
      busy[static_cast<std::size_t>(twins[last])] += rate / static_cast<double>(pace);
    }
  }
  RC_ASSERT(std::ranges::max(busy) <= 1.0001);
}

}  // namespace
}  // namespace coppice::schedule

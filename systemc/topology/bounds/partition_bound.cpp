#include "topology/bounds/partition_bound.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.h"
#include "topology/connectivity.h"

namespace coppice::topology {
namespace {

using Vertex = FlowNetwork::Vertex;

// Disjoint sets of numbers 0 to n - 1, each represented by one of its members.
class DisjointSets {
 public:
  explicit DisjointSets(int count) : parent_(index(count)) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::int32_t find(std::int32_t member) {
    while (parent_[index(member)] != member) {
      member = parent_[index(member)] = parent_[index(parent_[index(member)])];
    }
    return member;
  }
  void join(std::int32_t a, std::int32_t b) { parent_[index(find(a))] = find(b); }

 private:
  std::vector<std::int32_t> parent_;
};

// The vertices of the search: first the nodes that contribute to sums or add them, with nodes that stay
// together as one party, then the switches that only forward.
struct Parties {
  explicit Parties(const Topology& topology);

  int count = 0;
  std::vector<Vertex> of_node;
};

Parties::Parties(const Topology& topology) : of_node(index(topology.num_nodes()), -1) {
  DisjointSets together(topology.num_nodes());
  for (NodeId adder = topology.num_accelerators(); adder < topology.num_interfaces(); ++adder) {
    for (const ChannelId id : topology.out_channels(adder)) {
      if (topology.is_accelerator(topology.channel(id).dst)) together.join(adder, topology.channel(id).dst);
    }
  }
  Vertex next = 0;
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    if (node == topology.num_interfaces()) count = next;
    Vertex& known = of_node[index(together.find(node))];
    if (known < 0) known = next++;
    of_node[index(node)] = known;
  }
  if (topology.num_interfaces() == topology.num_nodes()) count = next;
}

// Partitions other than that into single parties are searched up to this many parties times channels, which
// takes some seconds.
constexpr std::size_t kSearched = 200'000'000;

// The exit capacity that joining groups costs, in units of the network, for a number of joints.
struct Price {
  Capacity exits = 0;
  Capacity joints = 1;
};

bool below(const Price& a, const Price& b) {
  return a.exits * b.joints < b.exits * a.joints;
}

// Groups of parties with the sum of their exits.
struct Grouping {
  std::vector<std::vector<Vertex>> groups;
  Capacity exits = 0;

  Price price() const { return {exits, static_cast<Capacity>(groups.size()) - 1}; }
};

// Finds the best partition of parties by a sequence of prices.
class PartitionSearch {
 public:
  PartitionSearch(const Topology& topology, Direction direction, const Parties& parties)
      : network_(topology, direction, parties.of_node), order_(network_.near_to_far(0, parties.count)) {}

  // The cheapest partition if it is below `limit`; otherwise no groups. No partition is below `least`.
  Grouping run(Price limit, Price least) {
    Grouping best;
    for (const Vertex vertex : order_) {
      best.groups.push_back({vertex});
      best.exits += network_.exit_capacity(vertex);
    }
    if (!below(best.price(), limit)) best = {};
    if (order_.size() * network_.num_arcs() > kSearched) return best;
    while (below(least, best.groups.empty() ? limit : best.price())) {
      auto better = find_better(best.groups.empty() ? limit : best.price());
      if (!better) break;
      best = std::move(*better);
    }
    return best;
  }

  std::int64_t unit_bytes_per_second() const { return network_.unit_bytes_per_second(); }
  // A capacity larger than that of all channels together.
  Capacity unlimited() const { return network_.unlimited(); }

 private:
  std::optional<Grouping> find_better(const Price& price);
  Capacity take_in(Vertex vertex, Capacity cost);
  Grouping groups_of(DisjointSets& sets) const;

  FlowNetwork network_;
  std::vector<Vertex> order_;
};

// Finds a partition cheaper than `price`. With capacities scaled by the joints of the price, its exits are
// the cost of one joint: a partition is cheaper than the price exactly if its sum over groups of (exit -
// cost) is less than that of a single group. The least such sum equals the largest sum of shares x(v) such
// that no set's shares exceed its exit minus the cost. The shares are made as large as possible one after
// another, limited by sets of the share's party and earlier ones. The union of two intersecting sets without
// slack has no slack either; these unions become the groups.
std::optional<Grouping> PartitionSearch::find_better(const Price& price) {
  const Capacity cost = price.exits;
  network_.reset(price.joints);
  for (const Vertex vertex : order_) network_.room(vertex) = network_.unlimited();
  DisjointSets groups(static_cast<int>(order_.size()));
  Capacity total = 0;
  for (const Vertex vertex : order_) {
    total += take_in(vertex, cost);
    for (const Vertex other : network_.reached()) {
      if (index(other) < order_.size()) groups.join(other, vertex);
    }
  }
  if (total == -cost) return std::nullopt;
  Grouping found = groups_of(groups);
  found.exits = (total + static_cast<Capacity>(found.groups.size()) * cost) / price.joints;
  return found;
}

// The share of one more party. Until now, the flows of earlier parties' shares could end here. The least exit
// of a set with this party, minus the others' shares, is the flow that can be sent from here on top of the
// flow that ended here.
Capacity PartitionSearch::take_in(Vertex vertex, Capacity cost) {
  network_.room(vertex) = 0;
  const Capacity sent = network_.push(vertex, network_.unlimited());
  const Capacity share = sent - network_.ended(vertex) - cost;
  const Capacity kept = std::max(sent - cost, Capacity{0});
  network_.withdraw(sent - kept);
  Capacity& ended = network_.ended(vertex);
  ended -= kept;
  if (share >= 0) {
    ended = 0;
  } else {
    network_.room(vertex) = -share - ended;  // a negative share takes flow in
  }
  return share;
}

Grouping PartitionSearch::groups_of(DisjointSets& sets) const {
  std::map<std::int32_t, std::vector<Vertex>> members;
  for (const Vertex vertex : order_) members[sets.find(vertex)].push_back(vertex);
  Grouping result;
  for (auto& [first, group] : members) result.groups.push_back(std::move(group));
  return result;
}

// Converts to the numbers of accelerators.
Partition to_partition(const Topology& topology, const Parties& parties, const Grouping& grouping) {
  std::vector<std::size_t> group_of(index(parties.count));
  for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
    for (const Vertex vertex : grouping.groups[g]) group_of[index(vertex)] = g;
  }
  Partition result;
  result.groups.resize(grouping.groups.size());
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    result.groups[group_of[index(parties.of_node[index(node)])]].push_back(node);
  }
  std::ranges::sort(result.groups);
  return result;
}

Partition search(const Topology& topology, Direction direction, std::optional<std::int64_t> narrowest) {
  const Parties parties(topology);
  if (parties.count < 2) return {};
  require_connected(topology);
  PartitionSearch search(topology, direction, parties);
  const std::int64_t unit = search.unit_bytes_per_second();
  // At least the capacity of the narrowest cut leaves every group; with more groups, less of it counts per
  // joint.
  const Capacity cut = narrowest.value_or(0) / unit;
  const Price least{cut * parties.count, parties.count - 1};
  const Price limit{narrowest ? 2 * cut : search.unlimited(), 1};
  const Grouping best = search.run(limit, least);
  if (best.groups.empty()) return {};
  Partition result = to_partition(topology, parties, best);
  result.bytes_per_second = static_cast<std::int64_t>(best.exits * unit);
  return result;
}

}  // namespace

Partition weakest_partition(const Topology& topology, Direction direction) {
  return search(topology, direction, std::nullopt);
}

Partition weakest_partition_below(const Topology& topology, Direction direction, std::int64_t narrowest) {
  return search(topology, direction, narrowest);
}

}  // namespace coppice::topology

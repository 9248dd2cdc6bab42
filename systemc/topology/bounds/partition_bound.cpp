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

// Disjoint sets of the numbers 0 to n - 1. Each set is represented by one of its members.
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

// The vertices of the search. The first vertices are the parties, which contribute to sums or compute them;
// nodes that must stay together form one party. The remaining vertices are switches that only forward data.
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

// Partitions other than the one into single parties are examined only if the number of parties times the
// number of arcs is at most this limit. At the limit, the search takes several seconds.
constexpr std::size_t kSearched = 200'000'000;

// The price of a partition, which is its exit capacity (in units of the network) divided by its number of
// joints.
struct Price {
  Capacity exits = 0;
  Capacity joints = 1;
};

bool below(const Price& a, const Price& b) {
  return a.exits * b.joints < b.exits * a.joints;
}

// Groups of parties, and the sum of their exit capacities.
struct Grouping {
  std::vector<std::vector<Vertex>> groups;
  Capacity exits = 0;

  Price price() const { return {exits, static_cast<Capacity>(groups.size()) - 1}; }
};

// Finds the cheapest partition of the parties by lowering the price step by step.
class PartitionSearch {
 public:
  PartitionSearch(const Topology& topology, Direction direction, const Parties& parties)
      : network_(topology, direction, parties.of_node), order_(network_.near_to_far(0, parties.count)) {}

  // Returns the cheapest partition if its price is below `limit`; otherwise, the result has no groups.
  // `least` is a lower bound on all prices.
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

// Finds a partition that is cheaper than `price`. If capacities are scaled by the joints of the price, its
// exits are the cost of one joint. A partition is cheaper than the price if and only if the sum over its
// groups of (exit - cost) is less than the same sum for a single group. The minimum of this sum equals the
// maximum of the sum of shares x(v) such that, for every set, the shares in the set do not exceed its exit
// minus the cost. The shares are maximised one after another. Each share is limited by the sets that consist
// of its party and earlier parties. The union of two intersecting sets without slack also has no slack, so
// these unions become the groups.
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

// Adds a party and returns its share. Until now, flows for the shares of earlier parties could end at this
// vertex. The minimum of the exit minus the other shares, over all sets with this party, equals the flow that
// already ended at this vertex plus the flow that can now be pushed from it.
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
    network_.room(vertex) = -share - ended;  // a negative share leaves room for flow to the vertex
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

// Converts groups of parties into groups of accelerators.
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
  // A lower bound on prices. The exit of every group is at least the narrowest cut, and the ratio of groups
  // to joints is smallest for the partition into single parties.
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

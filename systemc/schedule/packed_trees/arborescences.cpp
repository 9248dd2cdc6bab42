#include "schedule/packed_trees/arborescences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "base/random.h"
#include "schedule/packed_trees/flow_graph.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::kNoNode;
using topology::NodeId;
using topology::Topology;
using Amount = FlowGraph::Amount;

// The search over numbers of trees ends once a rate of at least kGoodEnough times the bound is found. The
// best rate for a number of trees is found by kHalvings bisections between kLeastRate times the bound and the
// bound.
constexpr double kGoodEnough = 0.996;
constexpr int kHalvings = 12;
constexpr double kLeastRate = 0.5;
constexpr int kMostTrees = 400;
constexpr double kRounding = 1e-6;  // the maximum distance of a number of trees from an integer
constexpr std::size_t kMostWhole = 4;
constexpr int kMostFine = 5;            // the search ends after this many tree counts with a good enough rate
constexpr std::uint64_t kAttempts = 8;  // number of random orders tried when replacing switches

// A path, possibly through switches, and the number of trees that it can still carry.
struct Part {
  ChannelPath path;
  Amount amount = 0;
};

// A set of trees that have the same root and, so far, the same edges.
struct Batch {
  NodeId root = kNoNode;
  Amount weight = 0;
  std::vector<int> depth;                        // [accelerator]: depth in the tree; -1: not reached
  std::vector<std::pair<NodeId, NodeId>> edges;  // {parent, child}, ordered from the root outwards

  bool complete() const { return edges.size() + 1 == depth.size(); }
};

// Packs a given number of trees with a given total rate.
class Packer {
 public:
  Packer(const Topology& topology, Roots roots, Amount trees, double rate, std::uint64_t seed = 0)
      : topology_(topology),
        random_(seed, 0),
        trees_(trees),
        source_(topology.num_nodes()),
        graph_(topology.num_nodes() + 1),
        parts_(index(topology.num_nodes()) * index(topology.num_nodes())) {
    const double per_tree = rate / static_cast<double>(trees);
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology.channels().size()); ++id) {
      const topology::Channel& channel = topology.channel(id);
      const double share = static_cast<double>(channel.bandwidth.bytes_per_second) / per_tree;
      const auto amount = static_cast<Amount>(share + kRounding);
      if (amount == 0) continue;
      graph_.change_capacity(channel.src, channel.dst, amount);
      parts(channel.src, channel.dst).push_back({{id}, amount});
    }
    place_roots(roots);
  }

  // Whether the network can carry the given number of trees at the given total rate.
  bool feasible() {
    Amount sum = 0;
    for (const Amount at : at_root_) sum += at;
    return sum == trees_ && connected();
  }

  // Replaces all switches with direct channels; returns false if the resulting capacities cannot carry all
  // trees.
  bool split_off_switches() {
    for (NodeId node = topology_.num_accelerators(); node < topology_.num_nodes(); ++node) split_off(node);
    return connected();
  }

  ArborescencePacking pack();

 private:
  std::vector<Part>& parts(NodeId from, NodeId to) {
    return parts_[index(from) * index(topology_.num_nodes()) + index(to)];
  }

  // Sets the number of trees rooted at each accelerator. If roots are free, every accelerator starts as the
  // root of all trees; these numbers are then reduced as long as all trees still reach every accelerator,
  // first down to equal shares, then further.
  void place_roots(Roots roots) {
    const int n = topology_.num_accelerators();
    at_root_.assign(index(n), 0);
    for (NodeId node = 0; node < n; ++node) {
      const bool one = roots.shares == Roots::Shares::kOne;
      if (one) at_root_[index(node)] = node == roots.one ? trees_ : 0;
      if (!one) at_root_[index(node)] = roots.shares == Roots::Shares::kEqual ? trees_ / n : trees_;
      graph_.change_capacity(source_, node, at_root_[index(node)]);
    }
    if (roots.shares != Roots::Shares::kFree) return;
    for (const Amount kept : {trees_ / n, Amount{0}}) {
      for (NodeId node = 0; node < n; ++node) {
        Amount& here = at_root_[index(node)];
        if (here <= kept) continue;
        const Amount spare = graph_.max_flow(source_, node, trees_ + here) - trees_;
        const Amount less = std::min(here - kept, spare);
        here -= less;
        graph_.change_capacity(source_, node, -less);
      }
    }
  }

  bool connected() {
    for (NodeId node = 0; node < topology_.num_accelerators(); ++node) {
      if (graph_.max_flow(source_, node, trees_) < trees_) return false;
    }
    return true;
  }

  // Replaces each pair of channels, one into and one out of switch `over`, with a direct channel. Pairs of
  // unequal bandwidths slow down their sender or receiver, so they are replaced first and spread evenly over
  // the ports. Next are the pairs that can be replaced completely, then those that can be replaced partly,
  // and finally those that lead back to their start.
  void split_off(NodeId over) {
    const std::vector<int> tails = graph_.tails(over);
    const std::vector<int> heads = graph_.heads(over);
    std::vector<std::pair<NodeId, NodeId>> pairs;
    std::vector<std::pair<NodeId, NodeId>> unlike;
    for (const int from : tails) {
      for (const int to : heads) {
        pairs.emplace_back(from, to);
        if (from != to && graph_.capacity(from, over) != graph_.capacity(over, to))
          unlike.emplace_back(from, to);
      }
    }
    shuffle(pairs);
    shuffle(unlike);
    spread(over, unlike);
    enum Pass { kWhole, kPart, kBack, kPasses };
    for (int pass = kWhole; pass < kPasses; ++pass) {
      for (const auto& [from, to] : pairs) {
        if ((from == to) != (pass == kBack)) continue;
        const Amount most = std::min(graph_.capacity(from, over), graph_.capacity(over, to));
        if (most == 0) continue;
        const Amount amount = splittable(from, over, to, most);
        if (amount > 0 && (pass != kWhole || amount == most)) join(from, over, to, amount);
      }
    }
    for (const int from : tails) graph_.change_capacity(from, over, -graph_.capacity(from, over));
    for (const int to : heads) graph_.change_capacity(over, to, -graph_.capacity(over, to));
  }

  void shuffle(std::vector<std::pair<NodeId, NodeId>>& pairs) {
    for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random_.below(i)]);
  }

  // Replaces pairs of channels with direct channels in steps of one tree. Every step uses the pair whose
  // sender and receiver have used the smallest fraction of their capacity.
  void spread(NodeId over, std::vector<std::pair<NodeId, NodeId>> pairs) {
    // [node]: number of trees assigned so far to the node's channel to the switch (`first`) and from the
    // switch (`second`).
    std::vector<double> first(index(topology_.num_nodes()), 0);
    std::vector<double> second(first.size(), 0);
    std::vector<double> in(first.size(), 0);
    std::vector<double> out(first.size(), 0);
    for (const auto& [from, to] : pairs) {
      in[index(from)] = static_cast<double>(graph_.capacity(from, over));
      out[index(to)] = static_cast<double>(graph_.capacity(over, to));
    }
    while (!pairs.empty()) {
      const auto load = [&](const std::pair<NodeId, NodeId>& pair) {
        const double sends = first[index(pair.first)] / in[index(pair.first)];
        const double receives = second[index(pair.second)] / out[index(pair.second)];
        return sends + receives + std::max(sends, receives);
      };
      const auto next = std::ranges::min_element(pairs, {}, load);
      const auto [from, to] = *next;
      const Amount most = std::min({graph_.capacity(from, over), graph_.capacity(over, to), Amount{1}});
      const Amount amount = most > 0 ? splittable(from, over, to, most) : 0;
      if (amount > 0) {
        join(from, over, to, amount);
        first[index(from)] += 1;
        second[index(to)] += 1;
      } else {
        pairs.erase(next);
      }
    }
  }

  // How much capacity of the path `from` - `over` - `to`, up to `most`, can become a direct channel without
  // preventing any tree from reaching every accelerator. Cuts that separate the switch from both neighbours
  // lose this capacity.
  Amount splittable(NodeId from, NodeId over, NodeId to, Amount most) {
    const FlowGraph::Joined neighbours[] = {{from, source_}, {to, source_}, {kNoNode, over}};
    most = least_flow(source_, over, neighbours, from, to, most);
    const FlowGraph::Joined others[] = {{over, source_}, {from, to}, {kNoNode, to}};
    if (!topology_.is_accelerator(from) && !topology_.is_accelerator(to))
      return least_flow(source_, to, others, from, to, most);
    const Amount flow = graph_.max_flow(source_, to, trees_ + most, std::span(others).first(2));
    return std::min(most, flow - trees_);
  }

  // The least amount, up to `most`, by which the maximum flow exceeds the number of trees if one further
  // accelerator is joined with the sink. The last element of `joined` stands for that accelerator.
  Amount least_flow(int source, int sink, std::span<const FlowGraph::Joined> joined, NodeId from, NodeId to,
                    Amount most) {
    const auto without = joined.first(joined.size() - 1);
    if (graph_.max_flow(source, sink, trees_ + most, without) >= trees_ + most) return most;
    std::vector<FlowGraph::Joined> all(joined.begin(), joined.end());
    for (NodeId node = 0; node < topology_.num_accelerators() && most > 0; ++node) {
      if (node == from || node == to) continue;
      all.back().vertex = node;
      most = std::min(most, graph_.max_flow(source, sink, trees_ + most, all) - trees_);
    }
    return std::max<Amount>(most, 0);
  }

  void join(NodeId from, NodeId over, NodeId to, Amount amount) {
    graph_.change_capacity(from, over, -amount);
    graph_.change_capacity(over, to, -amount);
    if (from != to) graph_.change_capacity(from, to, amount);
    while (amount > 0) {
      Part& first = parts(from, over).back();
      Part& second = parts(over, to).back();
      const Amount now = std::min({amount, first.amount, second.amount});
      Part joined{first.path, now};
      joined.path.insert(joined.path.end(), second.path.begin(), second.path.end());
      amount -= now;
      first.amount -= now;
      second.amount -= now;
      if (first.amount == 0) parts(from, over).pop_back();
      if (second.amount == 0) parts(over, to).pop_back();
      // A path that leads back to its start is useless.
      if (from != to) parts(from, to).push_back(std::move(joined));
    }
  }

  std::vector<Batch> grow_batches();
  void grow(Batch& batch, std::vector<Batch>& waiting);
  void lay(const Batch& batch, ArborescencePacking& packing);

  const Topology& topology_;
  Random random_;
  Amount trees_;
  int source_;
  FlowGraph graph_;
  std::vector<std::vector<Part>> parts_;  // [from * nodes + to]: the paths between two nodes
  std::vector<Amount> at_root_;           // [accelerator]: number of trees rooted there
};

// Adds edges to a batch, shallowest first, until it spans all accelerators. An edge is added to as many of
// the batch's trees as possible, provided that all other trees can still be completed; the rest of the batch
// moves to `waiting`.
void Packer::grow(Batch& batch, std::vector<Batch>& waiting) {
  const int n = topology_.num_accelerators();
  std::optional<FlowGraph> others;
  Amount others_weight = 0;
  const auto prepare = [&] {
    others.emplace(n + 1 + static_cast<int>(waiting.size()));
    others_weight = 0;
    for (NodeId from = 0; from < n; ++from) {
      for (const int to : graph_.heads(from)) {
        if (to < n) others->change_capacity(from, to, graph_.capacity(from, to));
      }
    }
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const int own = n + 1 + static_cast<int>(i);
      others->change_capacity(n, own, waiting[i].weight);
      others_weight += waiting[i].weight;
      for (NodeId node = 0; node < n; ++node) {
        if (waiting[i].depth[index(node)] >= 0) others->change_capacity(own, node, FlowGraph::kUnlimited);
      }
    }
  };
  prepare();
  std::vector<std::uint8_t> useless(index(n) * index(n), 0);
  while (!batch.complete()) {
    std::vector<std::pair<int, std::pair<NodeId, NodeId>>> candidates;
    for (NodeId from = 0; from < n; ++from) {
      if (batch.depth[index(from)] < 0) continue;
      for (const int to : graph_.heads(from)) {
        if (to < n && batch.depth[index(to)] < 0 && useless[index(from) * index(n) + index(to)] == 0)
          candidates.push_back({batch.depth[index(from)], {from, to}});
      }
    }
    std::ranges::sort(candidates);
    Amount most = 0;
    std::pair<NodeId, NodeId> edge;
    for (const auto& [depth, candidate] : candidates) {
      const auto& [from, to] = candidate;
      const Amount wanted = std::min(batch.weight, graph_.capacity(from, to));
      if (wanted <= most) continue;
      const FlowGraph::Joined all_others[] = {{n, from}};
      const Amount flow = others->max_flow(from, to, others_weight + wanted, all_others);
      const Amount amount = flow - others_weight;
      if (amount <= 0) useless[index(from) * index(n) + index(to)] = 1;
      if (amount <= most) continue;
      most = amount;
      edge = candidate;
      if (most == batch.weight) break;
    }
    if (most == 0) return;
    if (most < batch.weight) {
      waiting.push_back(batch);
      waiting.back().weight -= most;
      batch.weight = most;
    }
    const auto& [from, to] = edge;
    graph_.change_capacity(from, to, -most);
    batch.depth[index(to)] = batch.depth[index(from)] + 1;
    batch.edges.push_back(edge);
    prepare();
  }
}

std::vector<Batch> Packer::grow_batches() {
  const std::size_t n = index(topology_.num_accelerators());
  std::vector<Batch> waiting;
  for (std::size_t node = 0; node < n; ++node) {
    if (at_root_[node] == 0) continue;
    waiting.push_back({static_cast<NodeId>(node), at_root_[node], std::vector<int>(n, -1), {}});
    waiting.back().depth[node] = 0;
  }
  std::vector<Batch> done;
  while (!waiting.empty()) {
    Batch batch = std::move(waiting.back());
    waiting.pop_back();
    grow(batch, waiting);
    if (!batch.complete()) return {};
    done.push_back(std::move(batch));
  }
  return done;
}

// Maps a batch's edges to paths through switches; if a path has less capacity than the batch, the remaining
// trees use other paths.
void Packer::lay(const Batch& batch, ArborescencePacking& packing) {
  for (Amount left = batch.weight; left > 0;) {
    std::vector<Part*> chosen;
    Amount weight = left;
    for (const auto& [from, to] : batch.edges) {
      Part* best = nullptr;
      for (Part& part : parts(from, to)) {
        const bool enough = best != nullptr && best->amount >= weight;
        if (part.amount > 0 &&
            (best == nullptr ||
             (enough ? part.amount >= weight && part.amount < best->amount : part.amount > best->amount))) {
          best = &part;
        }
      }
      weight = std::min(weight, best->amount);
      chosen.push_back(best);
    }
    PackedTree tree{batch.root, {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      chosen[i]->amount -= weight;
      tree.hops.push_back({Op::kGather, batch.edges[i].first, batch.edges[i].second, chosen[i]->path});
    }
    packing.trees.push_back(std::move(tree));
    packing.weights.push_back(static_cast<int>(weight));
    left -= weight;
  }
}

ArborescencePacking Packer::pack() {
  std::vector<Batch> batches = grow_batches();
  std::ranges::stable_sort(batches, std::ranges::greater{}, &Batch::weight);
  ArborescencePacking packing;
  for (const Batch& batch : batches) lay(batch, packing);
  return packing;
}

// The utilization of the busiest port. A message occupies its sender's port for as long as the slowest
// channel on its path needs. The receiver's port is charged the same time, because it becomes the sender's
// port when the trees are reversed.
double port_load(const Topology& topology, const ArborescencePacking& packing, double per_tree) {
  std::vector<double> load(topology.channels().size(), 0);
  std::vector<double> arriving(load);
  for (std::size_t t = 0; t < packing.trees.size(); ++t) {
    for (const TreeHop& hop : packing.trees[t].hops) {
      std::int64_t pace = std::numeric_limits<std::int64_t>::max();
      for (const ChannelId id : hop.path)
        pace = std::min(pace, topology.channel(id).bandwidth.bytes_per_second);
      const double share = packing.weights[t] * per_tree / static_cast<double>(pace);
      load[index(hop.path.front())] += share;
      arriving[index(hop.path.back())] += share;
    }
  }
  return load.empty() ? 0 : std::max(std::ranges::max(load), std::ranges::max(arriving));
}

// The highest feasible total rate of `trees` trees; 0 if it is less than kLeastRate times the bound.
double best_rate(const Topology& topology, Roots roots, int trees, double bound) {
  const auto feasible = [&](double rate) { return Packer(topology, roots, trees, rate).feasible(); };
  if (feasible(bound)) return bound;
  double low = kLeastRate * bound;
  if (!feasible(low)) return 0;
  double high = bound;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (feasible(middle) ? low : high) = middle;
  }
  return low;
}

const std::vector<int> kCounts{1,  2,  3,  4,  5,  6,  8,  10,  12,  16, 20,
                               24, 32, 40, 48, 64, 80, 96, 128, 192, 256};

// The numbers of trees, as multiples of `unit`, for which the bandwidths of all channels are whole numbers of
// trees. There are such numbers if the bandwidths solve a linear program with simple coefficients.
std::vector<int> whole_counts(const Topology& topology, int unit, double rate) {
  std::vector<int> counts;
  for (int count = 1; count * unit <= kMostTrees && counts.size() < kMostWhole; ++count) {
    const double per_tree = rate / (count * unit);
    const bool whole = std::ranges::all_of(topology.channels(), [&](const topology::Channel& channel) {
      const double trees = static_cast<double>(channel.bandwidth.bytes_per_second) / per_tree;
      return std::abs(trees - std::round(trees)) < kRounding;
    });
    if (whole) counts.push_back(count);
  }
  return counts;
}

}  // namespace

std::optional<ArborescencePacking> pack_arborescences(const Topology& topology, Roots roots,
                                                      double bytes_per_second, std::int64_t most_work,
                                                      bool paced) {
  const int n = topology.num_accelerators();
  const std::int64_t arcs = static_cast<std::int64_t>(topology.channels().size());
  std::int64_t pairs = 0;
  for (NodeId node = n; node < topology.num_nodes(); ++node) {
    pairs +=
        static_cast<std::int64_t>(topology.in_channels(node).size() * topology.out_channels(node).size());
  }
  if ((pairs + std::int64_t{n} * n) * n * arcs > most_work) return std::nullopt;
  const int unit = roots.shares == Roots::Shares::kEqual ? n : 1;
  std::optional<ArborescencePacking> result;
  double least = std::numeric_limits<double>::infinity();  // least time so far, relative to the bound
  int fine = 0;  // number of tree counts so far with a rate that is good enough
  const std::vector<int> whole = paced ? whole_counts(topology, unit, bytes_per_second) : std::vector<int>{};
  for (const int count : whole.empty() ? kCounts : whole) {
    const int trees = count * unit;
    if (trees > std::max(kMostTrees, 2 * unit) || least <= 1 / kGoodEnough || fine == kMostFine) break;
    const double rate = best_rate(topology, roots, trees, bytes_per_second);
    if (rate <= 0 || bytes_per_second / rate >= least) continue;
    if (rate >= kGoodEnough * bytes_per_second) ++fine;
    for (std::uint64_t attempt = 0; attempt < kAttempts && least > bytes_per_second / rate; ++attempt) {
      Packer packer(topology, roots, trees, rate, attempt);
      if (!packer.feasible() || !packer.split_off_switches()) continue;
      ArborescencePacking packing = packer.pack();
      if (packing.trees.empty()) continue;
      const double load = paced ? 1 : std::max(1.0, port_load(topology, packing, rate / trees));
      const double time = load * bytes_per_second / rate;
      if (time >= least) continue;
      least = time;
      result = std::move(packing);
      result->trees_bytes_per_second = rate;
      result->bytes_per_second = bytes_per_second / time;
    }
  }
  return result;
}

}  // namespace coppice::schedule

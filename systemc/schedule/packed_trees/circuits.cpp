#include "schedule/packed_trees/circuits.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "base/random.h"
#include "topology/bounds/bound.h"
#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::kNoNode;
using topology::NodeId;
using topology::Topology;

constexpr Bytes kProbe = Bytes{1} << 30;
constexpr double kGoodEnough = 0.99;            // the search ends at this ratio of lower bound to best time
constexpr int kMostTries = 200;                 // maximum number of random orders tried
constexpr std::int64_t kTriedWork = 2'000'000;  // limit on accelerators squared x channels x tries

// Two channels, one in each direction, between a switch and another node.
struct Link {
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  ChannelId there = -1;  // from a to b
  ChannelId back = -1;
  std::int64_t left = 0;  // unused bytes per second in each direction

  NodeId other_end(NodeId end) const { return a == end ? b : a; }
  ChannelId from(NodeId end) const { return a == end ? there : back; }
};

std::vector<Link> links_of(const Topology& topology) {
  std::map<std::pair<NodeId, NodeId>, std::vector<ChannelId>> between;
  const auto rate = [&](ChannelId id) { return topology.channel(id).bandwidth.bytes_per_second; };
  for (ChannelId id = 0; id < static_cast<ChannelId>(topology.channels().size()); ++id) {
    const topology::Channel& channel = topology.channel(id);
    if (topology.is_accelerator(channel.src) && topology.is_accelerator(channel.dst)) continue;
    between[{channel.src, channel.dst}].push_back(id);
  }
  for (auto& [ends, ids] : between) std::ranges::stable_sort(ids, std::ranges::greater{}, rate);
  std::vector<Link> links;
  for (const auto& [ends, there] : between) {
    const auto back = between.find({ends.second, ends.first});
    if (ends.first > ends.second || back == between.end()) continue;
    for (std::size_t i = 0; i < std::min(there.size(), back->second.size()); ++i) {
      const ChannelId other = back->second[i];
      links.push_back({ends.first, ends.second, there[i], other, std::min(rate(there[i]), rate(other))});
    }
  }
  return links;
}

// A walk along a spanning tree of switches whose leaves are accelerators.
struct Walk {
  std::vector<NodeId> leaves;  // in the order of the walk
  std::vector<int> links;
  bool one_switch = false;
};

class Splitter {
 public:
  // Shuffles links and accelerators unless `random` is nullptr.
  Splitter(const Topology& topology, const CompileRequest& request, Random* random)
      : topology_(topology),
        router_(request.timing.router),
        random_(random),
        links_(links_of(topology)),
        group_(index(topology.num_nodes())),
        near_(index(topology.num_nodes())),
        result_{Topology(topology::Kind::kFile, {}, topology.num_accelerators(), 0), {}} {}

  Circuits split() {
    for (ChannelId id = 0; id < static_cast<ChannelId>(topology_.channels().size()); ++id) {
      const topology::Channel& channel = topology_.channel(id);
      if (topology_.is_accelerator(channel.src) && topology_.is_accelerator(channel.dst))
        add({id}, channel.bandwidth.bytes_per_second);
    }
    for (bool any = true; any;) {
      any = false;
      span();
      for (NodeId top = topology_.num_accelerators(); top < topology_.num_nodes(); ++top) {
        if (find(top) == top) any = walk_around(top) || any;
      }
    }
    return std::move(result_);
  }

 private:
  NodeId find(NodeId node) {
    while (group_[index(node)] != node) {
      group_[index(node)] = group_[index(group_[index(node)])];
      node = group_[index(node)];
    }
    return node;
  }

  // Builds spanning trees of the links that have bandwidth left, widest first. A single link attaches each
  // accelerator.
  void span() {
    std::iota(group_.begin(), group_.end(), 0);
    for (auto& near : near_) near.clear();
    std::vector<int> order(links_.size());
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](int i) { return links_[index(i)].left; });
    for (const int i : order) {
      const Link& link = links_[index(i)];
      if (link.left <= 0) break;
      const NodeId leaf = topology_.is_accelerator(link.a) ? link.a : kNoNode;
      if (leaf != kNoNode ? !near_[index(leaf)].empty() : find(link.a) == find(link.b)) continue;
      near_[index(link.a)].push_back(i);
      near_[index(link.b)].push_back(i);
      // Accelerators are leaves and do not merge groups.
      if (leaf == kNoNode)
        group_[index(std::max(find(link.a), find(link.b)))] = std::min(find(link.a), find(link.b));
    }
    for (auto& near : near_) shuffle(near);
  }

  template <typename T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); random_ != nullptr && i > 1; --i) {
      std::swap(list[i - 1], list[random_->below(i)]);
    }
  }

  // Adds the leaves below `node` and the links to them to `walk`.
  void collect(NodeId node, int from, Walk& walk) const {
    for (const int i : near_[index(node)]) {
      if (i == from) continue;
      const NodeId next = links_[index(i)].other_end(node);
      if (topology_.is_accelerator(next)) {
        walk.leaves.push_back(next);
        walk.links.push_back(i);
        continue;
      }
      const std::size_t before = walk.leaves.size();
      collect(next, i, walk);
      if (walk.leaves.size() > before) walk.links.push_back(i);
    }
  }

  bool walk_around(NodeId top) {
    // Starts at the switch of the first leaf. If the walk started at `top`, all leaves might lie behind one
    // link, whose bandwidth would be wasted.
    Walk walk;
    collect(top, -1, walk);
    if (walk.leaves.size() < 2) return false;
    const int first = near_[index(walk.leaves.front())].front();
    const NodeId start = links_[index(first)].other_end(walk.leaves.front());
    walk = {};
    collect(start, -1, walk);
    walk.one_switch = walk.links.size() == walk.leaves.size();
    std::int64_t rate = links_[index(walk.links.front())].left;
    for (const int i : walk.links) rate = std::min(rate, links_[index(i)].left);
    for (const int i : walk.links) links_[index(i)].left -= rate;
    put_in_order(walk);
    for (std::size_t i = 0; i < walk.leaves.size(); ++i) {
      add(path(walk.leaves[i], walk.leaves[(i + 1) % walk.leaves.size()]), rate);
    }
    return true;
  }

  // Reverses every second walk among the same accelerators. At a single switch all orders are equally good,
  // so each pair of walks visits the accelerators with a different stride.
  void put_in_order(Walk& walk) {
    std::vector<NodeId> members = walk.leaves;
    std::ranges::sort(members);
    const int before = walks_[members]++;
    if (walk.one_switch) {
      const auto count = static_cast<int>(members.size());
      int stride = 1;
      for (int skip = before / 2; skip > 0; --skip) {
        do {
          stride = stride % count + 1;
        } while (std::gcd(stride, count) != 1 || 2 * stride > count + 1);
      }
      shuffle(members);
      for (int i = 0; i < count; ++i) {
        walk.leaves[index(i)] = members[index(std::int64_t{i} * stride % count)];
      }
    }
    if (before % 2 != 0) std::ranges::reverse(walk.leaves);
  }

  ChannelPath path(NodeId from, NodeId to) const {
    std::vector<int> over(index(topology_.num_nodes()), -1);
    std::vector<NodeId> queue{to};
    over[index(to)] = -2;
    for (std::size_t i = 0; i < queue.size() && over[index(from)] == -1; ++i) {
      if (i > 0 && topology_.is_accelerator(queue[i])) continue;
      for (const int link : near_[index(queue[i])]) {
        const NodeId next = links_[index(link)].other_end(queue[i]);
        if (over[index(next)] != -1) continue;
        over[index(next)] = link;
        queue.push_back(next);
      }
    }
    ChannelPath channels;
    for (NodeId at = from; at != to; at = links_[index(over[index(at)])].other_end(at)) {
      channels.push_back(links_[index(over[index(at)])].from(at));
    }
    return channels;
  }

  void add(ChannelPath path, std::int64_t rate) {
    Femtoseconds latency = static_cast<Femtoseconds>(path.size() - 1) * router_;
    for (const ChannelId id : path) latency += topology_.channel(id).latency;
    result_.network.add_channel(topology_.channel(path.front()).src, topology_.channel(path.back()).dst,
                                {rate}, latency);
    result_.paths.push_back(std::move(path));
  }

  const Topology& topology_;
  Femtoseconds router_;
  Random* random_;
  std::vector<Link> links_;
  std::vector<NodeId> group_;           // [node]: representative of its group of connected switches
  std::vector<std::vector<int>> near_;  // [node]: its links in the spanning trees
  std::map<std::vector<NodeId>, int> walks_;
  Circuits result_;
};

// The lower bound on the time of an all-reduce that uses only the circuits.
double time_over(const Circuits& circuits) {
  if (topology::find_unreachable(circuits.network)) return std::numeric_limits<double>::infinity();
  return topology::least_all_reduce_time(circuits.network, kProbe).ns();
}

}  // namespace

std::optional<Circuits> split_off_switches(const Topology& topology, const CompileRequest& request) {
  if (topology.num_switches() == 0) return std::nullopt;
  Circuits best = Splitter(topology, request, nullptr).split();
  // There are no circuits if switches have only one-way channels.
  if (best.paths.empty()) return best;
  const std::int64_t work = std::int64_t{topology.num_accelerators()} * topology.num_accelerators() *
                            static_cast<std::int64_t>(best.paths.size());
  const int tries = static_cast<int>(std::min<std::int64_t>(kMostTries, kTriedWork / work));
  const double least = tries > 0 ? topology::least_all_reduce_time(topology, kProbe).ns() : 0;
  double time = tries > 0 ? time_over(best) : 0;
  Random random(request.seed, 0);
  for (int i = 0; i < tries && time > least / kGoodEnough; ++i) {
    Circuits other = Splitter(topology, request, &random).split();
    const double takes = time_over(other);
    if (takes >= time) continue;
    time = takes;
    best = std::move(other);
  }
  return best;
}

std::vector<PackedTree> through_switches(const Circuits& circuits, std::vector<PackedTree> trees) {
  for (PackedTree& tree : trees) {
    for (TreeHop& hop : tree.hops) {
      ChannelPath path;
      for (const ChannelId id : hop.path) {
        const ChannelPath& part = circuits.paths[index(id)];
        path.insert(path.end(), part.begin(), part.end());
      }
      hop.path = std::move(path);
    }
  }
  return trees;
}

}  // namespace coppice::schedule

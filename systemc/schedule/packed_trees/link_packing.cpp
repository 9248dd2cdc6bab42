#include "schedule/packed_trees/link_packing.h"

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "schedule/packed_trees/tree_exchange.h"

namespace coppice::schedule {
namespace {

using topology::kNoNode;
using topology::NodeId;
using topology::Topology;

std::int64_t rate(const Topology& topology, const SymmetricLink& link) {
  return topology.channel(link.there).bandwidth.bytes_per_second;
}

// One use of a link by a tree. If j trees use a link, its congestion is j / bandwidth.
struct Copy {
  int link;
  int number;  // position among the copies of the link, from 1
  std::int64_t rate;

  double ns_per_byte() const { return number * 1e9 / static_cast<double>(rate); }
  bool operator<(const Copy& other) const { return number * other.rate < other.number * rate; }
};

class CopyQueue {
 public:
  CopyQueue(const Topology& topology, std::span<const SymmetricLink> links, int most) : most_(most) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      heap_.push_back({static_cast<int>(i), 1, rate(topology, links[i])});
    }
    std::ranges::make_heap(heap_, later);
  }
  bool empty() const { return heap_.empty(); }
  const Copy& front() const { return heap_.front(); }
  Copy take() {
    std::ranges::pop_heap(heap_, later);
    const Copy copy = heap_.back();
    heap_.pop_back();
    if (copy.number < most_) {
      heap_.push_back({copy.link, copy.number + 1, copy.rate});
      std::ranges::push_heap(heap_, later);
    }
    return copy;
  }

 private:
  static bool later(const Copy& a, const Copy& b) { return b < a || (!(a < b) && b.link < a.link); }

  int most_;
  std::vector<Copy> heap_;
};

struct Adjacent {
  NodeId node;
  int link;
};
using Adjacency = std::vector<std::vector<Adjacent>>;

Adjacency adjacency_of(int nodes, std::span<const SymmetricLink> links) {
  Adjacency adjacent(static_cast<std::size_t>(nodes));
  for (std::size_t i = 0; i < links.size(); ++i) {
    adjacent[static_cast<std::size_t>(links[i].a)].push_back({links[i].b, static_cast<int>(i)});
    adjacent[static_cast<std::size_t>(links[i].b)].push_back({links[i].a, static_cast<int>(i)});
  }
  return adjacent;
}

Middle find_middle(const Adjacency& adjacent, std::span<const double> hop_ns) {
  const std::size_t n = adjacent.size();
  std::vector<double> eccentricity(n, 0);
  for (std::size_t from = 0; from < n; ++from) {
    std::vector<double> distance(n, std::numeric_limits<double>::infinity());
    std::vector<std::pair<double, NodeId>> heap{{0, static_cast<NodeId>(from)}};
    distance[from] = 0;
    while (!heap.empty()) {
      std::ranges::pop_heap(heap, std::greater{});
      const auto [far, node] = heap.back();
      heap.pop_back();
      if (far > distance[static_cast<std::size_t>(node)]) continue;
      for (const Adjacent& next : adjacent[static_cast<std::size_t>(node)]) {
        const double there = far + hop_ns[static_cast<std::size_t>(next.link)];
        if (there >= distance[static_cast<std::size_t>(next.node)]) continue;
        distance[static_cast<std::size_t>(next.node)] = there;
        heap.emplace_back(there, next.node);
        std::ranges::push_heap(heap, std::greater{});
      }
    }
    eccentricity[from] = std::ranges::max(distance);
  }
  Middle middle{{}, std::ranges::min(eccentricity)};
  for (std::size_t node = 0; node < n; ++node) {
    if (eccentricity[node] <= middle.radius_ns * (1 + 1e-9))
      middle.nodes.push_back(static_cast<NodeId>(node));
  }
  return middle;
}

// Grows all trees breadth first; each tree in turn adds one node.
void grow_together(const Adjacency& adjacent, std::span<const NodeId> roots, std::vector<int>& left,
                   SpanningForests& forests) {
  struct Growing {
    std::vector<NodeId> reached;
    std::vector<std::uint8_t> holds;
    std::size_t next = 0;
  };
  std::vector<Growing> trees;
  for (const NodeId root : roots) {
    trees.push_back({{root}, std::vector<std::uint8_t>(adjacent.size(), 0), 0});
    trees.back().holds[static_cast<std::size_t>(root)] = 1;
  }
  const auto extend = [&](int t) {
    Growing& tree = trees[static_cast<std::size_t>(t)];
    for (; tree.next < tree.reached.size(); ++tree.next) {
      const NodeId node = tree.reached[tree.next];
      const Adjacent* best = nullptr;
      for (const Adjacent& next : adjacent[static_cast<std::size_t>(node)]) {
        if (tree.holds[static_cast<std::size_t>(next.node)] != 0) continue;
        const int copies = left[static_cast<std::size_t>(next.link)];
        if (copies > 0 && (best == nullptr || copies > left[static_cast<std::size_t>(best->link)]))
          best = &next;
      }
      if (best == nullptr) continue;
      forests.add(t, best->link);
      --left[static_cast<std::size_t>(best->link)];
      tree.holds[static_cast<std::size_t>(best->node)] = 1;
      tree.reached.push_back(best->node);
      return true;
    }
    return false;
  };
  for (bool any = true; any;) {
    any = false;
    for (int t = 0; t < forests.forests(); ++t) any = extend(t) || any;
  }
}

}  // namespace

Middle central_nodes(int accelerators, std::span<const SymmetricLink> links, std::span<const double> hop_ns) {
  return find_middle(adjacency_of(accelerators, links), hop_ns);
}

double congestion_bound_ns(const Topology& topology, std::span<const SymmetricLink> links, int count) {
  std::int64_t wanted = std::int64_t{count} * (topology.num_accelerators() - 1);
  CopyQueue copies(topology, links, count);
  double ns = 0;
  while (wanted > 0 && !copies.empty()) {
    ns = copies.take().ns_per_byte();
    --wanted;
  }
  return ns;
}

LinkPacking least_congestion(const Topology& topology, std::span<const SymmetricLink> links, int count) {
  SpanningForests forests(topology.num_accelerators(), links, count);
  LinkPacking packing;
  packing.copies.assign(links.size(), 0);
  CopyQueue copies(topology, links, count);
  while (!forests.complete() && !copies.empty()) {
    const Copy copy = copies.take();
    packing.ns_per_byte = copy.ns_per_byte();
    ++packing.copies[static_cast<std::size_t>(copy.link)];
    forests.augment(copy.link);
  }
  if (!forests.complete()) return {};
  // Further copies that do not increase the congestion may be used as well.
  while (!copies.empty() && copies.front().ns_per_byte() <= packing.ns_per_byte) {
    ++packing.copies[static_cast<std::size_t>(copies.take().link)];
  }
  return packing;
}

void shape_trees(const Topology& topology, std::span<const SymmetricLink> links,
                 std::span<const double> hop_ns, std::int64_t effort, std::uint64_t seed, int count,
                 LinkPacking& packing) {
  const int n = topology.num_accelerators();
  const Adjacency adjacent = adjacency_of(n, links);
  const std::vector<NodeId> middle = find_middle(adjacent, hop_ns).nodes;
  packing.trees.resize(static_cast<std::size_t>(count));
  std::vector<NodeId> roots;
  for (int t = 0; t < count; ++t) roots.push_back(middle[static_cast<std::size_t>(t) % middle.size()]);
  SpanningForests forests(n, links, count);
  std::vector<int> left = packing.copies;
  grow_together(adjacent, roots, left, forests);
  for (std::size_t link = 0; link < links.size() && !forests.complete(); ++link) {
    for (; left[link] > 0 && forests.augment(static_cast<int>(link)); --left[link]) {
    }
  }
  for (int t = 0; t < count; ++t) {
    packing.trees[static_cast<std::size_t>(t)] = forests.rooted(t, roots[static_cast<std::size_t>(t)]);
  }
  flatten_trees(links, hop_ns, left, effort, seed, packing.trees);
}

}  // namespace coppice::schedule

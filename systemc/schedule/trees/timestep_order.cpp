#include "schedule/trees/timestep_order.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace coppice::schedule {
namespace {

using topology::Topology;

// The length of a path: its latency and, for equal latencies, its number of channels.
using Way = std::pair<Femtoseconds, std::size_t>;

Way way_along(const Topology& topology, const ChannelPath& path) {
  Way way{0, path.size()};
  for (const topology::ChannelId id : path) way.first += topology.channel(id).latency;
  return way;
}

// The properties of a timestep that determine its position in the new order.
struct Step {
  Way longest;
  std::set<std::int32_t> next;  // timesteps that need data from this one
  // The number of timesteps that have no new position yet and whose data this timestep needs.
  std::int32_t missing = 0;
};

std::vector<Step> describe_steps(const Topology& topology, const Trees& trees) {
  std::vector<Step> steps(static_cast<std::size_t>(trees.steps) + 1);
  const auto step = [&](std::int32_t number) -> Step& { return steps[static_cast<std::size_t>(number)]; };
  std::vector<std::int32_t> joined(static_cast<std::size_t>(topology.num_accelerators()));
  for (const auto& tree : trees.trees) {
    for (const TreeEdge& edge : tree) joined[static_cast<std::size_t>(edge.child)] = edge.step;
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const TreeEdge& edge = tree[i];
      const Way way =
          edge.path < 0 ? Way{} : way_along(topology, trees.paths[static_cast<std::size_t>(edge.path)]);
      step(edge.step).longest = std::max(step(edge.step).longest, way);
      if (edge.parent == tree.front().parent) continue;  // the root has had its data from the start
      if (step(joined[static_cast<std::size_t>(edge.parent)]).next.insert(edge.step).second)
        ++step(edge.step).missing;
    }
  }
  return steps;
}

}  // namespace

std::vector<std::int32_t> order_steps(const Topology& topology, const Trees& trees, PathsFirst first) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(trees.steps) + 1);
  std::iota(order.begin(), order.end(), 0);
  if (trees.paths.empty()) return order;
  std::vector<Step> steps = describe_steps(topology, trees);
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const Way& of_a = steps[static_cast<std::size_t>(a)].longest;
    const Way& of_b = steps[static_cast<std::size_t>(b)].longest;
    if (of_a != of_b) return first == PathsFirst::kShortest ? of_a < of_b : of_b < of_a;
    return a < b;
  };
  std::set<std::int32_t, decltype(before)> ready(before);
  for (std::int32_t s = 1; s <= trees.steps; ++s) {
    if (steps[static_cast<std::size_t>(s)].missing == 0) ready.insert(s);
  }
  for (std::int32_t place = 1; !ready.empty(); ++place) {
    const std::int32_t s = *ready.begin();
    ready.erase(ready.begin());
    order[static_cast<std::size_t>(s)] = place;
    for (const std::int32_t next : steps[static_cast<std::size_t>(s)].next) {
      if (--steps[static_cast<std::size_t>(next)].missing == 0) ready.insert(next);
    }
  }
  return order;
}

}  // namespace coppice::schedule

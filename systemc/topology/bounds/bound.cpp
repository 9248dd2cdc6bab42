#include "topology/bounds/bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/bounds/cut_bound.h"
#include "topology/bounds/partition_bound.h"

namespace coppice::topology {
namespace {

// Returns two groups: the accelerators inside a cut and those outside it.
std::vector<std::vector<NodeId>> sides(const Topology& topology, const std::vector<NodeId>& cut) {
  std::vector<std::vector<NodeId>> groups(2);
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    groups[std::ranges::binary_search(cut, node) ? 0 : 1].push_back(node);
  }
  return groups;
}

// Whether bound `a` is longer than bound `b`.
bool longer(const LeastTime& a, const LeastTime& b) {
  return Capacity{a.bytes} * b.bytes_per_second > Capacity{b.bytes} * a.bytes_per_second;
}

}  // namespace

double LeastTime::ns() const {
  if (bytes_per_second == 0) return 0;
  return static_cast<double>(bytes) / static_cast<double>(bytes_per_second) * 1e9;
}

LeastTime least_all_reduce_time(const Topology& topology, Bytes bytes) {
  if (topology.num_accelerators() == 1) return {};
  const CutBound cut = narrowest_cut(topology);
  LeastTime least{bytes, cut.bytes_per_second, Direction::kOut, sides(topology, cut.cut)};
  for (const Direction direction : {Direction::kOut, Direction::kIn}) {
    if (direction == Direction::kIn && FlowNetwork(topology, direction).symmetric()) break;
    // Searches only for partitions that prove a higher bound than the cut does.
    Partition partition = weakest_partition_below(topology, direction, cut.bytes_per_second);
    if (partition.groups.empty()) continue;
    LeastTime found{2 * partition.joints() * bytes, partition.bytes_per_second, direction,
                    std::move(partition.groups)};
    if (longer(found, least)) least = std::move(found);
  }
  return least;
}

LeastTime least_share_time(const Topology& topology, Collective collective, std::span<const Bytes> shares) {
  if (topology.num_accelerators() == 1) return {};
  const Direction direction = collective == Collective::kReduceScatter ? Direction::kIn : Direction::kOut;
  const CutBound cut = worst_cut(topology, direction, shares);
  return {cut.data, cut.bytes_per_second, direction, sides(topology, cut.cut)};
}

std::string describe_groups(const LeastTime& least) {
  if (std::ranges::all_of(least.groups, [](const auto& group) { return group.size() == 1; })) {
    return "each accelerator by itself";
  }
  std::string text;
  for (const auto& group : least.groups) {
    if (!text.empty()) text += " | ";
    for (std::size_t first = 0; first < group.size();) {
      std::size_t last = first;
      while (last + 1 < group.size() && group[last + 1] == group[last] + 1) ++last;
      if (first > 0) text += ", ";
      text +=
          last == first ? fmt::format("{}", group[first]) : fmt::format("{}-{}", group[first], group[last]);
      first = last + 1;
    }
  }
  return text;
}

}  // namespace coppice::topology

#include "schedule/pipelined_trees/pipelined_trees.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace coppice::schedule {
namespace {

// Returns the number of edges from the root to each accelerator.
std::vector<int> levels_of(const LinkedTree& tree) {
  std::vector<int> level(tree.links.size() + 1, 0);
  for (const TreeLink& link : tree.links) {
    level[static_cast<std::size_t>(link.child)] = level[static_cast<std::size_t>(link.parent)] + 1;
  }
  return level;
}

void require_all_reduce(const CompileRequest& request, const std::string& algorithm) {
  if (request.collective == Collective::kAllReduce) return;
  throw UnsupportedError(
      fmt::format("{} supports only all_reduce, not {}", algorithm, to_string(request.collective)));
}

void require_data_for_trees(const CompileRequest& request, const std::string& algorithm, std::size_t trees) {
  const Bytes elements = request.size / request.element;
  const Bytes most = std::max<Bytes>(elements / static_cast<Bytes>(trees), 1);
  if (request.chunks <= most) return;
  throw UnsupportedError(fmt::format(
      "{} cannot use {} chunks: {} bytes on {} {} allow at most {}, each with at least one element of {} "
      "bytes",
      algorithm, request.chunks, request.size, trees, trees == 1 ? "tree" : "trees", most, request.element));
}

// Cuts `size` bytes into `count` equally spaced chunks. The last chunk may be shorter; if it would be empty,
// the sizes of chunks differ by at most one element instead.
std::vector<Chunk> cut_at_one_distance(Bytes size, Bytes element, int count) {
  const Bytes elements = size / element;
  const Bytes each = (elements + count - 1) / count;
  if (each * (count - 1) >= elements) return split_into_chunks(size, element, count);
  std::vector<Chunk> chunks;
  for (Bytes at = 0; at < elements; at += each) {
    chunks.push_back({at * element, std::min(each, elements - at) * element});
  }
  return chunks;
}

}  // namespace

LinkedTree routed_tree(const BinaryTree& tree) {
  LinkedTree linked;
  std::vector<std::vector<NodeId>> children(tree.size());
  for (std::size_t rank = 0; rank < tree.size(); ++rank) {
    if (tree[rank] < 0) {
      linked.root = static_cast<NodeId>(rank);
    } else {
      children[static_cast<std::size_t>(tree[rank])].push_back(static_cast<NodeId>(rank));
    }
  }
  std::vector<NodeId> reached{linked.root};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const NodeId child : children[static_cast<std::size_t>(reached[i])]) {
      linked.links.push_back({.child = child, .parent = reached[i], .up = {}, .down = {}});
      reached.push_back(child);
    }
  }
  return linked;
}

int depth_of(const LinkedTree& tree) {
  return std::ranges::max(levels_of(tree));
}

Schedule schedule_linked_trees(const topology::Topology& topology, const CompileRequest& request,
                               const std::string& algorithm, const std::vector<LinkedTree>& trees,
                               Phases phases) {
  require_all_reduce(request, algorithm);
  require_data_for_trees(request, algorithm, trees.size());
  std::vector<Send> sends;
  std::vector<ChannelPath> paths;
  const auto add_path = [&](const ChannelPath& path) {
    if (path.empty()) return -1;
    paths.push_back(path);
    return static_cast<std::int32_t>(paths.size()) - 1;
  };
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const std::vector<int> levels = levels_of(trees[t]);
    const int deepest = std::ranges::max(levels);
    // The number of timesteps before the broadcast begins.
    const int broadcast = deepest + (phases == Phases::kApart ? request.chunks - 1 : 0);
    for (const TreeLink& link : trees[t].links) {
      const std::int32_t up = add_path(link.up);
      const std::int32_t down = add_path(link.down);
      const int level = levels[static_cast<std::size_t>(link.child)];
      for (int chunk = 0; chunk < request.chunks; ++chunk) {
        const auto flow = static_cast<std::int32_t>(static_cast<std::size_t>(chunk) * trees.size() + t);
        sends.push_back({.op = Op::kReduce,
                         .flow = flow,
                         .src = link.child,
                         .dst = link.parent,
                         .step = deepest + 1 - level + chunk,
                         .path = up});
        sends.push_back({.op = Op::kGather,
                         .flow = flow,
                         .src = link.parent,
                         .dst = link.child,
                         .step = broadcast + level + chunk,
                         .path = down});
      }
    }
  }
  const auto flows =
      cut_at_one_distance(request.size, request.element, static_cast<int>(trees.size()) * request.chunks);
  Schedule schedule = build_schedule(topology, request, algorithm, flows, sends, paths);
  if (request.chunks > 1) {
    schedule.repetition = {
        .flow = static_cast<std::int32_t>(trees.size()), .address = flows[trees.size()].address, .step = 1};
  }
  return schedule;
}

}  // namespace coppice::schedule

#include "schedule/trees/pairwise_trees.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"
#include "base/index.h"

namespace coppice::schedule {
namespace {

void add_piece(const std::vector<Partners>& stages, int piece, int pieces, Trees& trees) {
  const auto n = stages.empty() ? NodeId{1} : static_cast<NodeId>(stages.front().size());
  std::vector<std::vector<NodeId>> held(index(n));  // [accelerator]: owners of the data that it holds
  for (NodeId node = 0; node < n; ++node) held[index(node)] = {node};
  std::int32_t step = 0;
  for (const Partners& partner : stages) {
    const std::vector<std::vector<NodeId>> before = held;
    for (NodeId node = 0; node < n; ++node) {
      const NodeId from = partner[index(node)];
      std::int32_t place = step;
      for (const NodeId owner : before[index(from)]) {
        if (std::ranges::find(before[index(node)], owner) != before[index(node)].end()) {
          throw ModelError(fmt::format("accelerator {} receives the chunk of {} twice", node, owner));
        }
        trees.trees[index(owner * pieces + piece)].push_back(
            {.parent = from, .child = node, .step = ++place});
        held[index(node)].push_back(owner);
      }
    }
    step += static_cast<std::int32_t>(before.front().size());
  }
  trees.steps = step;
}

}  // namespace

Trees pairwise_trees(const std::vector<std::vector<Partners>>& pieces) {
  const auto count = static_cast<int>(pieces.size());
  const std::vector<Partners>& first = pieces.front();
  const std::size_t accelerators = first.empty() ? 1 : first.front().size();
  Trees trees{.steps = 0, .pieces = count, .trees = {}};
  trees.trees.resize(accelerators * pieces.size());
  for (int piece = 0; piece < count; ++piece) add_piece(pieces[index(piece)], piece, count, trees);
  for (auto& tree : trees.trees) std::ranges::stable_sort(tree, {}, &TreeEdge::step);
  return trees;
}

void require_power_of_two(const std::string& algorithm, const std::string& network, int accelerators) {
  if (std::has_single_bit(static_cast<unsigned>(accelerators))) return;
  throw UnsupportedError(fmt::format(
      "{} exchanges data between pairs and needs a power-of-two number of accelerators, but {} has "
      "{}: use rabenseifner, which supports any number",
      algorithm, network, accelerators));
}

}  // namespace coppice::schedule

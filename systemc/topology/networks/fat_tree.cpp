#include <fmt/format.h>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"

namespace coppice::topology {
namespace {

constexpr std::string_view kForm = "[k, n] or [accelerators per leaf, leaves, spines]";

std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= base;
    if (result > kMaxNodes) return kMaxNodes + 1;
  }
  return result;
}

// Returns the switches whose base-k numbers agree with w in every digit except `digit`; w is one of them.
std::vector<int> differing_in(int w, int k, int digit) {
  const int weight = static_cast<int>(power(k, digit));
  const int first = w - w / weight % k * weight;
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(k));
  for (int value = 0; value < k; ++value) result.push_back(first + value * weight);
  return result;
}

Topology make_k_ary_n_tree(std::span<const int> dims, std::span<const LinkSpec> links) {
  const int k = dims[0];
  const int levels = dims[1];
  require_at_least(Kind::kFatTree, "accelerators per leaf (k)", k, 2);
  require_at_least(Kind::kFatTree, "levels (n)", levels, 1);
  const std::int64_t accelerators = power(k, levels);
  const std::int64_t width = power(k, levels - 1);
  require_size(Kind::kFatTree, dims, accelerators + levels * width, 2 * accelerators * levels);
  const std::vector<LinkSpec> specs =
      links_per_level(Kind::kFatTree, links, static_cast<std::size_t>(levels));

  Topology tree(Kind::kFatTree, {dims.begin(), dims.end()}, static_cast<int>(accelerators),
                static_cast<int>(levels * width));
  const auto add = [&](NodeId src, NodeId dst, int level) {
    const LinkSpec& link = specs[static_cast<std::size_t>(level)];
    tree.add_channel(src, dst, link.bandwidth, link.latency, level);
  };
  const auto switch_id = [&](int level, int w) {
    return static_cast<NodeId>(accelerators + level * width) + w;
  };
  for (NodeId node = 0; node < tree.num_accelerators(); ++node) add(node, switch_id(0, node / k), 0);
  for (int level = 0; level < levels; ++level) {
    for (int w = 0; w < width; ++w) {
      if (level == 0) {
        for (int i = 0; i < k; ++i) add(switch_id(0, w), w * k + i, 0);
      } else {
        for (const int below : differing_in(w, k, level - 1)) {
          add(switch_id(level, w), switch_id(level - 1, below), level);
        }
      }
      if (level + 1 == levels) continue;
      for (const int above : differing_in(w, k, level)) {
        add(switch_id(level, w), switch_id(level + 1, above), level + 1);
      }
    }
  }
  return tree;
}

void require_two_levels(int per_leaf, int leaves, int spines) {
  require_at_least(Kind::kFatTree, "accelerators per leaf", per_leaf, 1);
  require_at_least(Kind::kFatTree, "leaves", leaves, 1);
  require_at_least(Kind::kFatTree, "spines", spines, 0);
  if (spines == 0 && leaves != 2) {
    throw UnsupportedError(fmt::format(
        "a fat_tree of {} leaves needs spines: only 2 leaves can be connected without spines", leaves));
  }
  if (spines > 0 && per_leaf % spines != 0) {
    throw UnsupportedError(
        fmt::format("a fat_tree cannot have {} spines with {} accelerators per leaf: the number of spines "
                    "must divide a leaf's {} uplinks",
                    spines, per_leaf, per_leaf));
  }
}

Topology make_two_levels(std::span<const int> dims, std::span<const LinkSpec> links) {
  const int per_leaf = dims[0];
  const int leaves = dims[1];
  const int spines = dims[2];
  require_two_levels(per_leaf, leaves, spines);
  const std::int64_t accelerators = std::int64_t{per_leaf} * leaves;
  require_size(Kind::kFatTree, dims, accelerators + leaves + spines, 4 * accelerators);
  const std::vector<LinkSpec> specs = links_per_level(Kind::kFatTree, links, 2);

  Topology tree(Kind::kFatTree, {dims.begin(), dims.end()}, static_cast<int>(accelerators), leaves + spines);
  const auto add = [&](NodeId src, NodeId dst, int level, int count) {
    const LinkSpec& link = specs[static_cast<std::size_t>(level)];
    for (int i = 0; i < count; ++i) tree.add_channel(src, dst, link.bandwidth, link.latency, level);
  };
  const auto first_leaf = static_cast<NodeId>(accelerators);
  const NodeId first_spine = first_leaf + leaves;
  for (NodeId node = 0; node < first_leaf; ++node) add(node, first_leaf + node / per_leaf, 0, 1);
  for (int leaf = 0; leaf < leaves; ++leaf) {
    for (int i = 0; i < per_leaf; ++i) add(first_leaf + leaf, leaf * per_leaf + i, 0, 1);
    if (spines == 0) add(first_leaf + leaf, first_leaf + 1 - leaf, 1, per_leaf);
    for (int spine = 0; spine < spines; ++spine) {
      add(first_leaf + leaf, first_spine + spine, 1, per_leaf / spines);
    }
  }
  for (int spine = 0; spine < spines; ++spine) {
    for (int leaf = 0; leaf < leaves; ++leaf) {
      add(first_spine + spine, first_leaf + leaf, 1, per_leaf / spines);
    }
  }
  return tree;
}

}  // namespace

Topology make_fat_tree(std::span<const int> dims, std::span<const LinkSpec> links) {
  if (dims.size() == 3) return make_two_levels(dims, links);
  require_dims(Kind::kFatTree, dims, 2, kForm);
  return make_k_ary_n_tree(dims, links);
}

}  // namespace coppice::topology

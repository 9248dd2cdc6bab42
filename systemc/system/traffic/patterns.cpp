#include "system/traffic/patterns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::system {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr std::array kPatterns{
    PatternInfo{Pattern::kUniform, "uniform", "to any accelerator, including the source"},
    PatternInfo{Pattern::kTranspose, "transpose", "from (x, y) to (y, x)"},
    PatternInfo{Pattern::kBitcomp, "bitcomp",
                "to the accelerator whose number has the source's bits inverted"},
    PatternInfo{Pattern::kTornado, "tornado", "almost halfway around every dimension"},
    PatternInfo{Pattern::kNeighbor, "neighbor", "to the next accelerator in every dimension"},
    PatternInfo{Pattern::kBitrev, "bitrev", "to the accelerator whose number has the source's bits reversed"},
    PatternInfo{Pattern::kShuffle, "shuffle",
                "to the accelerator whose number has the source's bits rotated by one"},
    PatternInfo{Pattern::kRandperm, "randperm",
                "to the target in a random permutation that the seed determines"},
    PatternInfo{Pattern::kDiagonal, "diagonal",
                "to the source itself or, one time in three, to the next accelerator"},
    PatternInfo{Pattern::kAsymmetric, "asymmetric", "to one of two accelerators half the network apart"},
    PatternInfo{Pattern::kNextGroup, "next_group", "to any accelerator of the next group of a dragonfly"},
    PatternInfo{Pattern::kHotspot, "hotspot", "to the accelerators of --hotspots, by weight"},
    PatternInfo{Pattern::kPermutation, "permutation", "to the target listed in the --permutation file"},
};

bool is_grid(const Topology& topology) {
  return topology.kind() == topology::Kind::kTorus || topology.kind() == topology::Kind::kMesh;
}

void require_grid(const Topology& topology) {
  if (is_grid(topology)) return;
  throw UnsupportedError(
      fmt::format("tornado and neighbor traffic need the coordinates of a torus or mesh, which a {} does not "
                  "have: use uniform or randperm",
                  topology.name()));
}

// Replaces every coordinate x by (x + shift(k)) mod k, where k is the dimension's width.
template <typename Shift>
NodeId shifted(const Topology& topology, NodeId src, Shift shift) {
  require_grid(topology);
  std::vector<int> at = topology.coordinates(src);
  for (std::size_t d = 0; d < at.size(); ++d)
    at[d] = (at[d] + shift(topology.dims()[d])) % topology.dims()[d];
  return topology.node_at(at);
}

// The number of bits of a node number. Throws UnsupportedError unless the number of nodes is a power of two.
int node_bits(const Topology& topology, const char* pattern) {
  const auto nodes = static_cast<unsigned>(topology.num_accelerators());
  if (std::has_single_bit(nodes)) return std::countr_zero(nodes);
  throw UnsupportedError(fmt::format("{} traffic needs a power-of-two number of nodes, but {} has {}",
                                     pattern, topology.name(), nodes));
}

NodeId transposed(const Topology& topology, NodeId src) {
  if (is_grid(topology)) {
    const auto& dims = topology.dims();
    if (dims.size() != 2 || dims[0] != dims[1]) {
      throw UnsupportedError(fmt::format("transpose traffic needs two equal dims, not {}", topology.name()));
    }
    const std::vector<int> at = topology.coordinates(src);
    return topology.node_at(std::array{at[1], at[0]});
  }
  const int bits = node_bits(topology, "transpose");
  if (bits % 2 != 0) {
    throw UnsupportedError(fmt::format("transpose traffic needs a square number of nodes, but {} has {}",
                                       topology.name(), topology.num_accelerators()));
  }
  const NodeId low = src & ((1 << bits / 2) - 1);
  return src >> bits / 2 | low << bits / 2;
}

NodeId complemented(const Topology& topology, NodeId src) {
  return ((1 << node_bits(topology, "bitcomp")) - 1) ^ src;
}

NodeId reversed(const Topology& topology, NodeId src) {
  const int bits = node_bits(topology, "bitrev");
  NodeId result = 0;
  for (int i = 0; i < bits; ++i) result |= (src >> i & 1) << (bits - 1 - i);
  return result;
}

NodeId shuffled(const Topology& topology, NodeId src) {
  const int bits = node_bits(topology, "shuffle");
  if (bits == 0) return src;
  return (src << 1 & ((1 << bits) - 1)) | src >> (bits - 1);
}

std::vector<NodeId> random_permutation(int nodes, std::uint64_t seed) {
  std::vector<NodeId> targets(static_cast<std::size_t>(nodes));
  std::iota(targets.begin(), targets.end(), 0);
  // Sources use the streams 0 to nodes - 1, so this one is independent of theirs.
  Random random(seed, static_cast<std::uint64_t>(nodes));
  for (std::size_t i = targets.size(); i > 1; --i) std::swap(targets[i - 1], targets[random.below(i)]);
  return targets;
}

NodeId fixed_target(Pattern pattern, const Topology& topology, NodeId src) {
  switch (pattern) {
    case Pattern::kTranspose:
      return transposed(topology, src);
    case Pattern::kBitcomp:
      return complemented(topology, src);
    case Pattern::kBitrev:
      return reversed(topology, src);
    case Pattern::kShuffle:
      return shuffled(topology, src);
    case Pattern::kTornado:
      return shifted(topology, src, [](int k) { return (k + 1) / 2 - 1; });
    default:
      return shifted(topology, src, [](int) { return 1; });
  }
}

bool draws(Pattern pattern) {
  constexpr std::array kDrawn{Pattern::kUniform, Pattern::kDiagonal, Pattern::kAsymmetric,
                              Pattern::kNextGroup, Pattern::kHotspot};
  return std::ranges::find(kDrawn, pattern) != kDrawn.end();
}

int group_size(const Topology& topology) {
  if (topology.kind() != topology::Kind::kDragonfly) {
    throw UnsupportedError(
        fmt::format("next_group traffic needs the groups of a dragonfly, not {}", topology.name()));
  }
  return topology.dims()[0] * topology.dims()[1];
}

void require_hotspots(const std::vector<Hotspot>& hotspots, const Topology& topology) {
  if (hotspots.empty()) throw UnsupportedError("hotspot traffic needs --hotspots, for example 0,9:2");
  for (const Hotspot& hotspot : hotspots) {
    if (hotspot.node >= 0 && hotspot.node < topology.num_accelerators() && hotspot.weight > 0) continue;
    throw UnsupportedError(
        fmt::format("hotspot {} of weight {}: {} has accelerators 0 to {}, and a weight is at least 1",
                    hotspot.node, hotspot.weight, topology.name(), topology.num_accelerators() - 1));
  }
}

}  // namespace

TrafficPattern::TrafficPattern(Pattern pattern, const Topology& topology, const PatternInput& input)
    : pattern_(pattern), nodes_(topology.num_accelerators()) {
  if (pattern == Pattern::kNextGroup) group_ = group_size(topology);
  if (pattern == Pattern::kAsymmetric && nodes_ % 2 != 0) {
    throw UnsupportedError(fmt::format("asymmetric traffic needs an even number of nodes, but {} has {}",
                                       topology.name(), nodes_));
  }
  if (pattern == Pattern::kHotspot) {
    require_hotspots(input.hotspots, topology);
    hotspots_ = input.hotspots;
    for (const Hotspot& hotspot : hotspots_) weights_ += hotspot.weight;
  }
  if (draws(pattern)) return;
  if (pattern == Pattern::kRandperm) {
    fixed_ = random_permutation(nodes_, input.seed);
  } else if (pattern == Pattern::kPermutation) {
    fixed_ = input.targets;
    if (static_cast<int>(fixed_.size()) != nodes_) {
      throw UnsupportedError(
          "permutation traffic needs --permutation, a file with a line 'source target' "
          "for every accelerator");
    }
  } else {
    for (NodeId src = 0; src < nodes_; ++src) fixed_.push_back(fixed_target(pattern, topology, src));
  }
}

NodeId TrafficPattern::drawn_hotspot(Random& random) const {
  int left = static_cast<int>(random.below(static_cast<std::uint64_t>(weights_)));
  for (const Hotspot& hotspot : hotspots_) {
    if (left < hotspot.weight) return hotspot.node;
    left -= hotspot.weight;
  }
  return hotspots_.back().node;
}

NodeId TrafficPattern::destination(NodeId src, Random& random) const {
  if (!fixed_.empty()) return fixed_[static_cast<std::size_t>(src)];
  const auto below = [&](int bound) {
    return static_cast<NodeId>(random.below(static_cast<std::uint64_t>(bound)));
  };
  switch (pattern_) {
    case Pattern::kDiagonal:
      return below(3) == 0 ? (src + 1) % nodes_ : src;
    case Pattern::kAsymmetric:
      return src % (nodes_ / 2) + below(2) * (nodes_ / 2);
    case Pattern::kNextGroup:
      return ((src / group_ + 1) * group_ + below(group_)) % nodes_;
    case Pattern::kHotspot:
      return drawn_hotspot(random);
    default:
      return below(nodes_);
  }
}

std::span<const PatternInfo> traffic_patterns() {
  return kPatterns;
}

const char* to_string(Pattern pattern) {
  return std::ranges::find(kPatterns, pattern, &PatternInfo::pattern)->name;
}

Pattern parse_pattern(const std::string& name) {
  std::string known;
  for (const PatternInfo& info : kPatterns) {
    if (name == info.name) return info.pattern;
    known += known.empty() ? info.name : std::string(", ") + info.name;
  }
  throw std::invalid_argument(fmt::format("unknown pattern '{}': write one of {}", name, known));
}

}  // namespace coppice::system

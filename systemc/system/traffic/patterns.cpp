#include "system/traffic/patterns.h"

#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::system {
namespace {

using topology::NodeId;
using topology::Topology;

constexpr std::array<std::pair<const char*, Pattern>, 5> kNames{{{"uniform", Pattern::kUniform},
                                                                 {"transpose", Pattern::kTranspose},
                                                                 {"bitcomp", Pattern::kBitcomp},
                                                                 {"tornado", Pattern::kTornado},
                                                                 {"neighbor", Pattern::kNeighbor}}};

void require_grid(const Topology& topology) {
  if (topology.kind() == topology::Kind::kTorus || topology.kind() == topology::Kind::kMesh) return;
  throw UnsupportedError(
      fmt::format("tornado, neighbor and transpose traffic need the coordinates of a torus or "
                  "mesh, which a {} has not: take uniform or bitcomp",
                  topology.name()));
}

// Moves every coordinate x of a dimension of width k to x + shift(k) modulo k.
template <typename Shift>
NodeId shifted(const Topology& topology, NodeId src, Shift shift) {
  require_grid(topology);
  std::vector<int> at = topology.coordinates(src);
  for (std::size_t d = 0; d < at.size(); ++d)
    at[d] = (at[d] + shift(topology.dims()[d])) % topology.dims()[d];
  return topology.node_at(at);
}

NodeId transposed(const Topology& topology, NodeId src) {
  require_grid(topology);
  const auto& dims = topology.dims();
  if (dims.size() != 2 || dims[0] != dims[1]) {
    throw UnsupportedError(fmt::format("transpose traffic needs two equal dims, not {}", topology.name()));
  }
  const std::vector<int> at = topology.coordinates(src);
  return topology.node_at(std::array{at[1], at[0]});
}

NodeId complemented(const Topology& topology, NodeId src) {
  const auto nodes = static_cast<unsigned>(topology.num_accelerators());
  if (!std::has_single_bit(nodes)) {
    throw UnsupportedError(
        fmt::format("bitcomp traffic needs a power of two of nodes, {} has {}", topology.name(), nodes));
  }
  return static_cast<NodeId>(nodes - 1U - static_cast<unsigned>(src));
}

}  // namespace

TrafficPattern::TrafficPattern(Pattern pattern, const Topology& topology)
    : nodes_(topology.num_accelerators()) {
  if (pattern == Pattern::kUniform) return;
  fixed_.reserve(static_cast<std::size_t>(nodes_));
  for (NodeId src = 0; src < nodes_; ++src) {
    switch (pattern) {
      case Pattern::kTranspose:
        fixed_.push_back(transposed(topology, src));
        break;
      case Pattern::kBitcomp:
        fixed_.push_back(complemented(topology, src));
        break;
      case Pattern::kTornado:
        fixed_.push_back(shifted(topology, src, [](int k) { return (k + 1) / 2 - 1; }));
        break;
      case Pattern::kNeighbor:
        fixed_.push_back(shifted(topology, src, [](int) { return 1; }));
        break;
      case Pattern::kUniform:
        break;
    }
  }
}

NodeId TrafficPattern::destination(NodeId src, Random& random) const {
  if (fixed_.empty()) return static_cast<NodeId>(random.below(static_cast<std::uint64_t>(nodes_)));
  return fixed_[static_cast<std::size_t>(src)];
}

const char* to_string(Pattern pattern) {
  for (const auto& [name, value] : kNames) {
    if (value == pattern) return name;
  }
  return "?";
}

Pattern parse_pattern(const std::string& name) {
  std::string known;
  for (const auto& [candidate, value] : kNames) {
    if (name == candidate) return value;
    known += known.empty() ? candidate : std::string(", ") + candidate;
  }
  throw std::invalid_argument(fmt::format("unknown pattern '{}'; the patterns are {}", name, known));
}

}  // namespace coppice::system

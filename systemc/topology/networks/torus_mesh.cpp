#include <fmt/format.h>

#include <cstddef>

#include "base/error.h"
#include "topology/topology.h"

namespace coppice::topology {
namespace {

// RouteState has one tie bit for each dimension.
constexpr std::size_t kMaxDimensions = 32;

int count_nodes(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links) {
  if (dims.empty()) throw UnsupportedError(fmt::format("a {} needs at least one dimension", to_string(kind)));
  if (dims.size() > kMaxDimensions) {
    throw UnsupportedError(fmt::format("a {} cannot have {} dimensions: at most {} are possible",
                                       to_string(kind), dims.size(), kMaxDimensions));
  }
  if (links.size() != dims.size()) {
    throw UnsupportedError(fmt::format("a {} of {} dimensions needs one link specification for each, not {}",
                                       to_string(kind), dims.size(), links.size()));
  }
  std::int64_t nodes = 1;
  for (const int width : dims) {
    if (width < 1) {
      throw UnsupportedError(
          fmt::format("a {} cannot have a dimension of width {}: write at least 1", to_string(kind), width));
    }
    nodes *= width;
    if (nodes > kMaxNodes) {
      throw UnsupportedError(fmt::format("a {} {} is too large: at most {} nodes are possible",
                                         to_string(kind), fmt::join(dims, "x"), kMaxNodes));
    }
  }
  return static_cast<int>(nodes);
}

// Adds channels ordered by node, then by dimension, then by direction. This order determines the channels'
// numbers.
Topology make(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links) {
  Topology topology(kind, {dims.begin(), dims.end()}, count_nodes(kind, dims, links), 0);
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    std::vector<int> at = topology.coordinates(node);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == 1) continue;
      const int here = at[d];
      for (const int step : {+1, -1}) {
        const int there = here + step;
        const bool wraps = there < 0 || there == dims[d];
        if (wraps && kind == Kind::kMesh) continue;
        at[d] = wraps ? (there + dims[d]) % dims[d] : there;
        topology.add_channel(node, topology.node_at(at), links[d].bandwidth, links[d].latency,
                             static_cast<int>(d));
      }
      at[d] = here;
    }
  }
  return topology;
}

}  // namespace

Topology make_torus(std::span<const int> dims, std::span<const LinkSpec> links) {
  return make(Kind::kTorus, dims, links);
}

Topology make_mesh(std::span<const int> dims, std::span<const LinkSpec> links) {
  return make(Kind::kMesh, dims, links);
}

}  // namespace coppice::topology

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// The part of a configuration that describes the shape of a network.
enum class DescribedBy {
  kDims,        // described by system.topology.dims
  kNothing,     // the kind has only one shape
  kDimensions,  // system.topology.dimensions, where each dimension has its own links
  kFile,        // described by system.topology.file
};

// Everything the code knows about a topology kind; do not compare kinds elsewhere.
struct KindInfo {
  Kind kind = Kind::kFile;
  std::string_view name{};     // name in configurations
  std::string_view dims{};     // for example "[k, n]"; empty if the kind has no dims
  std::string_view summary{};  // description of the kind in one line
  DescribedBy described_by = DescribedBy::kDims;
  // Builds the network from dims and links (one specification for all levels or one per level). nullptr if
  // dims and links do not determine the network.
  Topology (*make)(std::span<const int> dims, std::span<const LinkSpec> links) = nullptr;
  // Returns the number of different link specifications. If this is nullptr, there is always one.
  std::size_t (*link_levels)(std::span<const int> dims) = nullptr;
  // Returns the number of accelerators for dims, or 0 if the dims are invalid. If this is nullptr, the number
  // is the product of dims.
  std::int64_t (*accelerators)(std::span<const int> dims) = nullptr;
  // Creates the routing between any two nodes. If this is nullptr, packets take shortest paths from tables
  // (topology/routing/table_routing.h).
  std::unique_ptr<RoutingFunction> (*make_routing)(const Topology& topology, int vcs) = nullptr;
  int least_dim = 1;   // smallest value allowed in dims
  bool grid = false;   // whether dims are the widths of dimensions, which have links if the width is above 1
  bool wraps = false;  // whether rows of 3 or more accelerators form rings, whose routes cross datelines
  bool coordinates = false;  // whether accelerators that are adjacent along one of the dims are linked
  bool irregular = false;    // whether algorithms must search for a ring of channels
  bool spines_fail = false;  // whether ClosFailures can be applied
};

// All kinds, in the order of `coppice list`.
std::span<const KindInfo> topology_kinds();

const KindInfo& info_of(Kind kind);

// Returns nullptr if no kind has this name.
const KindInfo* find_kind(std::string_view name);

// The number of link specifications that a kind distinguishes: one per dimension of a torus or mesh, one per
// level of a fat tree, two for a BiGraph or Clos, three for a dragonfly, one plus the number of dimensions
// for a HyperX, and otherwise one. A kFile has none. `dims` need not be valid, because they are checked only
// when the network is built.
std::size_t num_link_levels(Kind kind, std::span<const int> dims);

// The number of accelerators that a kind has with these dims, computed without building the network. Returns
// 0 if the dims do not determine the number. The result is capped at 2^40.
std::int64_t count_accelerators(Kind kind, std::span<const int> dims);

// Builds a network of any kind that is described by dims. `links` is one link specification for all levels or
// one per level. Throws UnsupportedError in the same cases as the kind's builder, and for kHierarchy and
// kFile, whose builders are in topology/networks/hierarchy.h and topology/files/graph_file.h.
Topology make_topology(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links);

// Creates the default routing of a topology: KindInfo::make_routing or, if the kind has none, routing by
// tables (table_routing.h, which lists the errors).
std::unique_ptr<RoutingFunction> make_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology

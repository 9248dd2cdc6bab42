#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// The part of a configuration that describes a kind's shape.
enum class DescribedBy {
  kDims,        // system.topology.dims
  kNothing,     // the kind has only one shape
  kDimensions,  // system.topology.dimensions, each with its own links
  kFile,        // system.topology.file
};

// Everything the code knows about a topology kind; do not compare kinds elsewhere.
struct KindInfo {
  Kind kind = Kind::kFile;
  std::string_view name{};     // name in configurations
  std::string_view dims{};     // such as "[k, n]"; empty if the kind has no dims
  std::string_view summary{};  // description in one line
  DescribedBy described_by = DescribedBy::kDims;
  // Builds the network from dims and links (one for all levels or one per level); nullptr if these are not
  // sufficient.
  Topology (*make)(std::span<const int> dims, std::span<const LinkSpec> links) = nullptr;
  // The number of different link specifications; nullptr: always one.
  std::size_t (*link_levels)(std::span<const int> dims) = nullptr;
  // The number of accelerators for dims, 0 if these are invalid; nullptr: the product of dims.
  std::int64_t (*accelerators)(std::span<const int> dims) = nullptr;
  // Creates the routing between any two nodes; nullptr: shortest paths, by tables
  // (topology/routing/table_routing.h).
  std::unique_ptr<RoutingFunction> (*make_routing)(const Topology& topology, int vcs) = nullptr;
  int least_dim = 1;         // smallest allowed entry of dims
  bool grid = false;         // dims are widths, one per dimension of links; a width of 1 has no links
  bool wraps = false;        // rows of 3 or more accelerators form rings, whose routes cross datelines
  bool coordinates = false;  // accelerators adjacent along one of dims are linked
  bool irregular =
      false;  // the construction does not determine a ring of channels, so algorithms must search for one
  bool spines_fail = false;  // ClosFailures apply
};

// All kinds, in the order of `coppice list`.
std::span<const KindInfo> topology_kinds();

const KindInfo& info_of(Kind kind);

// Returns nullptr if no kind has this name.
const KindInfo* find_kind(std::string_view name);

// The number of link specifications that a kind distinguishes: one per dimension of a torus or mesh, one per
// level of a fat tree, two for a BiGraph or Clos, three for a dragonfly, one plus the number of dimensions
// for a HyperX, otherwise one. `dims` may be invalid until the network is built; kFile has none.
std::size_t num_link_levels(Kind kind, std::span<const int> dims);

// The number of accelerators that a kind has with these dims, without building it; 0 if dims do not determine
// it. The result is capped at 2^40.
std::int64_t count_accelerators(Kind kind, std::span<const int> dims);

// Builds any kind that dims describe, with one link specification for all levels or one per level. Throws
// UnsupportedError like the kind's builder, and for kHierarchy (use topology/networks/hierarchy.h) and kFile
// (topology/files/graph_file.h).
Topology make_topology(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links);

// Creates a topology's default routing: KindInfo::make_routing or, without one, tables (table_routing.h,
// which lists the errors).
std::unique_ptr<RoutingFunction> make_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::topology {

// Which part of a configuration describes a kind's shape.
enum class DescribedBy {
  kDims,        // system.topology.dims
  kNothing,     // it has one shape only
  kDimensions,  // system.topology.dimensions, each with links of its own
  kFile,        // system.topology.file
};

// All that is to be known of a kind: no other place asks for one by its name.
struct KindInfo {
  Kind kind = Kind::kFile;
  std::string_view name{};     // in configurations
  std::string_view dims{};     // "[k, n]", empty for none
  std::string_view summary{};  // one line
  DescribedBy described_by = DescribedBy::kDims;
  // Builds the network from dims and links, one for all levels or one per level; null if that is not
  // sufficient.
  Topology (*make)(std::span<const int> dims, std::span<const LinkSpec> links) = nullptr;
  // How many link specifications it distinguishes; null: one, for any dims.
  std::size_t (*link_levels)(std::span<const int> dims) = nullptr;
  // The number of accelerators for dims, 0 if none can be built; null: the product of dims.
  std::int64_t (*accelerators)(std::span<const int> dims) = nullptr;
  // Routes between any two nodes; null: the shortest, by tables (topology/routing/table_routing.h).
  std::unique_ptr<RoutingFunction> (*make_routing)(const Topology& topology, int vcs) = nullptr;
  int least_dim = 1;         // the least that an entry of dims may be
  bool grid = false;         // dims are widths, one per dimension of links; a width of 1 has no links
  bool wraps = false;        // rows of 3 or more accelerators close to rings, whose routes cross datelines
  bool coordinates = false;  // accelerators next to each other along one of dims are linked
  bool irregular = false;    // no ring of channels is known by construction: one is searched for
  bool spines_fail = false;  // ClosFailures apply
};

// Every kind, in the order of `coppice list`.
std::span<const KindInfo> topology_kinds();

const KindInfo& info_of(Kind kind);

// Null for a name that is none's.
const KindInfo* find_kind(std::string_view name);

// How many link specifications a kind distinguishes: a torus's or mesh's dimensions, a fat tree's levels, a
// BiGraph's or Clos's two, a dragonfly's three, a HyperX's one more than its dimensions, else one. Of `dims`
// only their validity at build time matters; kFile has none.
std::size_t num_link_levels(Kind kind, std::span<const int> dims);

// The number of accelerators of a kind with these dims, before it is built; 0 if dims do not determine it.
// Huge numbers are capped at 2^40.
std::int64_t count_accelerators(Kind kind, std::span<const int> dims);

// Any kind that dims describe, with one link specification for all levels or one for each. Throws
// UnsupportedError as its builder does, for kHierarchy (topology/networks/hierarchy.h) and for kFile
// (topology/files/graph_file.h).
Topology make_topology(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links);

// The routing of a topology: dimension order on a torus, mesh or ring and on a hierarchy (hierarchy.h), else
// tables (table_routing.h, which says what is thrown).
std::unique_ptr<RoutingFunction> make_routing(const Topology& topology, int vcs);

}  // namespace coppice::topology

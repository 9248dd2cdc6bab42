#include "topology/networks/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "topology/dims.h"
#include "topology/networks/builders.h"
#include "topology/networks/clos.h"
#include "topology/networks/dragonfly.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/hyperx.h"
#include "topology/routing/table_routing.h"

namespace coppice::topology {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;

std::int64_t product(std::span<const int> dims) {
  std::int64_t count = dims.empty() ? 0 : 1;
  for (const int width : dims) count = std::min(count * width, kMany);
  return count;
}

Topology make_torus_of(std::span<const int> dims, std::span<const LinkSpec> links) {
  return make_torus(dims, links_per_level(Kind::kTorus, links, dims.size()));
}

Topology make_mesh_of(std::span<const int> dims, std::span<const LinkSpec> links) {
  return make_mesh(dims, links_per_level(Kind::kMesh, links, dims.size()));
}

Topology make_whole_clos(std::span<const int> dims, std::span<const LinkSpec> links) {
  return make_clos(dims, links);
}

std::size_t level_per_dimension(std::span<const int> dims) {
  return dims.size();
}

std::size_t two_levels(std::span<const int> /*dims*/) {
  return 2;
}

std::size_t three_levels(std::span<const int> /*dims*/) {
  return 3;
}

std::size_t no_levels(std::span<const int> /*dims*/) {
  return 0;
}

std::size_t fat_tree_levels(std::span<const int> dims) {
  return dims.size() == 2 ? static_cast<std::size_t>(std::max(dims[1], 1)) : 2;
}

// `dims` is [k, levels] or [accelerators per leaf, leaves, spines].
std::int64_t fat_tree_accelerators(std::span<const int> dims) {
  if (dims.size() == 3) return std::int64_t{dims[0]} * dims[1];
  if (dims.size() != 2) return 0;
  std::int64_t count = 1;
  for (int level = 0; level < dims[1] && count < kMany; ++level) count *= dims[0];
  return count;
}

// `dims` is [accelerators per ToR, ToRs, spines].
std::int64_t clos_accelerators(std::span<const int> dims) {
  return dims.size() == 3 ? std::int64_t{dims[0]} * dims[1] : 0;
}

// `dims` is [accelerators per router, routers per group, global links per router], optionally followed by the
// number of groups.
std::int64_t dragonfly_accelerators(std::span<const int> dims) {
  if (dims.size() != 3 && dims.size() != 4) return 0;
  const std::int64_t groups = dims.size() > 3 ? dims[3] : std::int64_t{dims[1]} * dims[2] + 1;
  return std::min(std::min(std::int64_t{dims[0]} * dims[1], kMany) * std::min(groups, kMaxNodes), kMany);
}

std::int64_t dgx1_accelerators(std::span<const int> /*dims*/) {
  return 8;
}

constexpr std::array kKinds{
    KindInfo{.kind = Kind::kTorus,
             .name = "torus",
             .dims = "[w0, w1, ...]",
             .summary = "n-dimensional torus; a dimension of width 2 has two channels in each direction",
             .make = make_torus_of,
             .link_levels = level_per_dimension,
             .make_routing = make_dimension_order_routing,
             .grid = true,
             .wraps = true,
             .coordinates = true},
    KindInfo{.kind = Kind::kMesh,
             .name = "mesh",
             .dims = "[w0, w1, ...]",
             .summary = "n-dimensional mesh",
             .make = make_mesh_of,
             .link_levels = level_per_dimension,
             .make_routing = make_dimension_order_routing,
             .grid = true,
             .coordinates = true},
    KindInfo{.kind = Kind::kRing,
             .name = "ring",
             .dims = "[n]",
             .summary = "n accelerators in a bidirectional ring",
             .make = make_ring,
             .make_routing = make_dimension_order_routing,
             .wraps = true,
             .coordinates = true},
    KindInfo{.kind = Kind::kFullyConnected,
             .name = "fully_connected",
             .dims = "[n]",
             .summary = "a channel from every accelerator to every other",
             .make = make_fully_connected,
             .coordinates = true},
    KindInfo{.kind = Kind::kSwitch,
             .name = "switch",
             .dims = "[n]",
             .summary = "n accelerators on one switch",
             .make = make_switch},
    KindInfo{.kind = Kind::kFatTree,
             .name = "fat_tree",
             .dims = "[k, n]",
             .summary = "k-ary n-level fat tree; or [accelerators per leaf, leaves, spines]",
             .make = make_fat_tree,
             .link_levels = fat_tree_levels,
             .accelerators = fat_tree_accelerators,
             .least_dim = 0},  // a tree with two leaves may have no spines
    KindInfo{.kind = Kind::kBigraph,
             .name = "bigraph",
             .dims = "[m, n]",
             .summary = "n switches of m accelerators in two fully connected layers",
             .make = make_bigraph,
             .link_levels = two_levels},
    KindInfo{.kind = Kind::kClos,
             .name = "clos",
             .dims = "[m, t, s]",
             .summary = "t top-of-rack switches of m accelerators, each linked to each of s spines",
             .make = make_whole_clos,
             .link_levels = two_levels,
             .accelerators = clos_accelerators,
             .spines_fail = true},
    KindInfo{.kind = Kind::kDgx1,
             .name = "dgx1",
             .summary = "8 accelerators in a hybrid cube mesh, some links doubled (NVIDIA DGX-1)",
             .described_by = DescribedBy::kNothing,
             .make = make_dgx1,
             .accelerators = dgx1_accelerators,
             .irregular = true},
    KindInfo{.kind = Kind::kDragonfly,
             .name = "dragonfly",
             .dims = "[p, a, h]",
             .summary = "groups of a routers, each with p accelerators and h links to other groups; a*h + 1 "
                        "groups unless a fourth number is given",
             .make = make_dragonfly,
             .link_levels = three_levels,
             .accelerators = dragonfly_accelerators,
             .make_routing = make_dragonfly_routing},
    KindInfo{.kind = Kind::kHyperx,
             .name = "hyperx",
             .dims = "[t, s1, ...]",
             .summary = "a grid of switches with t accelerators each; every row is fully connected",
             .make = make_hyperx,
             .link_levels = level_per_dimension,
             .make_routing = make_hyperx_routing},
    KindInfo{
        .kind = Kind::kHierarchy,
        .name = "hierarchy",
        .summary = "rings, fully connected groups or switches, one per dimension, each with its own links",
        .described_by = DescribedBy::kDimensions,
        .link_levels = level_per_dimension,
        .make_routing = make_hierarchy_routing,
        .coordinates = true},
    KindInfo{.kind = Kind::kFile,
             .name = "file",
             .summary = "any network, from a graph file (.graph, GraphML, DOT, InfraGraph, NCCL, ns-3, TACOS "
                        "or BookSim2 anynet)",
             .described_by = DescribedBy::kFile,
             .link_levels = no_levels,
             .irregular = true},
};

}  // namespace

std::span<const KindInfo> topology_kinds() {
  return kKinds;
}

const KindInfo& info_of(Kind kind) {
  return *std::ranges::find(kKinds, kind, &KindInfo::kind);
}

const KindInfo* find_kind(std::string_view name) {
  const auto* const info = std::ranges::find(kKinds, name, &KindInfo::name);
  return info == kKinds.end() ? nullptr : info;
}

std::string_view to_string(Kind kind) {
  return info_of(kind).name;
}

std::size_t num_link_levels(Kind kind, std::span<const int> dims) {
  const auto levels = info_of(kind).link_levels;
  return levels == nullptr ? 1 : levels(dims);
}

std::int64_t count_accelerators(Kind kind, std::span<const int> dims) {
  const auto count = info_of(kind).accelerators;
  return count == nullptr ? product(dims) : count(dims);
}

Topology make_topology(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links) {
  const auto make = info_of(kind).make;
  if (make != nullptr) return make(dims, links);
  throw UnsupportedError(fmt::format("a topology of kind {} does not use dims", to_string(kind)));
}

std::unique_ptr<RoutingFunction> make_routing(const Topology& topology, int vcs) {
  const auto make = info_of(topology.kind()).make_routing;
  return make == nullptr ? make_table_routing(topology, vcs) : make(topology, vcs);
}

}  // namespace coppice::topology

#include "topology/builders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "topology/clos.h"
#include "topology/dims.h"

namespace coppice::topology {
namespace {

constexpr std::array<KindInfo, 11> kKinds{{
    {Kind::kTorus, "torus", "[w0, w1, ...]", "n-dimensional torus; a width of 2 has two channels each way"},
    {Kind::kMesh, "mesh", "[w0, w1, ...]", "n-dimensional mesh"},
    {Kind::kRing, "ring", "[n]", "n accelerators in a ring, both directions"},
    {Kind::kFullyConnected, "fully_connected", "[n]", "a channel from every accelerator to every other"},
    {Kind::kSwitch, "switch", "[n]", "n accelerators on one switch"},
    {Kind::kFatTree, "fat_tree", "[k, n]",
     "k-ary n-level fat tree; or [accelerators per leaf, leaves, spines]"},
    {Kind::kBigraph, "bigraph", "[m, n]", "n switches of m accelerators in two fully connected layers"},
    {Kind::kClos, "clos", "[m, t, s]",
     "t top-of-rack switches of m accelerators, each linked to each of s spines"},
    {Kind::kDgx1, "dgx1", "", "8 accelerators in a hybrid cube mesh, some links doubled (NVIDIA DGX-1)"},
    {Kind::kHierarchy, "hierarchy", "",
     "rings, fully connected groups or switches, one per dimension, each with links of its own"},
    {Kind::kFile, "file", "", "any graph, from a .graph file or a BookSim anynet file"},
}};

}  // namespace

std::size_t num_link_levels(Kind kind, std::span<const int> dims) {
  switch (kind) {
    case Kind::kTorus:
    case Kind::kMesh:
    case Kind::kHierarchy:
      return dims.size();
    case Kind::kFatTree:
      if (dims.size() == 2) return static_cast<std::size_t>(std::max(dims[1], 1));
      return 2;
    case Kind::kBigraph:
    case Kind::kClos:
      return 2;
    case Kind::kRing:
    case Kind::kFullyConnected:
    case Kind::kSwitch:
    case Kind::kDgx1:
      return 1;
    case Kind::kFile:
      return 0;
  }
  return 0;
}

Topology make_topology(Kind kind, std::span<const int> dims, std::span<const LinkSpec> links) {
  switch (kind) {
    case Kind::kTorus:
      return make_torus(dims, links_per_level(kind, links, dims.size()));
    case Kind::kMesh:
      return make_mesh(dims, links_per_level(kind, links, dims.size()));
    case Kind::kRing:
      return make_ring(dims, links);
    case Kind::kFullyConnected:
      return make_fully_connected(dims, links);
    case Kind::kSwitch:
      return make_switch(dims, links);
    case Kind::kFatTree:
      return make_fat_tree(dims, links);
    case Kind::kBigraph:
      return make_bigraph(dims, links);
    case Kind::kClos:
      return make_clos(dims, links);
    case Kind::kDgx1:
      return make_dgx1(dims, links);
    case Kind::kHierarchy:
    case Kind::kFile:
      break;
  }
  throw UnsupportedError(fmt::format("a topology of kind {} is not built from dims", to_string(kind)));
}

std::span<const KindInfo> topology_kinds() {
  return kKinds;
}

std::optional<Kind> parse_kind(std::string_view name) {
  const auto* info = std::ranges::find(kKinds, name, &KindInfo::name);
  if (info == kKinds.end()) return std::nullopt;
  return info->kind;
}

}  // namespace coppice::topology

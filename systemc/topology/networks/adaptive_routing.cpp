#include "topology/networks/adaptive_routing.h"

#include <fmt/format.h>

#include "base/error.h"
#include "topology/networks/dragonfly.h"
#include "topology/networks/fat_tree_detours.h"
#include "topology/networks/grid_detours.h"

namespace coppice::topology {

std::unique_ptr<DetourRouting> make_detour_routing(const Topology& topology, int vcs, Detours detours) {
  switch (topology.kind()) {
    case Kind::kTorus:
    case Kind::kMesh:
    case Kind::kRing:
      return make_grid_detours(topology, vcs, detours);
    case Kind::kDragonfly:
      return make_dragonfly_detours(topology, vcs, detours);
    case Kind::kFatTree:
      return make_fat_tree_detours(topology, vcs, detours);
    default:
      break;
  }
  throw UnsupportedError(
      fmt::format("{}: routing with detours is available only for tori, meshes, rings, dragonflies and fat "
                  "trees; write minimal instead",
                  topology.name()));
}

}  // namespace coppice::topology

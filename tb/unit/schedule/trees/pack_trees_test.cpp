#include "schedule/trees/pack_trees.h"

#include <gtest/gtest.h>

#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

topology::Topology network(topology::Kind kind, const std::vector<int>& dims) {
  const std::vector<topology::LinkSpec> links{topology::LinkSpec{{16'000'000'000}, 0}};
  return topology::make_topology(kind, dims, links);
}

// Trees are packed into shared tables only if they span all accelerators of a grid and if every channel has
// its own port.
TEST(PackTrees, UsesUnrootedTreesOfGridsBeyondThePattern) {
  const topology::Topology mesh = network(topology::Kind::kMesh, {3, 3});
  CompileRequest request;
  request.ni_ports = 4;
  request.pattern_beyond = 8;
  EXPECT_TRUE(may_pack_trees(mesh, request, 1));
  EXPECT_FALSE(may_pack_trees(network(topology::Kind::kSwitch, {9}), request, 1));
  for (const NodeId root : {0, 8}) {
    CompileRequest rooted = request;
    rooted.root = root;
    EXPECT_FALSE(may_pack_trees(mesh, rooted, 1)) << root;
  }
  CompileRequest few = request;
  few.ni_ports = 3;
  EXPECT_FALSE(may_pack_trees(mesh, few, 1));
  CompileRequest small = request;
  small.pattern_beyond = 9;
  EXPECT_FALSE(may_pack_trees(mesh, small, 1));
}

}  // namespace
}  // namespace coppice::schedule

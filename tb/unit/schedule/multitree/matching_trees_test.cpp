#include "schedule/multitree/matching_trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "machine.h"
#include "tree_laws.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

RC_GTEST_PROP(MatchingTrees, AreValid, ()) {
  const Machine machine = random_machine();
  require_tree_laws(machine.topology, matching_trees(machine.topology, *rc::gen::inRange(1, 3), 1, 0));
}

// The random graph is a line with random additional links in both directions.
RC_GTEST_PROP(MatchingTrees, WorkOnAnyConnectedGraph, ()) {
  const int n = *rc::gen::inRange(2, 12);
  topology::Topology graph(topology::Kind::kMesh, {n}, n, 0);
  const auto connect = [&](NodeId a, NodeId b) {
    graph.add_channel(a, b, {1}, 0);
    graph.add_channel(b, a, {1}, 0);
  };
  for (NodeId node = 0; node + 1 < n; ++node) connect(node, node + 1);
  const int chords = *rc::gen::inRange(0, 10);
  for (int i = 0; i < chords; ++i) {
    const NodeId a = *rc::gen::inRange(0, n);
    connect(a, (a + *rc::gen::inRange(1, n)) % n);
  }
  require_tree_laws(graph, matching_trees(graph, 1, 1, 3));
}

TEST(MatchingTrees, ReachTheMinimumOfTimestepsOnSquareToriAndMeshes) {
  for (const Machine& machine : {torus({4, 4}), torus({8, 8}), mesh({4, 4}), mesh({8, 8}), torus({5, 7})}) {
    EXPECT_EQ(matching_trees(machine.topology, 1, 1, 20).steps, least_steps(machine.topology, 1))
        << machine.topology.name();
  }
}

TEST(MatchingTrees, RejectNetworksThatTheyCannotSpan) {
  topology::Topology apart(topology::Kind::kMesh, {2}, 2, 0);
  apart.add_channel(0, 1, {1}, 0);
  EXPECT_THAT([&] { matching_trees(apart, 1, 1, 0); },
              ThrowsMessage<UnsupportedError>(HasSubstr("cannot reach")));
  const topology::Topology with_switch(topology::Kind::kMesh, {2}, 2, 1);
  EXPECT_THAT([&] { matching_trees(with_switch, 1, 1, 0); },
              ThrowsMessage<UnsupportedError>(HasSubstr("switches between")));
}

}  // namespace
}  // namespace coppice::schedule

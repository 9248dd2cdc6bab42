#include "schedule/multitree/multitree_optimal.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "schedule/multitree/multitree.h"
#include "schedule/proof/checker.h"
#include "tree_laws.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(MultiTreeOptimal, IsCorrectSharesNothingAndReachesTheMinimumOfTimesteps, ()) {
  const Machine machine = random_machine();
  CompileRequest request = machine.request(random_collective(), 4 * Bytes{1000});
  request.chunks = *rc::gen::inRange(1, 4);
  const Schedule schedule = make_compiler("multitree_optimal")->compile(machine.topology, request);
  RC_ASSERT(check_schedule(machine.topology, schedule).contention_free);
  RC_ASSERT(schedule.steps == schedule.least_steps);
}

TEST(MultiTreeOptimal, ReachesTheIngressBoundOnEveryTorusAndMesh) {
  for (int x = 3; x <= 12; ++x) {
    for (int y = 3; y <= 12; ++y) {
      const int n = x * y;
      EXPECT_EQ(build_optimal_trees(torus({x, y}).topology, 1, 1).steps, (n - 1 + 3) / 4) << x << "x" << y;
      EXPECT_EQ(build_optimal_trees(mesh({x, y}).topology, 1, 1).steps, (n - 1 + 1) / 2) << x << "x" << y;
    }
  }
}

TEST(MultiTreeOptimal, IsTheSameForTheSameSeed) {
  const Machine machine = mesh({4, 5});
  const auto edges = [&](std::uint64_t seed) {
    std::vector<std::array<int, 3>> all;
    for (const auto& tree : build_optimal_trees(machine.topology, 1, seed).trees) {
      for (const TreeEdge& edge : tree) all.push_back({edge.channel, edge.child, edge.step});
    }
    return all;
  };
  EXPECT_EQ(edges(7), edges(7));
}

// A random grid or switch network in which each dimension or level has 1, 2 or 3 times the base bandwidth.
Machine random_uneven_machine() {
  const auto kind = *rc::gen::element(topology::Kind::kTorus, topology::Kind::kMesh, topology::Kind::kFatTree,
                                      topology::Kind::kBigraph);
  std::vector<int> dims{*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 5)};
  if (kind == topology::Kind::kFatTree) dims = {*rc::gen::inRange(2, 4), 2};
  if (kind == topology::Kind::kBigraph) dims[1] = 2 * *rc::gen::inRange(1, 3);
  std::vector<topology::LinkSpec> links;
  for (int level = 0; level < 2; ++level) {
    links.push_back({{16'000'000'000 * *rc::gen::inRange(1, 4)}, 150 * kFemtosecondsPerNanosecond});
  }
  return make_machine(topology::make_topology(kind, dims, links));
}

RC_GTEST_PROP(MultiTreeOptimal, UsesFasterChannelsMoreOftenAndIsCorrect, ()) {
  const Machine machine = random_uneven_machine();
  // The size is divisible into equal pieces, so that all timesteps have the same length.
  const int chunks = *rc::gen::inRange(1, 4);
  const Bytes size = Bytes{64} * machine.topology.num_accelerators() * chunks;
  CompileRequest request = machine.request(random_collective(), size);
  request.chunks = chunks;
  const Trees trees = build_optimal_trees(machine.topology, request.chunks, 1);
  require_tree_laws(machine.topology, trees);
  const CheckReport report =
      check_schedule(machine.topology, schedule_trees(machine.topology, request, "multitree_optimal", trees));
  // On a fast channel, the port sends its messages one after another. Between switches, several ports share a
  // channel.
  if (machine.topology.num_switches() == 0) RC_ASSERT(report.disjoint_steps);
}

// Every accelerator receives 15 chunks in four quarters each. In a timestep, its two slow channels carry one
// quarter each, and its two fast channels two each.
TEST(MultiTreeOptimal, FillsChannelsOfTwoBandwidths) {
  const std::vector<topology::LinkSpec> links{{{32'000'000'000}, 0}, {{16'000'000'000}, 0}};
  const topology::Topology uneven = topology::make_torus(std::vector<int>{4, 4}, links);
  EXPECT_EQ(build_optimal_trees(uneven, 4, 1).steps, 60 / 6);
}

// With 6 pieces per chunk, every GPU receives 7 * 6 pieces over its six channels, so 7 timesteps are the
// minimum.
TEST(MultiTreeOptimal, FillsTheLinksOfADgx1) {
  EXPECT_EQ(build_optimal_trees(dgx1().topology, 1, 1).steps, 2);
  EXPECT_EQ(build_optimal_trees(dgx1().topology, 6, 1).steps, 7);
}

TEST(MultiTreeOptimal, FindsBetterTreesThanMultiTreeOnABigraph) {
  const topology::Topology network = bigraph({3, 6}).topology;
  EXPECT_EQ(build_trees(network).steps, 18);
  EXPECT_EQ(build_optimal_trees(network, 1, 1).steps, 17);
}

// With fewer elements than accelerators, some chunks are empty, but they still have trees.
TEST(MultiTreeOptimal, SumsFewerElementsThanAcceleratorsInAutomaticPieces) {
  const Machine machine = mesh({3, 2});
  CompileRequest request = machine.request(Collective::kAllReduce, 4);
  request.chunks = kAutomaticChunks;
  const Schedule schedule = make_compiler("multitree_optimal")->compile(machine.topology, request);
  EXPECT_EQ(schedule.chunks, 1);
  EXPECT_NO_THROW(check_schedule(machine.topology, schedule));
}

}  // namespace
}  // namespace coppice::schedule

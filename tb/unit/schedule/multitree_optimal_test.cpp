#include "schedule/multitree_optimal.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "schedule/checker.h"

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(MultiTreeOptimal, IsRightSharesNothingAndReachesTheLeastTimesteps, ()) {
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

}  // namespace
}  // namespace coppice::schedule

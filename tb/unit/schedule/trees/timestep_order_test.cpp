#include "schedule/trees/timestep_order.h"

#include <gmock/gmock.h>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;

// Three timesteps on BiGraph 2x4: a long path, then a short path from its end, then another long path from
// the root. Accelerators 0 and 1 are on switch 8, and accelerators 4 and 5 on switch 10.
Trees long_short_long(const topology::Topology& topology) {
  const auto way = [&](std::vector<NodeId> nodes) {
    ChannelPath path;
    for (std::size_t i = 1; i < nodes.size(); ++i)
      path.push_back(find_channel(topology, nodes[i - 1], nodes[i]));
    return path;
  };
  Trees trees{.steps = 3, .pieces = 1, .trees = {}};
  trees.paths = {way({0, 8, 10, 4}), way({4, 10, 5}), way({0, 8, 10, 4})};
  trees.trees.push_back(
      {{.parent = 0, .child = 4, .step = 1, .path = 0}, {.parent = 4, .child = 5, .step = 2, .path = 1}});
  trees.trees.push_back({{.parent = 0, .child = 4, .step = 3, .path = 2}});
  return trees;
}

TEST(StepOrder, ShortPathsFollowTheDataThatTheyNeed) {
  const Machine machine = bigraph({2, 4});
  const Trees trees = long_short_long(machine.topology);
  EXPECT_THAT(order_steps(machine.topology, trees, PathsFirst::kShortest), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order_steps(machine.topology, trees, PathsFirst::kLongest), ElementsAre(0, 1, 3, 2));
}

TEST(StepOrder, ChangesNothingWithoutSwitches) {
  EXPECT_THAT(order_steps(torus({4}).topology, {.steps = 2, .pieces = 1, .trees = {}}, PathsFirst::kLongest),
              ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace coppice::schedule

#include "schedule/pipelined_trees/binary_trees.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

RC_GTEST_PROP(DoubleTree, IsCorrectOnEveryTorusAndMesh, ()) {
  const Machine machine = random_machine();
  CompileRequest request = machine.request(Collective::kAllReduce, random_size());
  const auto most = static_cast<int>(std::max<Bytes>(request.size / request.element / 2, 1));
  request.chunks = *rc::gen::inRange(1, std::min(most, 5) + 1);
  check_schedule(machine.topology, make_compiler("double_tree")->compile(machine.topology, request));
}

std::vector<int> children_of(const BinaryTree& tree) {
  std::vector<int> children(tree.size(), 0);
  for (const int parent : tree) {
    if (parent >= 0) ++children[static_cast<std::size_t>(parent)];
  }
  return children;
}

RC_GTEST_PROP(DoubleTree, TreesAreBinaryAndOfLogarithmicDepth, ()) {
  const int n = *rc::gen::inRange(1, 300);
  const auto [first, second] = double_binary_tree(n);
  for (const BinaryTree& tree : {first, second}) {
    RC_ASSERT(std::ranges::count(tree, -1) == 1);
    RC_ASSERT(std::ranges::max(children_of(tree)) <= 2);
    for (int rank = 0; rank < n; ++rank) {
      int depth = 0;
      for (int up = rank; up >= 0; up = tree[static_cast<std::size_t>(up)]) ++depth;
      RC_ASSERT(depth <= static_cast<int>(std::bit_width(static_cast<unsigned>(n))) + 1);
    }
  }
}

RC_GTEST_PROP(DoubleTree, WithAnEvenNumberEveryRankIsALeafOfOnlyOneTree, ()) {
  const int n = 2 * *rc::gen::inRange(1, 150);
  const auto trees = double_binary_tree(n);
  const auto first = children_of(trees.first);
  const auto second = children_of(trees.second);
  for (std::size_t rank = 0; rank < first.size(); ++rank)
    RC_ASSERT((first[rank] == 0) != (second[rank] == 0));
}

TEST(DoubleTree, PiecesAreSentOneAfterAnother) {
  const Machine machine = torus({4, 4});
  CompileRequest request = machine.request(Collective::kAllReduce, 1024);
  const auto steps = [&] { return make_compiler("double_tree")->compile(machine.topology, request).steps; };
  EXPECT_EQ(steps(), 8);
  request.chunks = 8;
  EXPECT_EQ(steps(), 8 + 2 * 7);
}

TEST(DoubleTree, IsOnlyForAllReduces) {
  EXPECT_THAT([] { torus({4}).compile("double_tree", Collective::kAllGather, 64); },
              ThrowsMessage<UnsupportedError>(HasSubstr("not all_gather")));
}

}  // namespace
}  // namespace coppice::schedule

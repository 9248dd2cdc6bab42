#include "schedule/multitree/chained_multitree.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Schedule compile(const Machine& machine, Bytes size, int slices) {
  CompileRequest request = machine.request(Collective::kAllReduce, size);
  request.chunks = slices;
  return ChainedMultiTreeCompiler().compile(machine.topology, request);
}

RC_GTEST_PROP(ChainedMultiTree, IsCorrectOnEveryTorusAndMesh, ()) {
  const Machine machine = *rc::gen::arbitrary<bool>() ? dgx1() : random_machine(4);
  const Bytes size = random_size();
  const int slices = *rc::gen::inRange(1, static_cast<int>(std::min<Bytes>(size / 4, 6)) + 1);
  RC_ASSERT(check_schedule(machine.topology, compile(machine, size, slices)).contention_free);
}

// Between switches, paths differ in length, and data on a short path may catch up with data of the previous
// phase. check_schedule() throws if a sum is wrong.
TEST(ChainedMultiTree, IsCorrectOverSwitches) {
  for (const Machine& machine : {fat_tree({4, 2}), bigraph({2, 4})}) {
    EXPECT_TRUE(check_schedule(machine.topology, compile(machine, 4 * 8 * 8, 1)).contention_free)
        << machine.topology.name();
    check_schedule(machine.topology, compile(machine, 4 * 8 * 8, 3));
  }
}

// With several slices, each slice takes as many timesteps as an undivided all-reduce.
TEST(ChainedMultiTree, TakesTheTimestepsOfItsTreesForEverySlice) {
  const Machine machine = torus({4, 4});
  const int whole = compile(machine, 16 * 4 * 4, 1).steps;
  EXPECT_EQ(whole, 2 * 4);
  EXPECT_EQ(compile(machine, 16 * 4 * 4, 4).steps, 4 * whole);
}

TEST(ChainedMultiTree, FinishesSlicesInTheOrderOfTheirAddresses) {
  const Machine machine = dgx1();
  const Bytes slice = 8 * 4;
  std::map<Bytes, int> last;
  for_each_entry(compile(machine, 5 * slice, 5), [&](NodeId, const TableEntry& entry) {
    if (entry.op == Op::kGather)
      last[entry.address / slice] = std::max(last[entry.address / slice], entry.step);
  });
  ASSERT_EQ(last.size(), 5U);
  int before = 0;
  for (const auto& [number, step] : last) {
    EXPECT_GT(step, before) << number;
    before = step;
  }
}

TEST(ChainedMultiTree, RejectsMoreSlicesThanElements) {
  const Machine machine = torus({4});
  EXPECT_THAT([&] { compile(machine, 64, 17); }, ThrowsMessage<UnsupportedError>(HasSubstr("1 to 16")));
  EXPECT_THAT([&] { machine.compile("chained_multitree", Collective::kAllGather, 64); },
              ThrowsMessage<UnsupportedError>(HasSubstr("only all_reduce")));
}

}  // namespace
}  // namespace coppice::schedule

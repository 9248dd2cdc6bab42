#include "ni/memory/reduction_unit.h"

#include <gmock/gmock.h>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;

TEST(ReductionUnit, AddsAfterItsPipelineAndStoresInACycle) {
  const ReductionUnit unit(6);
  EXPECT_EQ(unit.completion(schedule::Op::kReduce, 100), 106);
  EXPECT_EQ(unit.completion(schedule::Op::kGather, 100), 101);
}

TEST(ReductionUnit, AddsOrOverwritesAtTheEntrysAddress) {
  ValueMemory memory({1, 2, 3, 4});
  schedule::TableEntry entry;
  entry.op = schedule::Op::kReduce;
  entry.address = 8;
  entry.bytes = 8;
  ReductionUnit::apply(entry, {{10, 20}, {}}, memory);
  EXPECT_THAT(memory.values(), ElementsAre(1, 2, 13, 24));
  entry.op = schedule::Op::kGather;
  ReductionUnit::apply(entry, {{5, 6}, {}}, memory);
  EXPECT_THAT(memory.values(), ElementsAre(1, 2, 5, 6));
}

}  // namespace
}  // namespace coppice::ni

#include "schedule/tables/schedule.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace coppice::schedule {
namespace {

RC_GTEST_PROP(SplitIntoChunks, CoversTheBufferInNearlyEqualWholeElements, ()) {
  const auto elements = *rc::gen::inRange<Bytes>(0, 5000);
  const auto element = *rc::gen::element<Bytes>(1, 2, 4, 8);
  const auto count = *rc::gen::inRange(1, 300);
  const auto chunks = split_into_chunks(elements * element, element, count);
  RC_ASSERT(chunks.size() == static_cast<std::size_t>(count));
  Bytes address = 0;
  for (const Chunk& chunk : chunks) {
    RC_ASSERT(chunk.address == address);
    RC_ASSERT(chunk.bytes % element == 0);
    RC_ASSERT(chunks.front().bytes - chunk.bytes <= element);
    RC_ASSERT(chunks.front().bytes >= chunk.bytes);
    address += chunk.bytes;
  }
  RC_ASSERT(address == elements * element);
}

TEST(Schedule, HasNamesForItsOperations) {
  EXPECT_STREQ(to_string(Collective::kAllReduce), "all_reduce");
  EXPECT_STREQ(to_string(Collective::kReduceScatter), "reduce_scatter");
  EXPECT_STREQ(to_string(Collective::kAllGather), "all_gather");
  EXPECT_STREQ(to_string(Op::kNop), "nop");
}

TEST(Schedule, DestinationIsTheParentOfAReduceAndTheChildOfAGather) {
  TableEntry entry;
  entry.parent = 3;
  entry.children = {5};
  entry.op = Op::kReduce;
  EXPECT_EQ(entry.destination(), 3);
  entry.op = Op::kGather;
  EXPECT_EQ(entry.destination(), 5);
}

}  // namespace
}  // namespace coppice::schedule

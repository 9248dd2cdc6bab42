#include "schedule/compile/chunk_policy.h"

#include <gtest/gtest.h>

namespace coppice::schedule {
namespace {

// Every policy has the name that configurations and results use.
TEST(ChunkPolicy, HasANameForEveryPolicy) {
  EXPECT_STREQ(to_string(ChunkScheduler::kBaseline), "baseline");
  EXPECT_STREQ(to_string(ChunkScheduler::kThemis), "themis");
  EXPECT_STREQ(to_string(ChunkScheduler::kThemisPlus), "themis_plus");
  EXPECT_STREQ(to_string(IntraDimension::kFifo), "fifo");
  EXPECT_STREQ(to_string(IntraDimension::kSmallestChunkFirst), "scf");
  EXPECT_STREQ(to_string(IntraDimension::kLeastToSendFirst), "least");
}

// Themis, Table 3: the baseline serves chunks in order of arrival, and Themis serves the smallest chunk
// first.
TEST(ChunkPolicy, OrdersChunksLikeThePaper) {
  EXPECT_EQ(usual_policy(ChunkScheduler::kBaseline), IntraDimension::kFifo);
  EXPECT_EQ(usual_policy(ChunkScheduler::kThemis), IntraDimension::kSmallestChunkFirst);
  EXPECT_EQ(usual_policy(ChunkScheduler::kThemisPlus), IntraDimension::kLeastToSendFirst);
  const ChunkPolicy usual;
  EXPECT_EQ(usual.scheduler, ChunkScheduler::kBaseline);
  EXPECT_FALSE(usual.intra_dimension.has_value());
  EXPECT_TRUE(usual.methods.empty());
}

}  // namespace
}  // namespace coppice::schedule

#include "ni/dma_engine.h"

#include <gmock/gmock.h>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;

TEST(DmaEngine, ReadsTheDataAsItIsAndSaysWhenItComes) {
  ValueMemory memory({1, 2, 3, 4});
  const DmaEngine dma(5);
  const DmaEngine::Read read = dma.request(memory, 4, 8, 100);
  memory.store(4, 8, {{7, 8}, {}});
  EXPECT_EQ(read.ready, 105);
  EXPECT_THAT(read.payload.values, ElementsAre(2, 3));
}

}  // namespace
}  // namespace coppice::ni

#include "ni/memory/dma_engine.h"

#include <gmock/gmock.h>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;

TEST(DmaEngine, ReadsTheCurrentDataAndReportsWhenItArrives) {
  ValueMemory memory({1, 2, 3, 4});
  const DmaEngine dma(5);
  Payload data{.values = {9, 9, 9}, .contributions = {}};  // as if left over from another message
  const Cycles ready = dma.request(memory, 4, 8, data, 100);
  memory.store(4, 8, {{7, 8}, {}});
  EXPECT_EQ(ready, 105);
  EXPECT_THAT(data.values, ElementsAre(2, 3));
}

}  // namespace
}  // namespace coppice::ni

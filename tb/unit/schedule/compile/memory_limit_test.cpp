#include "schedule/compile/memory_limit.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::schedule {
namespace {

TEST(MemoryLimit, RejectsWhatDoesNotFit) {
  const std::int64_t messages = 33'546'240;  // as for MultiTree on 4,096 accelerators
  EXPECT_GT(memory_for(messages), Bytes{4} << 30);
  EXPECT_NO_THROW(require_memory("multitree", messages, memory_for(messages)));
  EXPECT_THAT(
      [&] { require_memory("multitree", messages, memory_for(messages) - 1); },
      testing::ThrowsMessage<UnsupportedError>(testing::AllOf(
          testing::HasSubstr("33546240 messages of multitree"), testing::HasSubstr("multitree_optimal"))));
}

TEST(MemoryLimit, CountsATreeOfEveryAccelerator) {
  CompileRequest request;
  EXPECT_NO_THROW(require_memory_for_trees("direct", 64, request));
  EXPECT_THROW(require_memory_for_trees("direct", 1 << 20, request), UnsupportedError);
  EXPECT_NO_THROW(require_memory_for_trees("multitree_optimal", 512, request));
  request.chunks = 1 << 20;
  EXPECT_THROW(require_memory_for_trees("multitree_optimal", 512, request), UnsupportedError);
}

TEST(MemoryLimit, IsThatOfTheMachine) {
  EXPECT_GT(machine_memory(), Bytes{64} << 20);
}

}  // namespace
}  // namespace coppice::schedule

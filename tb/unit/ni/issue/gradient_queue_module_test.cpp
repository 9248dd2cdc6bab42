#include "ni/issue/gradient_queue_module.h"

#include <gmock/gmock.h>

namespace coppice::ni {
namespace {

using ::testing::ElementsAre;

// Three chunks that become final in an order other than their flow order. For each chunk, accelerator 0
// receives one message and accelerator 1 two.
schedule::FinalChunks three_chunks() {
  return {.flows = 3, .chunk_of = {1, 0, 2}, .ends = {4, 8, 12}, .messages = {1, 1, 1, 2, 2, 2}};
}

class GradientQueueModuleTest : public ::testing::Test {
 protected:
  GradientQueueModuleTest() {
    completed.bind(queue.arrived);
    queue.on_release = [this](Cycles now) {
      while (queue.released()) {
        released.emplace_back(queue.layer(), now);
        queue.take();
      }
    };
  }

  void arrive(std::int32_t flow, Cycles cycle, ContextId context = 7) {
    schedule::TableEntry entry;
    entry.flow = flow;
    MessageRecord record;
    record.entry = &entry;
    record.context = context;
    record.completed = cycle;
    completed.write(record);
  }

  schedule::FinalChunks chunks = three_chunks();
  // Three layers, which contain one chunk, no chunk and two chunks.
  GradientQueueModule queue{"queue", 7, chunks, 1, {1, 1, 3}};
  tlm::tlm_analysis_port<MessageRecord> completed{"completed"};
  std::vector<std::pair<std::size_t, Cycles>> released;
};

TEST_F(GradientQueueModuleTest, ReleasesLayersWithTheLastMessageOfTheirChunks) {
  arrive(1, 1);
  EXPECT_FALSE(queue.released());
  arrive(1, 2);
  arrive(0, 3);
  arrive(2, 4);
  arrive(0, 5);
  arrive(2, 9);
  EXPECT_THAT(released, ElementsAre(std::pair{0U, 2}, std::pair{1U, 2}, std::pair{2U, 9}));
}

TEST_F(GradientQueueModuleTest, CountsEarlyChunksOnceTheMissingOnesHaveArrived) {
  for (const std::int32_t flow : {2, 2, 0, 0, 1}) arrive(flow, 5);
  EXPECT_TRUE(released.empty());
  arrive(1, 6);
  EXPECT_THAT(released, ElementsAre(std::pair{0U, 6}, std::pair{1U, 6}, std::pair{2U, 6}));
}

TEST_F(GradientQueueModuleTest, IgnoresOtherCollectives) {
  for (const std::int32_t flow : {0, 0, 1, 1, 2, 2}) arrive(flow, 5, 8);
  EXPECT_TRUE(released.empty());
}

}  // namespace
}  // namespace coppice::ni

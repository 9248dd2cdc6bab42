#include "schedule/hierarchical/turn_order.h"

#include <gmock/gmock.h>

namespace coppice::schedule {
namespace {

using testing::ElementsAre;

// A step with one message.
PipelineStep step(int port, Femtoseconds serialization, Femtoseconds latency, bool starts = true,
                  Bytes rank = 0) {
  return {.messages = {{port, serialization}}, .latency = latency, .starts_operation = starts, .rank = rank};
}

// The "chunk.step" of each turn, in order.
std::vector<std::string> names(const std::vector<PipelineTurn>& turns) {
  std::vector<std::string> names;
  for (const PipelineTurn& turn : turns) {
    names.push_back(std::to_string(turn.chunk) + "." + std::to_string(turn.step));
  }
  return names;
}

TEST(ChunkPipeline, KeepsTheOrderOfEquallyUrgentChunks) {
  const std::vector<std::vector<PipelineStep>> chunks(3, {step(0, 10, 0), step(1, 10, 0)});
  const auto turns = order_turns(chunks, 2);
  EXPECT_THAT(names(turns[0]), ElementsAre("0.0", "1.0", "2.0"));
  EXPECT_THAT(names(turns[1]), ElementsAre("0.1", "1.1", "2.1"));
}

TEST(ChunkPipeline, FillsTheLatencyOfAStepWithOtherChunks) {
  // An operation of two steps, with enough latency between them for a step of another chunk.
  const std::vector<std::vector<PipelineStep>> chunks(2, {step(0, 10, 5), step(0, 10, 5, false)});
  EXPECT_THAT(names(order_turns(chunks, 1)[0]), ElementsAre("0.0", "1.0", "0.1", "1.1"));
}

TEST(ChunkPipeline, ContinuesAnEarlierOperationBeforeALaterOneBegins) {
  // Without latency, chunk 0's second step is ready before any step of chunk 1 can start.
  const std::vector<std::vector<PipelineStep>> chunks(2, {step(0, 10, 0), step(0, 10, 0, false)});
  EXPECT_THAT(names(order_turns(chunks, 1)[0]), ElementsAre("0.0", "0.1", "1.0", "1.1"));
}

TEST(ChunkPipeline, ServesChunksInTheOrderOfArrival) {
  // Chunk 1 becomes ready for port 0 before chunk 0.
  const std::vector<std::vector<PipelineStep>> chunks{
      {step(1, 30, 0), step(0, 10, 0)}, {step(2, 20, 0), step(0, 10, 0)}, {step(0, 50, 0)}};
  EXPECT_THAT(names(order_turns(chunks, 3)[0]), ElementsAre("2.0", "1.1", "0.1"));
}

TEST(ChunkPipeline, ServesALowerRankBeforeEarlierArrivals) {
  const std::vector<std::vector<PipelineStep>> chunks{{step(1, 30, 0), step(0, 10, 0, true, 1)},
                                                      {step(2, 20, 0), step(0, 10, 0, true, 4)},
                                                      {step(0, 50, 0, true, 9)}};
  EXPECT_THAT(names(order_turns(chunks, 3)[0]), ElementsAre("2.0", "0.1", "1.1"));
}

TEST(ChunkPipeline, WaitsForAllMessagesOfAStep) {
  const std::vector<std::vector<PipelineStep>> chunks{
      {{.messages = {{0, 10}, {1, 40}}, .latency = 0, .starts_operation = true}, step(0, 10, 0)},
      {step(1, 5, 0), step(0, 10, 0)}};
  const auto turns = order_turns(chunks, 2);
  EXPECT_THAT(names(turns[1]), ElementsAre("0.0", "1.0"));
  EXPECT_THAT(names(turns[0]), ElementsAre("0.0", "0.1", "1.1"));
}

TEST(ChunkPipeline, ServesEveryMessageOnce) {
  const std::vector<std::vector<PipelineStep>> chunks(5, {step(0, 7, 3), step(1, 5, 1), step(0, 7, 3)});
  const auto turns = order_turns(chunks, 2);
  EXPECT_EQ(turns[0].size(), 10U);
  EXPECT_EQ(turns[1].size(), 5U);
}

}  // namespace
}  // namespace coppice::schedule

#include "workload/pipeline_schedule.h"

#include <map>
#include <stdexcept>

#include <gmock/gmock.h>

namespace coppice::workload {
namespace {

std::string text(const std::vector<PipelineUnit>& units) {
  std::string result;
  for (const PipelineUnit& unit : units) {
    result += unit.forward ? 'F' : 'B';
    result += std::to_string(unit.chunk);
    result += std::to_string(unit.micro_batch);
    result += ' ';
  }
  return result;
}

TEST(PipelineSchedule, RunsAllForwardPassesFirst) {
  EXPECT_EQ(text(pipeline_order(PipelineSchedule::kGpipe, 4, 1, 1, 3)), "F00 F01 F02 B02 B01 B00 ");
}

// The expected order is that of Fig. 4 in Narayanan et al. 2021.
TEST(PipelineSchedule, AlternatesAsSoonAsItCan) {
  using enum PipelineSchedule;
  EXPECT_EQ(text(pipeline_order(kOneForwardOneBackward, 4, 3, 1, 3)), "F00 B00 F01 B01 F02 B02 ");
  EXPECT_EQ(text(pipeline_order(kOneForwardOneBackward, 4, 2, 1, 3)), "F00 F01 B00 F02 B01 B02 ");
  EXPECT_EQ(text(pipeline_order(kOneForwardOneBackward, 4, 0, 1, 2)), "F00 F01 B00 B01 ");
}

// The lower half of Fig. 4 shows 4 ranks with 2 chunks each and 8 micro-batches.
TEST(PipelineSchedule, InterleavesChunks) {
  EXPECT_EQ(text(pipeline_order(PipelineSchedule::kInterleaved, 4, 3, 2, 8)),
            "F00 F01 F02 F03 F10 B10 F11 B11 F12 B12 F13 B13 F04 B00 F05 B01 F06 B02 F07 B03 "
            "F14 B14 F15 B15 F16 B16 F17 B17 B04 B05 B06 B07 ");
}

TEST(PipelineSchedule, HasEveryPassOnceAndForwardPassesFirst) {
  for (const auto schedule :
       {PipelineSchedule::kGpipe, PipelineSchedule::kOneForwardOneBackward, PipelineSchedule::kInterleaved}) {
    const int chunks = schedule == PipelineSchedule::kInterleaved ? 3 : 1;
    for (int rank = 0; rank < 4; ++rank) {
      std::map<std::pair<int, int>, int> seen;
      for (const PipelineUnit& unit : pipeline_order(schedule, 4, rank, chunks, 8)) {
        int& passes = seen[{unit.chunk, unit.micro_batch}];
        EXPECT_EQ(passes, unit.forward ? 0 : 1);
        ++passes;
      }
      EXPECT_EQ(seen.size(), 8U * chunks);
      for (const auto& [pass, times] : seen) EXPECT_EQ(times, 2);
    }
  }
}

TEST(PipelineSchedule, RejectsWhatItCannotOrder) {
  EXPECT_THROW(pipeline_order(PipelineSchedule::kInterleaved, 4, 0, 2, 6), std::invalid_argument);
  EXPECT_THROW(pipeline_order(PipelineSchedule::kGpipe, 4, 0, 2, 8), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::workload

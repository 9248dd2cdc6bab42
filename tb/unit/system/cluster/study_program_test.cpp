#include "system/cluster/study_program.h"

#include <gmock/gmock.h>

namespace coppice::system {
namespace {

using ::testing::ElementsAre;

std::vector<PlannedJob> two_jobs() {
  PlannedJob first;
  first.name = "first";
  first.copy = 2;
  first.replicas = 3;
  first.gradient = 120;
  first.compute = 5;
  first.rings = {{4, 0, 2}, {5, 1, 3}};
  PlannedJob second;
  second.name = "second";
  second.replicas = 2;
  second.gradient = 8;
  second.arrival = 7;
  second.rings = {{9, 8}};
  return {first, second};
}

TEST(StudyProgram, ComputesAndReducesRingByRing) {
  const workload::Program program = study_program(two_jobs(), 2);
  workload::check_program(program);
  EXPECT_THAT(program.placement, ElementsAre(4, 0, 2, 5, 1, 3, 9, 8));
  ASSERT_EQ(program.groups.size(), 3U);
  EXPECT_THAT(program.groups[1].ranks, ElementsAre(3, 4, 5));
  // The first job has two rings and the second job has one; each ring runs two iterations.
  ASSERT_EQ(program.collectives.size(), 6U);
  EXPECT_EQ(program.collectives[3].group, 1);
  EXPECT_EQ(program.collectives[3].bytes, 120);
  EXPECT_EQ(program.collectives[5].group, 2);
  EXPECT_EQ(program.collectives[5].bytes, 8);
  const auto& operations = program.ranks[4].operations;
  ASSERT_EQ(operations.size(), 4U);
  EXPECT_EQ(std::get<workload::Compute>(operations[2].work).duration, 5);
  EXPECT_THAT(operations[2].after, ElementsAre(1));
  EXPECT_EQ(std::get<workload::JoinCollective>(operations[3].work).collective, 3);
  EXPECT_THAT(operations[3].after, ElementsAre(2));
  EXPECT_EQ(operations[3].iteration, 1);
}

TEST(StudyProgram, HasTheJobsOneAfterAnother) {
  const std::vector<Job> jobs = study_jobs(two_jobs());
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].ranks, 6);
  EXPECT_EQ(jobs[1].first_rank, 6);
  EXPECT_EQ(jobs[1].ranks, 2);
  EXPECT_EQ(jobs[1].arrival, 7);
}

}  // namespace
}  // namespace coppice::system

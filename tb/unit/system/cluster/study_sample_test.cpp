#include "system/cluster/study_sample.h"

#include <vector>

#include <gtest/gtest.h>

#include "topology/networks/clos.h"

namespace coppice::system {
namespace {

// A plan with two jobs, each of which has one copy and four replicas.
ClusterPlan plan() {
  const std::vector<topology::LinkSpec> links(2, {{12'500'000'000}, 0});
  ClusterPlan plan{
      .topology = topology::make_clos(std::vector{2, 1, 4}, links), .failed_spines = {}, .jobs = {}};
  for (int j = 0; j < 2; ++j) {
    PlannedJob job;
    job.replicas = 4;
    job.gradient = 4'000'000;
    job.message = 1'000'000;
    job.arrival = 1000;
    job.compute = 2000;
    plan.jobs.push_back(job);
  }
  return plan;
}

TEST(StudySample, StartsAllJobsAtOnce) {
  const StudySample sample = sample_of(plan(), 64, 1e12);
  EXPECT_EQ(sample.scale, 1);
  for (const PlannedJob& job : sample.plan.jobs) {
    EXPECT_EQ(job.arrival, 0);
    EXPECT_EQ(job.compute, 0);
    EXPECT_EQ(job.gradient, 4'000'000);
  }
}

// Each job sends 4 * 6 messages of 15,626 flits, and each message crosses 4 channels.
TEST(StudySample, ScalesBytesToTheFlitHops) {
  const StudySample sample = sample_of(plan(), 64, 2 * 4 * 24 * 15626 / 10);
  EXPECT_NEAR(sample.scale, 0.1, 1e-3);
  EXPECT_NEAR(static_cast<double>(sample.plan.jobs[0].gradient), 400'000, 1000);
}

TEST(StudySample, KeepsAFlitPerMessage) {
  const StudySample sample = sample_of(plan(), 64, 1);
  EXPECT_EQ(sample.plan.jobs[0].gradient, 4 * 64);
  EXPECT_EQ(sample.plan.jobs[0].message, 64);
}

}  // namespace
}  // namespace coppice::system

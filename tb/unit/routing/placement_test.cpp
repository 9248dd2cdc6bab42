#include "routing/placement.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace coppice::routing {
namespace {

const ClusterShape kPaper{.per_tor = 32, .tors = 64, .host = 8};

RC_GTEST_PROP(PlaceJobs, AssignsEveryHostToOneJob, ()) {
  const auto placement =
      *rc::gen::element(Placement::kRandomHosts, Placement::kRandomTors, Placement::kBestFit);
  std::vector<JobShape> jobs;
  for (int i = 0; i < *rc::gen::inRange(1, 6); ++i) {
    jobs.push_back({*rc::gen::element(48, 64, 128, 12), *rc::gen::element(2, 4, 8)});
  }
  const auto places = place_jobs(kPaper, jobs, placement, *rc::gen::inRange<std::uint64_t>(0, 100));
  std::set<topology::NodeId> taken;
  std::map<int, std::size_t> job_of_host;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (places[j].empty()) continue;
    RC_ASSERT(places[j].size() == static_cast<std::size_t>(jobs[j].replicas));
    for (const auto& copy : places[j]) {
      RC_ASSERT(copy.size() == static_cast<std::size_t>(jobs[j].copy));
      for (const auto node : copy) {
        RC_ASSERT(node >= 0 && node < 2048);
        RC_ASSERT(taken.insert(node).second);
        RC_ASSERT(job_of_host.try_emplace(node / 8, j).first->second == j);
      }
    }
  }
}

TEST(PlaceJobs, OmitsJobsThatDoNotFit) {
  const auto places = place_jobs(kPaper, {{128, 8}, {128, 8}, {48, 2}}, Placement::kRandomHosts, 1);
  EXPECT_EQ(places[1].size(), 8U);
  EXPECT_TRUE(places[2].empty());
}

// A copy of 48 accelerators uses all free accelerators of one ToR before it continues in the next. With 32
// accelerators per ToR, it therefore spans at most three ToRs.
TEST(PlaceJobs, RandomTorsUsesAllFreeTors) {
  const auto places = place_jobs(kPaper, {{48, 4}}, Placement::kRandomTors, 3);
  for (const auto& copy : places[0]) {
    std::map<int, int> on_tor;
    for (const auto node : copy) ++on_tor[node / 32];
    EXPECT_LE(on_tor.size(), 3U);
  }
}

// Copies that need half a ToR each fill one ToR before the next.
TEST(PlaceJobs, BestFitFirstFillsPartlyUsedTors) {
  const auto places = place_jobs(kPaper, {{16, 2}, {16, 2}}, Placement::kBestFit, 1);
  EXPECT_EQ(places[0][0].front() / 32, places[0][1].front() / 32);
  EXPECT_EQ(places[1][0].front() / 32, places[1][1].front() / 32);
}

}  // namespace
}  // namespace coppice::routing

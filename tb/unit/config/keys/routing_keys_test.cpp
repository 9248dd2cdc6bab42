#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "config/loader.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Config load_with(const std::vector<std::string>& overrides) {
  std::vector<std::string> all{"system.topology.kind=clos", "system.topology.dims=[32, 64, 32]",
                               "routing.jobs=[{model: bloom, data_parallel: 4}]"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  const ScratchFile file("seed: 1\n");
  return load(file.path(), all, Purpose::kRoute).config;
}

TEST(RoutingKeys, ReadJobsWithTheirOwnKeys) {
  const Config config =
      load_with({"routing.jobs=[{model: gpt3, arrival: 2 s}, {copy: 8, gradient: 1 MiB, compute: 3 us, "
                 "data_parallel: 4}]"});
  ASSERT_EQ(config.routing.jobs.size(), 2U);
  EXPECT_EQ(config.routing.jobs[0].data_parallel, 2);
  EXPECT_EQ(config.routing.jobs[0].arrival, 2 * kFemtosecondsPerSecond);
  EXPECT_EQ(config.routing.jobs[1].copy, 8);
  EXPECT_EQ(config.routing.jobs[1].gradient, 1 << 20);
}

TEST(RoutingKeys, AreWrittenAsTheyWouldBeRead) {
  const Config config = load_with({"routing.failures=[{spine: 3, at: 5 s}]", "routing.method=optimal",
                                   "system.topology.failed_links=[[0, 3]]", "routing.placement=best_fit"});
  const auto json = to_json(config);
  EXPECT_EQ(json["routing"]["jobs"][0]["model"], "bloom");
  const ScratchFile again(json.dump());
  EXPECT_EQ(load(again.path(), {}, Purpose::kRoute).config, config);
}

TEST(RoutingKeys, AreSilentWithoutJobs) {
  EXPECT_FALSE(to_json(Config{}).contains("routing"));
}

struct Refused {
  const char* override_text;
  const char* because;
};

class RoutingKeysRefuse : public ::testing::TestWithParam<Refused> {};

TEST_P(RoutingKeysRefuse, WithTheLocationAndValidValues) {
  EXPECT_THAT([] { load_with({GetParam().override_text}); },
              ThrowsMessage<ConfigError>(HasSubstr(GetParam().because)));
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, RoutingKeysRefuse,
    ::testing::Values(Refused{"routing.jobs=[{model: blom}]", "did you mean 'bloom'?"},
                      Refused{"routing.jobs=[{modle: bloom}]", "did you mean 'routing.jobs[0].model'?"},
                      Refused{"routing.jobs=[{copy: 8}]", "routing.jobs[0].model is missing"},
                      Refused{"routing.jobs=[]", "routing.jobs must be a list of jobs"},
                      Refused{"routing.jobs=[bloom]", "routing.jobs[0] must be a job"},
                      Refused{"routing.jobs=[{model: bloom, data_parallel: 1}]", "from 2 to 1024"},
                      Refused{"routing.method=gredy", "did you mean 'greedy'?"},
                      Refused{"routing.utilization=0", "from 0.001 to 1"},
                      Refused{"system.link.bandwidth=0 Gb/s", "system.link.bandwidth must be from"},
                      Refused{"routing.failures=[{spine: -1, at: 1 s}]", "routing.failures[0].spine must be"},
                      Refused{"system.topology.failed_links=[[1]]", "[ToR, spine]"}));

}  // namespace
}  // namespace coppice::config

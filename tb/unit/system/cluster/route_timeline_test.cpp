#include "system/cluster/route_timeline.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "machine.h"
#include "support/perfetto_reader.h"
#include "topology/networks/kinds.h"

namespace coppice::system {
namespace {

constexpr Femtoseconds kMillisecond = 1'000'000'000'000;

TEST(RouteTimeline, ListsEventsInTheOrderOfTime) {
  RouteTimeline timeline(nullptr, {"first", "second"});
  timeline.note(3 * kMillisecond, "departure", 1);
  timeline.note(kMillisecond, "arrival", 0, {{"accelerators", 4}});
  timeline.note(2 * kMillisecond, "spine_fails", std::nullopt);
  const auto json = timeline.to_json();
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["event"], "arrival");
  EXPECT_EQ(json[0]["accelerators"], 4);
  EXPECT_DOUBLE_EQ(json[1]["time_s"], 0.002);
  EXPECT_FALSE(json[1].contains("job"));
  EXPECT_EQ(json[2]["job"], 1);
}

// Events at the same time are listed in the order in which they were recorded.
TEST(RouteTimeline, KeepsEventsOfOneTimeInTheirOrder) {
  RouteTimeline timeline(nullptr, {"job"});
  for (const char* event : {"request", "answer", "all_reduce_starts"}) timeline.note(5, event, 0);
  std::vector<std::string> names;
  for (const auto& entry : timeline.to_json()) names.push_back(entry["event"]);
  EXPECT_THAT(names, ::testing::ElementsAre("request", "answer", "all_reduce_starts"));
}

// A job computes from its arrival on, except during its all-reduces.
TEST(RouteTimeline, TracesThePhasesOfJobs) {
  const config::Loaded loaded = load_system("routing/cross_check", {}, config::Purpose::kRoute);
  const topology::Topology topology =
      topology::make_clos(std::vector{1, 1, 1}, std::vector{topology::LinkSpec{{16'000'000'000}, 0}});
  const TemporaryDirectory directory;
  {
    TraceWriter trace(directory.file("t"), topology, loaded.config.system, 1);
    RouteTimeline timeline(&trace, {"bloom"});
    constexpr Femtoseconds kMicrosecond = kMillisecond / 1000;
    timeline.note(kMicrosecond, "arrival", 0);
    timeline.note(3 * kMicrosecond, "all_reduce_starts", 0);
    timeline.note(4 * kMicrosecond, "spine_fails", std::nullopt, {{"spine", 2}});
    timeline.note(6 * kMicrosecond, "all_reduce_ends", 0);
    timeline.note(7 * kMicrosecond, "departure", 0);
    trace.finish();
  }
  const auto tracks = testing::PerfettoReader::read(read_text(directory.file("t")));
  std::string phases;
  for (const testing::TraceSlice& slice : tracks.at("job 0 (bloom)").slices)
    phases += fmt::format("{} {} {}; ", slice.name, slice.begin / 1000, (slice.end - slice.begin) / 1000);
  EXPECT_EQ(phases, "compute 1 2; all-reduce 1 3 3; compute 6 1; ");
  bool has_failure = false;
  for (const testing::TraceSlice& event : tracks.at("controller").slices)
    has_failure = has_failure || (event.name == "spine_fails" && event.arguments.at("spine") == "2");
  EXPECT_TRUE(has_failure);
}

}  // namespace
}  // namespace coppice::system

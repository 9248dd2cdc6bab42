#include "system/output/trace_writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "machine.h"

namespace coppice::system {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

struct Slice {
  std::string name;
  double begin;  // ns
  double end;
};

struct Trace {
  std::map<std::pair<int, int>, std::string> tracks;         // (process, track) -> name
  std::map<std::pair<int, int>, std::vector<Slice>> slices;  // ascending
};

Trace read_trace(const std::string& path) {
  Trace trace;
  for (const json& event : json::parse(read_text(path))) {
    const std::pair<int, int> track{event["pid"], event["tid"]};
    if (event["ph"] == "M") {
      if (event["name"] == "thread_name") trace.tracks[track] = event["args"]["name"];
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    const double begin = event["ts"].get<double>() * 1e3;
    trace.slices[track].push_back({event["name"], begin, begin + event["dur"].get<double>() * 1e3});
  }
  for (auto& [track, slices] : trace.slices) {
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
  }
  return trace;
}

class TraceWriterTest : public ::testing::TestWithParam<const char*> {};

// A track per port and channel, with intervals that do not overlap and end before the end of the run.
TEST_P(TraceWriterTest, WritesIntervalsThatDoNotOverlap) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace.json");
  const auto result = run("torus_4x4",
                          {"collective.size=64 KiB", std::string("fidelity=") + GetParam(),
                           "system.link.latency=[150 ns, 40 ns]"},
                          options);
  EXPECT_THAT(directory.names(), ElementsAre("trace.json"));
  const Trace trace = read_trace(options.trace_path);
  EXPECT_EQ(trace.tracks.size(), 16U * 4 + 64);
  EXPECT_EQ(trace.tracks.at({1, 7}), "NI 1 port 3");
  EXPECT_EQ(trace.tracks.at({2, 0}), "channel 0->1");
  double last = 0;
  for (const auto& [track, slices] : trace.slices) {
    ASSERT_TRUE(trace.tracks.contains(track));
    double end = 0;
    for (const Slice& slice : slices) {
      EXPECT_GE(slice.begin, end - 1e-6) << trace.tracks.at(track) << ": " << slice.name;
      EXPECT_GT(slice.end, slice.begin);
      end = slice.end;
    }
    last = std::max(last, end);
  }
  EXPECT_LE(last, result["time_ns"].get<double>());
  EXPECT_GT(last, 0.9 * result["time_ns"].get<double>());
}

// One slice per message: as many as the schedule has, as long as their flits take.
TEST_P(TraceWriterTest, ShowsEveryTableEntry) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace.json");
  run("torus_4x4", {"collective.size=64 KiB", std::string("fidelity=") + GetParam()}, options);
  int messages = 0;
  double channels_busy = 0;
  const Trace trace = read_trace(options.trace_path);
  for (const auto& [track, slices] : trace.slices) {
    for (const Slice& slice : slices) {
      if (track.first == 2) channels_busy += slice.end - slice.begin;
      if (slice.name.starts_with("reduce flow") || slice.name.starts_with("gather flow")) {
        ++messages;
        EXPECT_NEAR(slice.end - slice.begin, 272, 1e-6);  // 4 KiB: 16 packets of 17 flits, a cycle each
      }
    }
  }
  EXPECT_EQ(messages, 16 * 15 * 2);
  EXPECT_NEAR(channels_busy, 16 * 15 * 2 * 272, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Fidelities, TraceWriterTest, ::testing::Values("flit", "train"),
                         [](const auto& fidelity) { return std::string(fidelity.param); });

// A channel of half the rate is busy for two cycles a flit.
TEST(TraceWriter, KeepsSlowChannelsBusyForTheirFlitTime) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace.json");
  const auto result =
      run("torus_4x4", {"collective.size=64 KiB", "fidelity=flit", "system.link.bandwidth=4 GB/s"}, options);
  double busy = 0;
  const Trace trace = read_trace(options.trace_path);
  for (const auto& [track, slices] : trace.slices) {
    if (track.first != 2) continue;
    for (const Slice& slice : slices) busy += slice.end - slice.begin;
  }
  const double utilization = busy / 64 / result["time_ns"].get<double>();
  EXPECT_NEAR(utilization, result["link_utilization"]["mean"].get<double>(), 1e-3);
}

TEST(TraceWriter, LeavesNothingOfARunThatFailed) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace.json");
  EXPECT_THROW(run("torus_4x4", {"max_cycles=1000"}, options), ModelError);
  EXPECT_THAT(directory.names(), IsEmpty());
}

TEST(TraceWriter, SaysThatItCannotBeWritten) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("no/trace.json");
  EXPECT_THAT([&] { run("torus_4x4", {}, options); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("--trace"), HasSubstr("no/trace.json"))));
}

// A device or a pipe is written to, not replaced.
TEST(TraceWriter, DoesNotReplaceADevice) {
  const TemporaryDirectory directory;
  const std::string link = directory.file("null");
  std::filesystem::create_symlink("/dev/null", link);
  RunOptions options;
  options.trace_path = link;
  run("torus_4x4", {"collective.size=4 KiB"}, options);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace coppice::system

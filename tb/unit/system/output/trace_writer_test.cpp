#include "system/output/trace_writer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "machine.h"
#include "support/perfetto_reader.h"

namespace coppice::system {
namespace {

using ::coppice::testing::PerfettoReader;
using ::coppice::testing::Trace;
using ::coppice::testing::TraceSlice;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

struct Traced {
  nlohmann::ordered_json result;
  Trace trace;
};

Traced run_traced(const std::string& name, const std::vector<std::string>& overrides) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace");
  auto result = run(name, overrides, options);
  EXPECT_THAT(directory.names(), ElementsAre("trace"));
  return {std::move(result), PerfettoReader::read(read_text(options.trace_path))};
}

bool is_message(const TraceSlice& slice) {
  return slice.name.starts_with("reduce flow") || slice.name.starts_with("gather flow");
}

class TraceWriterTest : public ::testing::TestWithParam<const char*> {};

// Each port has one track. Its slices do not overlap and do not extend beyond the end of the run.
TEST_P(TraceWriterTest, WritesSlicesThatDoNotOverlap) {
  const auto [result, trace] =
      run_traced("torus_4x4", {"collective.size=64 KiB", std::string("fidelity=") + GetParam(),
                               "system.link.latency=[150 ns, 40 ns]"});
  std::uint64_t last = 0;
  int ports = 0;
  for (const auto& [name, track] : trace) {
    if (track.group != "network interfaces" || name.find("port") == std::string::npos) continue;
    ++ports;
    std::uint64_t end = 0;
    for (const TraceSlice& slice : track.slices) {
      EXPECT_EQ(slice.depth, 0) << name << ": " << slice.name;
      EXPECT_GE(slice.begin, end) << name << ": " << slice.name;
      EXPECT_GT(slice.end, slice.begin);
      end = slice.end;
    }
    last = std::max(last, end);
  }
  EXPECT_EQ(ports, 16 * 4);
  EXPECT_EQ(trace.count("NI 1 port 3"), 1U);
  EXPECT_LE(last, result["time_ns"].get<std::uint64_t>());
  EXPECT_GT(static_cast<double>(last), 0.9 * result["time_ns"].get<double>());
}

// Each scheduled message has one slice, which lasts as long as its flits. Channel utilization adds up to the
// same total time.
TEST_P(TraceWriterTest, ShowsEveryTableEntry) {
  const auto [result, trace] =
      run_traced("torus_4x4", {"collective.size=64 KiB", std::string("fidelity=") + GetParam()});
  int messages = 0;
  int channels = 0;
  double in_use = 0;
  for (const auto& [name, track] : trace) {
    if (track.unit == "%") {
      ++channels;
      EXPECT_EQ(track.values.back().second, 0) << name;
      in_use += track.integral() / 100;
    }
    if (name.find("port") == std::string::npos) continue;
    for (const TraceSlice& slice : track.slices) {
      if (!is_message(slice)) continue;
      ++messages;
      EXPECT_EQ(slice.end - slice.begin, 272U);  // 4 KiB are 16 packets of 17 flits, at one flit per cycle
      EXPECT_EQ(slice.arguments.at("flits"), "272");
    }
  }
  EXPECT_EQ(messages, 16 * 15 * 2);
  EXPECT_EQ(channels, 64);
  EXPECT_EQ(trace.count("channel 0->1"), 1U);
  EXPECT_NEAR(in_use, 16 * 15 * 2 * 272, 1e-3);
}

// An arrow connects every message with its arrival. The arrival has the same name and is on the track of the
// interface that the message's arguments name.
TEST_P(TraceWriterTest, DrawsAnArrowFromEverySenderToItsReceiver) {
  const auto [result, trace] =
      run_traced("torus_4x4", {"collective.size=64 KiB", std::string("fidelity=") + GetParam()});
  std::map<std::uint64_t, std::pair<std::string, const TraceSlice*>> sent;
  for (const auto& [name, track] : trace) {
    for (const TraceSlice& slice : track.slices) {
      if (slice.arrow_from != 0) {
        EXPECT_TRUE(sent.emplace(slice.arrow_from, std::pair(name, &slice)).second);
      }
    }
  }
  EXPECT_EQ(sent.size(), 16U * 15 * 2);
  std::size_t arrived = 0;
  for (const auto& [name, track] : trace) {
    for (const TraceSlice& slice : track.slices) {
      if (slice.arrow_to == 0) continue;
      ++arrived;
      const auto& [port, message] = sent.at(slice.arrow_to);
      EXPECT_EQ(name, "NI " + message->arguments.at("to") + " receives");
      EXPECT_THAT(port, StartsWith("NI " + slice.arguments.at("from") + " port "));
      EXPECT_EQ(slice.name, message->name);
      EXPECT_GT(slice.begin, message->end);
    }
  }
  EXPECT_EQ(arrived, sent.size());
}

INSTANTIATE_TEST_SUITE_P(Fidelities, TraceWriterTest, ::testing::Values("flit", "train"),
                         [](const auto& fidelity) { return std::string(fidelity.param); });

// A channel with half of the maximum bandwidth is busy for two cycles per flit.
TEST(TraceWriter, KeepsSlowChannelsBusyForTheirFlitTime) {
  const auto [result, trace] =
      run_traced("torus_4x4", {"collective.size=64 KiB", "fidelity=flit", "system.link.bandwidth=4 GB/s"});
  double busy = 0;
  for (const auto& [name, track] : trace) {
    if (track.unit == "%") busy += track.integral() / 100;
  }
  EXPECT_NEAR(busy / 64 / result["time_ns"].get<double>(), result["link_utilization"]["mean"].get<double>(),
              1e-3);
}

// Contending messages fill buffers up to their depth; at the end of the run, all buffers are empty.
TEST(TraceWriter, CountsTheFlitsInBuffers) {
  constexpr double kDepth = 8;
  const auto [result, trace] =
      run_traced("mesh_4x4", {"collective.algorithm=direct", "collective.size=64 KiB", "fidelity=flit",
                              "system.link.latency=1 ns", "system.router.vc_depth=8", "system.router.vcs=1"});
  double most = 0;
  int buffers = 0;
  for (const auto& [name, track] : trace) {
    if (track.unit != "flits") continue;
    ++buffers;
    EXPECT_THAT(name, StartsWith("buffer "));
    EXPECT_EQ(track.values.back().second, 0) << name;
    for (const auto& [at, value] : track.values) {
      EXPECT_GE(value, 0) << name;
      most = std::max(most, value);
    }
  }
  EXPECT_EQ(buffers, 48);  // one counter per channel
  EXPECT_EQ(most, kDepth);
  const auto trains = run_traced("torus_4x4", {"collective.size=64 KiB", "fidelity=train"});
  for (const auto& [name, track] : trains.trace) EXPECT_NE(track.unit, "flits") << name;
}

TEST(TraceWriter, LeavesNoFileAfterAFailedRun) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("trace");
  EXPECT_THROW(run("torus_4x4", {"max_cycles=1000"}, options), ModelError);
  EXPECT_THAT(directory.names(), IsEmpty());
}

TEST(TraceWriter, ReportsThatItCannotBeWritten) {
  const TemporaryDirectory directory;
  RunOptions options;
  options.trace_path = directory.file("no/trace");
  EXPECT_THAT([&] { run("torus_4x4", {}, options); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("--trace"), HasSubstr("no/trace"))));
}

// If the file is a device or a pipe, the trace is written to it instead of replacing it.
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

#include "system/collective/gradient_progress.h"

#include <gmock/gmock.h>

#include "machine.h"
#include "schedule/registry.h"
#include "topology/kinds.h"
#include "topology/topology.h"

namespace coppice::system {
namespace {

using schedule::TableEntry;

constexpr Femtoseconds kPeriod = kFemtosecondsPerNanosecond;

Femtoseconds ns(std::int64_t nanoseconds) {
  return nanoseconds * kFemtosecondsPerNanosecond;
}

// Three chunks of an element over a tree of two accelerators: 0, the root, gets sums, 1 gets final values.
class GradientProgressTest : public ::testing::Test {
 protected:
  GradientProgressTest() {
    const std::vector<topology::LinkSpec> links{{{1'000'000'000}, 0}};
    const topology::Topology topology = topology::make_torus(std::vector{2}, links);
    const auto routing = topology::make_routing(topology, 2);
    schedule::CompileRequest request;
    request.size = 12;
    request.ni_ports = 2;
    request.routing = routing.get();
    request.chunks = 3;
    schedule_ = schedule::make_compiler("tree")->compile(topology, request);
  }

  // The message of `flow` to `dst` is done at `cycle`.
  void complete(GradientProgress& progress, topology::NodeId dst, std::int32_t flow, Cycles cycle) const {
    for (const auto& node : schedule_.nodes) {
      for (const auto& port : node.ports) {
        for (const TableEntry& entry : port) {
          if (entry.op == schedule::Op::kNop || entry.flow != flow || entry.destination() != dst) continue;
          ni::MessageRecord record;
          record.entry = &entry;
          record.dst = dst;
          record.completed = cycle;
          progress.message_completed(record);
        }
      }
    }
  }

  schedule::Schedule schedule_;
};

TEST_F(GradientProgressTest, MeasuresTurnaroundAndOrder) {
  ASSERT_TRUE(GradientProgress::applies(schedule_));
  GradientProgress progress(schedule_, {}, {}, kPeriod);
  for (const std::int32_t flow : {0, 1, 2}) complete(progress, 0, flow, 1 + flow);
  for (const std::int32_t flow : {0, 1, 2}) complete(progress, 1, flow, 4 + flow);
  const auto json = progress.to_json();
  EXPECT_EQ(json["chunks"], 3);
  EXPECT_EQ(json["turnaround_ns"], 4.0);
  EXPECT_EQ(json["in_order"], true);
  EXPECT_FALSE(json.contains("forward"));
}

TEST_F(GradientProgressTest, SeesChunksOutOfOrder) {
  GradientProgress progress(schedule_, {}, {}, kPeriod);
  for (const std::int32_t flow : {1, 0, 2}) complete(progress, 0, flow, 9);
  EXPECT_EQ(progress.to_json()["in_order"], false);
}

// A layer of one chunk, one of two. At 0 the chunks are final at 1, 2, 3, at 1 at 4, 5, 8.
TEST_F(GradientProgressTest, RunsTheForwardPassAsGradientsBecomeFinal) {
  GradientProgress progress(schedule_, {{4, ns(1)}, {8, ns(5)}}, {}, kPeriod);
  for (const std::int32_t flow : {0, 1, 2}) complete(progress, 0, flow, 1 + flow);
  complete(progress, 1, 0, 4);
  complete(progress, 1, 1, 5);
  complete(progress, 1, 2, 8);
  const auto forward = progress.to_json()["forward"];
  // 0: 1 to 2, waits for 3, to 8. 1: 4 to 5, waits for 8, to 13.
  EXPECT_EQ(forward["accelerators"][0]["end_ns"], 8.0);
  EXPECT_EQ(forward["accelerators"][0]["stalled_ns"], 1.0);
  EXPECT_EQ(forward["accelerators"][1]["end_ns"], 13.0);
  EXPECT_EQ(forward["accelerators"][1]["stalled_ns"], 3.0);
  EXPECT_EQ(forward["end_ns"], 13.0);
  EXPECT_EQ(forward["layers"][1]["ready_ns"], 8.0);
  EXPECT_EQ(forward["layers"][1]["begin_ns"], 8.0);
}

// A busy accelerator takes the next layer when it is done; a slower one takes longer for each.
TEST_F(GradientProgressTest, ComputesOneLayerAtATime) {
  GradientProgress progress(schedule_, {{4, ns(10)}, {0, ns(2)}, {8, ns(5)}}, {1.0, 1.5}, kPeriod);
  for (const topology::NodeId node : {0, 1}) {
    for (const std::int32_t flow : {0, 1, 2}) complete(progress, node, flow, 1 + flow);
  }
  const auto forward = progress.to_json()["forward"];
  EXPECT_EQ(forward["accelerators"][0]["end_ns"], 18.0);
  EXPECT_EQ(forward["accelerators"][0]["stalled_ns"], 0.0);
  EXPECT_EQ(forward["accelerators"][1]["end_ns"], 1 + 15 + 3 + 7.5);
}

TEST_F(GradientProgressTest, FollowsFlowsThatShareNoAddress) {
  schedule::Schedule halves = schedule_;
  for (auto& node : halves.nodes) {
    for (auto& port : node.ports) {
      for (TableEntry& entry : port) entry.address = 0;
    }
  }
  EXPECT_FALSE(GradientProgress::applies(halves));
  schedule::Schedule scatter = schedule_;
  scatter.collective = schedule::Collective::kReduceScatter;
  EXPECT_FALSE(GradientProgress::applies(scatter));
}

}  // namespace
}  // namespace coppice::system

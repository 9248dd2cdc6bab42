#include "system/collective/gradient_progress.h"

#include <gmock/gmock.h>

#include "machine.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"
#include "topology/topology.h"

namespace coppice::system {
namespace {

using schedule::TableEntry;

constexpr Femtoseconds kPeriod = kFemtosecondsPerNanosecond;

// Three chunks of one element over a tree of two accelerators. Accelerator 0, the root, receives partial
// sums, and accelerator 1 receives final values.
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

  // Reports to `progress` that the message of `flow` to `dst` was completed in `cycle`.
  void complete(GradientProgress& progress, topology::NodeId dst, std::int32_t flow, Cycles cycle) const {
    for (const auto& node : schedule_.nodes) {
      for (const auto& port : node.ports) {
        for (const TableEntry& entry : port) {
          if (entry.op == schedule::Op::kNop || entry.flow != flow || entry.destination() != dst) continue;
          ni::MessageRecord record;
          record.entry = &entry;
          record.dst = dst;
          record.completed = cycle;
          progress.message_completed(dst, record);
        }
      }
    }
  }

  schedule::Schedule schedule_;
};

TEST_F(GradientProgressTest, MeasuresTurnaroundAndOrder) {
  const auto chunks = schedule::find_final_chunks(schedule_).value();
  GradientProgress progress(chunks, kPeriod);
  for (const std::int32_t flow : {0, 1, 2}) complete(progress, 0, flow, 1 + flow);
  for (const std::int32_t flow : {0, 1, 2}) complete(progress, 1, flow, 4 + flow);
  const auto json = progress.to_json();
  EXPECT_EQ(json["chunks"], 3);
  EXPECT_EQ(json["turnaround_ns"], 4.0);
  EXPECT_EQ(json["in_order"], true);
}

TEST_F(GradientProgressTest, SeesChunksOutOfOrder) {
  const auto chunks = schedule::find_final_chunks(schedule_).value();
  GradientProgress progress(chunks, kPeriod);
  for (const std::int32_t flow : {1, 0, 2}) complete(progress, 0, flow, 9);
  EXPECT_EQ(progress.to_json()["in_order"], false);
}

}  // namespace
}  // namespace coppice::system

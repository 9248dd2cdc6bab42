#include "schedule/packed_trees/expected_time.h"

#include <gtest/gtest.h>

#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

constexpr Bytes kMessage = 16'000'000;  // takes a millisecond at 16 GB/s
constexpr double kMillisecond = 1e12;   // in femtoseconds

// Tables for a row of three accelerators. Each of `senders` sends one message to the last accelerator.
Schedule to_the_last(const topology::Topology& row, const std::vector<NodeId>& senders) {
  const auto routing = topology::make_dimension_order_routing(row, 1);
  Schedule schedule;
  schedule.algorithm = "test";
  schedule.collective = topology::Collective::kAllGather;
  schedule.size = 3 * kMessage;
  schedule.flows = 3;
  schedule.steps = 1;
  schedule.nodes.resize(3);
  for (NodeTables& node : schedule.nodes) node.ports.resize(1);
  for (const NodeId sender : senders) {
    TableEntry entry;
    entry.op = Op::kGather;
    entry.flow = sender;
    entry.children = {2};
    entry.step = 1;
    entry.bytes = kMessage;
    entry.route = static_cast<std::int32_t>(schedule.routes.size());
    schedule.routes.push_back(topology::make_route(row, *routing, sender, 2, 0, 0));
    schedule.nodes[static_cast<std::size_t>(sender)].ports.front().push_back(entry);
  }
  return schedule;
}

TEST(ExpectedTime, MessagesShareAChannelWhereverTheyAreQueued) {
  const std::vector<topology::LinkSpec> links{topology::LinkSpec{{16'000'000'000}, 0}};
  const topology::Topology row = topology::make_topology(topology::Kind::kMesh, std::vector{3}, links);
  CompileRequest request;
  for (const Waiting waiting : {Waiting::kAtPorts, Waiting::kInRouters, Waiting::kInVirtualChannels}) {
    const auto milliseconds = [&](const std::vector<NodeId>& senders) {
      const Femtoseconds time = expected_time(row, request, to_the_last(row, senders),
                                              std::numeric_limits<Femtoseconds>::max(), waiting);
      return static_cast<double>(time) / kMillisecond;
    };
    EXPECT_NEAR(milliseconds({0}), 1, 0.01);
    EXPECT_NEAR(milliseconds({1}), 1, 0.01);
    EXPECT_NEAR(milliseconds({0, 1}), 2, 0.01);
  }
}

}  // namespace
}  // namespace coppice::schedule

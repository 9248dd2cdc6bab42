#include "schedule/compile/table_builder.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

const std::vector<Chunk> one_chunk{{0, 64}};

Schedule build(const Machine& machine, const std::vector<Chunk>& chunks, const std::vector<Send>& sends) {
  return build_schedule(machine.topology, machine.request(Collective::kAllReduce, 64), "test", chunks, sends);
}

TableEntry entry_of(const Schedule& schedule, NodeId node, Op op) {
  TableEntry found;
  for_each_entry(schedule, [&](NodeId at, const TableEntry& entry) {
    if (at == node && entry.op == op) found = entry;
  });
  return found;
}

// The messages of an all-reduce on a line 0 - 1 - 2: nodes 0 and 2 reduce into node 1, which gathers the sum
// back to both.
std::vector<Send> line_sends() {
  return {{.op = Op::kGather, .src = 1, .dst = 0, .step = 4},
          {.op = Op::kReduce, .src = 0, .dst = 1, .step = 1},
          {.op = Op::kReduce, .src = 2, .dst = 1, .step = 2},
          {.op = Op::kGather, .src = 1, .dst = 2, .step = 3}};
}

TEST(Builder, CountsArrivalsOfEarlierSteps) {
  const Schedule schedule = build(mesh({3}), one_chunk, line_sends());
  EXPECT_EQ(schedule.steps, 4);
  EXPECT_EQ(entry_of(schedule, 0, Op::kReduce).dependencies, 0);
  EXPECT_EQ(entry_of(schedule, 1, Op::kGather).dependencies, 2);
}

TEST(Builder, RecordsParentsAndChildren) {
  auto sends = line_sends();
  sends.push_back({.op = Op::kReduce, .src = 1, .dst = 2, .step = 5});
  const Schedule schedule = build(mesh({3}), one_chunk, sends);
  EXPECT_EQ(entry_of(schedule, 0, Op::kReduce).parent, 1);
  EXPECT_THAT(entry_of(schedule, 0, Op::kReduce).children, IsEmpty());
  EXPECT_EQ(entry_of(schedule, 1, Op::kGather).parent, topology::kNoNode);
  EXPECT_THAT(entry_of(schedule, 1, Op::kReduce).children, ElementsAre(0, 2));
}

TEST(Builder, AGatheredValueReplacesEarlierSums) {
  const Schedule schedule = build(mesh({3}), one_chunk,
                                  {{.op = Op::kReduce, .src = 0, .dst = 1, .step = 1},
                                   {.op = Op::kGather, .src = 2, .dst = 1, .step = 2},
                                   {.op = Op::kReduce, .src = 1, .dst = 0, .step = 3}});
  EXPECT_THAT(entry_of(schedule, 1, Op::kReduce).children, IsEmpty());
  EXPECT_EQ(entry_of(schedule, 1, Op::kReduce).dependencies, 2);
}

TEST(Builder, FillsIdleStepsWithNopsAsLongAsTheLongestMessage) {
  const Schedule schedule = build(mesh({3}), {{0, 32}, {32, 16}},
                                  {{.op = Op::kReduce, .flow = 0, .src = 1, .dst = 2, .step = 1},
                                   {.op = Op::kReduce, .flow = 1, .src = 1, .dst = 2, .step = 2},
                                   {.op = Op::kReduce, .flow = 1, .src = 0, .dst = 1, .step = 3}});
  const auto& ports = schedule.nodes[0].ports;
  ASSERT_THAT(ports[0], SizeIs(3));
  EXPECT_EQ(ports[0][0].op, Op::kNop);
  EXPECT_EQ(ports[0][0].bytes, 32);
  EXPECT_EQ(ports[0][1].op, Op::kNop);
  EXPECT_EQ(ports[0][1].bytes, 16);
  EXPECT_EQ(ports[0][2].op, Op::kReduce);
  EXPECT_THAT(schedule.nodes[2].ports, ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(Builder, AFlowWithoutDataSendsNothing) {
  const Schedule schedule = build(mesh({2}), {{0, 64}, {64, 0}},
                                  {{.op = Op::kReduce, .flow = 0, .src = 0, .dst = 1, .step = 1},
                                   {.op = Op::kReduce, .flow = 1, .src = 1, .dst = 0, .step = 2}});
  EXPECT_EQ(schedule.steps, 1);
  EXPECT_THAT(schedule.nodes[1].ports[0], IsEmpty());
}

TEST(Builder, PortsFollowChannels) {
  const Machine machine = torus({4, 4});
  const topology::ChannelId up = machine.topology.out_channels(0)[2];
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  const std::vector<Send> sends{{.op = Op::kReduce, .src = 0, .dst = 4, .step = 1, .channel = up}};
  const Schedule four = build_schedule(machine.topology, request, "test", one_chunk, sends);
  EXPECT_THAT(four.nodes[0].ports[2], SizeIs(1));
  const int in_port = machine.topology.channel(up).dst_port;
  EXPECT_THAT(four.routes,
              ElementsAre(ElementsAre(topology::Hop{2, {0, 4}},
                                      topology::Hop{static_cast<std::uint16_t>(4 + in_port), {0, 4}})));
  request.ni_ports = 2;
  const Schedule two = build_schedule(machine.topology, request, "test", one_chunk, sends);
  EXPECT_THAT(two.nodes[0].ports[0], SizeIs(1));
  EXPECT_EQ(two.routes[0][1].out_port, 4 + in_port % 2);
}

TEST(Builder, RoutesBetweenDistantNodesAndSharesRoutes) {
  const Machine machine = mesh({4});
  const std::vector<Send> sends{{.op = Op::kReduce, .src = 0, .dst = 2, .step = 1},
                                {.op = Op::kReduce, .src = 1, .dst = 3, .step = 1},
                                {.op = Op::kReduce, .src = 1, .dst = 3, .step = 2}};
  const Schedule schedule = build(machine, one_chunk, sends);
  EXPECT_THAT(schedule.routes, SizeIs(2));
  EXPECT_THAT(schedule.routes[0], SizeIs(3));
}

TEST(Builder, FollowsPathsOfChannels) {
  const Machine machine = mesh({3});
  const auto out = [&](NodeId node, std::size_t port) { return machine.topology.out_channels(node)[port]; };
  const std::vector<ChannelPath> paths{{out(0, 0), out(1, 0)}};
  const std::vector<Send> sends{{.op = Op::kReduce, .src = 0, .dst = 2, .step = 1, .path = 0}};
  const Schedule schedule = build_schedule(machine.topology, machine.request(Collective::kAllReduce, 64),
                                           "test", one_chunk, sends, paths);
  EXPECT_THAT(schedule.routes, ElementsAre(SizeIs(3)));
}

TEST(Builder, RejectsNodesAndChannelsOutsideTheTopology) {
  const Machine machine = mesh({3});
  const auto refusal = [&](const Send& send, const std::string& why) {
    EXPECT_THAT([&] { build(machine, one_chunk, {send}); }, ThrowsMessage<ModelError>(HasSubstr(why)));
  };
  refusal({.op = Op::kReduce, .src = 0, .dst = 3}, "accelerators");
  refusal({.op = Op::kReduce, .src = 0, .dst = 0}, "differ");
  refusal({.op = Op::kReduce, .flow = 1, .src = 0, .dst = 1}, "the flow does not exist");
  refusal({.op = Op::kReduce, .src = 0, .dst = 1, .step = 0}, "are numbered from 1");
  refusal({.op = Op::kNop, .src = 0, .dst = 1}, "a nop cannot be sent");
  refusal({.op = Op::kReduce, .src = 0, .dst = 2, .channel = 0}, "channels do not lead to its destination");
  refusal({.op = Op::kReduce, .src = 1, .dst = 2, .channel = 0}, "not connected");
  refusal({.op = Op::kReduce, .src = 0, .dst = 1, .channel = 99}, "the channel does not exist");
  refusal({.op = Op::kReduce, .src = 0, .dst = 1, .path = 0}, "the path does not exist");
}

TEST(Builder, NeedsRoutingBetweenDistantNodes) {
  const Machine machine = mesh({3});
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  request.routing = nullptr;
  const std::vector<Send> sends{{.op = Op::kReduce, .src = 0, .dst = 2}};
  EXPECT_THAT([&] { build_schedule(machine.topology, request, "test", one_chunk, sends); },
              ThrowsMessage<UnsupportedError>(HasSubstr("routing function")));
}

}  // namespace
}  // namespace coppice::schedule

#include "schedule/packed_trees/packed_trees.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "hierarchical_machine.h"
#include "machine.h"
#include "random_execution.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "schedule/proof/checker.h"
#include "schedule/tables/table_loop.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

Schedule compile(const Machine& machine, CompileRequest request) {
  return PackedTreesCompiler().compile(machine.topology, request);
}

RC_GTEST_PROP(PackedTrees, AreCorrectUnderAnyTiming, ()) {
  const Machine machine = random_machine(3);
  CompileRequest request = machine.request(Collective::kAllReduce, random_size());
  request.chunks = *rc::gen::inRange(0, 4);
  RC_PRE(request.chunks <= request.size / request.element || request.chunks == 1);
  if (*rc::gen::arbitrary<bool>()) request = timed(request);
  request.timing.payload = *rc::gen::element<Bytes>(0, 80, 256);
  request.ni_ports = *rc::gen::inRange(1, machine.ni_ports + 1);
  const Schedule schedule = compile(machine, request);
  const CheckReport report = check_schedule(machine.topology, schedule);
  if (request.ni_ports == machine.ni_ports) RC_ASSERT(report.contention_free);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

RC_GTEST_PROP(PackedTrees, PerformEveryCollectiveOverSwitches, ()) {
  const Machine machine =
      random_graph(*rc::gen::inRange(2, 7), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
  const int n = machine.topology.num_accelerators();
  CompileRequest request = machine.request(random_collective(), 4 * *rc::gen::inRange<Bytes>(n, 300));
  if (*rc::gen::arbitrary<bool>()) request = timed(request);
  request.timing.payload = *rc::gen::element<Bytes>(0, 80, 256);
  if (request.collective != Collective::kAllReduce && *rc::gen::arbitrary<bool>()) {
    request.root = *rc::gen::inRange(0, n);
  }
  request.chunks = *rc::gen::inRange(0, 2);
  const Schedule schedule = compile(machine, request);
  check_schedule(machine.topology, schedule);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

// The lockstep's timesteps keep messages from contending behind the switch.
TEST(PackedTrees, IsFreeOfContentionBehindASwitch) {
  const Machine machine = built(topology::Kind::kSwitch, {8});
  for (const Bytes size : {64 * 1024, 1024 * 1024}) {
    CompileRequest request = timed(machine.request(Collective::kAllReduce, size));
    request.chunks = kAutomaticChunks;
    EXPECT_TRUE(check_schedule(machine.topology, compile(machine, request)).contention_free) << size;
  }
}

// A port may be ready slightly before its next message may start, by less than a packet's time. The table
// must not contain a nop for this gap: it would have no packets and therefore no duration. The machine is
// that of tb/fuzz/regressions/nops_of_no_packets.yaml.
TEST(PackedTrees, IdleForWholePackets) {
  const topology::LinkSpec link{{9'600'000'000}, 1'500'000};
  const std::vector<int> accelerators{3};
  const Machine machine =
      make_machine(topology::make_topology(topology::Kind::kSwitch, accelerators, {&link, 1}));
  for (const Bytes size : {1360, 4 * 331, 64 * 1024}) {
    CompileRequest request = machine.request(Collective::kReduceScatter, size);
    request.timing = {.flit = 16,
                      .payload = 80,
                      .router = 10'000'000,
                      .interface_time = 5'000'000,
                      .cycle = 1'000'000,
                      .memory = 1'000'000,
                      .reduction = 30'000'000};
    const Schedule schedule = compile(machine, request);
    check_schedule(machine.topology, schedule);
    for (const NodeTables& node : schedule.nodes) {
      for (const Table& port : node.ports) {
        for (const TableEntry& entry : port) EXPECT_GT(entry.bytes, 0);
      }
    }
  }
}

// A network of eight accelerators and two switches. The paths between accelerators consist of one to three
// channels, and some paths share channels.
TEST(PackedTrees, UseATimetableOverSharedChannels) {
  topology::Topology network(topology::Kind::kFile, {}, 8, 2);
  const auto link = [&](NodeId a, NodeId b) {
    network.add_channel(a, b, {16'000'000'000}, 150 * kFemtosecondsPerNanosecond);
    network.add_channel(b, a, {16'000'000'000}, 150 * kFemtosecondsPerNanosecond);
  };
  for (const auto& [a, b] : {std::pair{9, 8},
                             {0, 8},
                             {1, 8},
                             {2, 8},
                             {3, 0},
                             {4, 9},
                             {5, 8},
                             {6, 9},
                             {7, 8},
                             {9, 0},
                             {9, 6},
                             {0, 3},
                             {0, 8}}) {
    link(a, b);
  }
  const Machine machine = make_machine(std::move(network));
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 32 << 20));
  request.chunks = kAutomaticChunks;
  const Schedule schedule = compile(machine, request);
  EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free);
  ASSERT_GT(schedule.repetition.step, 0);
  // The lower bound is 2,516,582 ns, and list scheduling takes about 3,150,000 ns.
  EXPECT_LT(expected_time(machine.topology, request, schedule), 2'860'000 * kFemtosecondsPerNanosecond);
  std::size_t lines = 0;
  std::size_t entries = 0;
  for (const NodeTables& node : schedule.nodes) {
    for (const Table& table : node.ports) {
      lines += TableLoop(table, schedule.repetition).lines().size();
      entries += table.size();
    }
  }
  EXPECT_LT(4 * lines, entries);
}

// If channels have different bandwidths, using many pieces hardly saves time but costs messages, so few are
// chosen.
TEST(PackedTrees, HaveFewPiecesIfChannelsDiffer) {
  const auto link = [](std::int64_t gb, Cycles ns) {
    return topology::DimensionSpec{
        topology::DimensionKind::kSwitch, 0, 1, {gb * 1'000'000'000}, ns * kFemtosecondsPerNanosecond};
  };
  std::vector<topology::DimensionSpec> dimensions{link(450, 500), link(50, 2000)};
  dimensions[0].size = 8;
  dimensions[1].size = 3;
  const HierarchicalMachine machine(dimensions);
  CompileRequest request = timed(machine.request(Collective::kAllReduce, Bytes{48} << 20, kAutomaticChunks));
  const Schedule few = PackedTreesCompiler().compile(machine.topology, request);
  const std::int64_t messages = std::int64_t{2} * 23 * few.flows;
  EXPECT_LE(messages, 20'000);
  request.chunks = 4 * few.chunks;
  const Schedule many = PackedTreesCompiler().compile(machine.topology, request);
  EXPECT_GT(many.flows, 3 * few.flows);
  EXPECT_LE(static_cast<double>(expected_time(machine.topology, request, few)),
            1.03 * static_cast<double>(expected_time(machine.topology, request, many)));
}

TEST(PackedTrees, NeedNoMessagesForOneAccelerator) {
  const Machine machine = mesh({1});
  const Schedule schedule = compile(machine, machine.request(Collective::kAllReduce, 64));
  check_schedule(machine.topology, schedule);
  for_each_entry(schedule, [](NodeId, const TableEntry&) { FAIL(); });
}

// The pieces of a tree are contiguous and have equal lengths, except for the last.
TEST(PackedTrees, DivideDataIntoEquidistantPiecesOfWholeFlits) {
  const Machine machine = mesh({4, 4});
  for (const int chunks : {kAutomaticChunks, 5, 64}) {
    CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
    request.chunks = chunks;
    const Schedule schedule = compile(machine, request);
    const int pieces = chunks == kAutomaticChunks ? schedule.chunks : chunks;
    const int trees = schedule.flows / pieces;
    std::map<std::int32_t, Chunk> flows;
    Bytes longest = 0;
    for_each_entry(schedule, [&](NodeId, const TableEntry& entry) {
      flows[entry.flow] = {entry.address, entry.bytes};
      longest = std::max(longest, entry.bytes);
    });
    EXPECT_EQ(longest % 16, 0);
    for (const auto& [flow, data] : flows) {
      EXPECT_EQ(data.address, flows[flow % trees].address + flow / trees * longest);
      if (flow / trees + 1 < pieces && flow % trees + 1 < trees) {
        EXPECT_EQ(data.bytes, longest);
      }
    }
  }
}

// If many pieces are requested, the order of messages repeats: from one period to the next, timesteps, flows
// and addresses increase by constants.
TEST(PackedTrees, RepeatTheOrderFromPieceToPiece) {
  for (const Machine& machine : {mesh({4, 4}), torus({4, 4}), mesh({6})}) {
    CompileRequest request = timed(machine.request(Collective::kAllReduce, 4 << 20));
    request.chunks = 32;
    const Schedule schedule = compile(machine, request);
    ASSERT_GT(schedule.repetition.step, 0) << machine.topology.name();
    EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free);
    for (const NodeTables& node : schedule.nodes) {
      for (const Table& table : node.ports) {
        const TableLoop loop(table, schedule.repetition);
        EXPECT_LE(loop.lines().size() * 10, table.size());
      }
    }
  }
}

// With an automatic number of pieces, the compiler uses the tables of multitree_optimal if these are expected
// to finish sooner.
RC_GTEST_PROP(PackedTrees, AreNeverSlowerThanEqualTrees, ()) {
  const Machine machine = random_machine(4);
  CompileRequest request = timed(machine.request(random_collective(), Bytes{1} << *rc::gen::inRange(8, 21)));
  request.chunks = kAutomaticChunks;
  const Schedule equal = make_compiler("multitree_optimal")->compile(machine.topology, request);
  const Schedule packed = make_compiler("packed_trees")->compile(machine.topology, request);
  RC_ASSERT(packed.algorithm == "packed_trees");
  RC_ASSERT(expected_time(machine.topology, request, packed) <=
            expected_time(machine.topology, request, equal));
  check_schedule(machine.topology, packed);
}

TEST(PieceScheduler, RepeatsNothingIfOnlyTheLastPieceHasData) {
  const Machine machine = mesh({2});
  const CompileRequest request = machine.request(Collective::kAllReduce, 4);
  const topology::ChannelId there = machine.topology.out_channels(1).front();
  const topology::ChannelId back = machine.topology.out_channels(0).front();
  const PackedTree tree{0, {{Op::kReduce, 1, 0, {there}}, {Op::kGather, 0, 1, {back}}}};
  const PieceScheduler scheduler(machine.topology, request, {&tree, 1});
  const Bytes pieces[] = {0, 0, 0, 0, 4};
  const PieceSchedule schedule = scheduler.schedule_repeating(pieces, {.pieces = 5}, false);
  EXPECT_EQ(schedule.messages.size(), 2U);
  EXPECT_EQ(schedule.period_steps, 0);
}

// In a line, node 1 has one port and two neighbours. Node 2 leads to two more hops, but node 0 to none.
// Sending to node 2 first hides the message to node 0; the opposite order takes one message longer.
TEST(PieceScheduler, SendsPiecesWithTheMostRemainingWorkFirst) {
  const Machine machine = mesh({5});
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 16));
  request.ni_ports = 1;
  const auto channel = [&](NodeId from, NodeId to) {
    for (const topology::ChannelId id : machine.topology.out_channels(from)) {
      if (machine.topology.channel(id).dst == to) return ChannelPath{id};
    }
    throw std::logic_error("there is no such channel");
  };
  PackedTree tree{1, {}};
  for (const auto& [from, to] : std::vector<std::pair<NodeId, NodeId>>{{1, 0}, {1, 2}, {2, 3}, {3, 4}}) {
    tree.hops.push_back({Op::kGather, from, to, channel(from, to)});
  }
  const PieceScheduler scheduler(machine.topology, request, {&tree, 1});
  const Bytes piece = 1 << 16;
  const PieceSchedule schedule = scheduler.schedule({&piece, 1}, {.pieces = 1});
  ASSERT_EQ(schedule.messages.size(), 4U);
  EXPECT_EQ(schedule.messages[0].hop, 1);
  EXPECT_EQ(schedule.finish, scheduler.latency(piece));
  EXPECT_EQ(scheduler.finish({&piece, 1}, {.pieces = 1}), schedule.finish);
}

TEST(PackedTrees, StopIfSchedulingTakesTooLong) {
  const Machine machine = mesh({4, 4});
  CompileRequest request = timed(machine.request(Collective::kAllReduce, 1 << 20));
  request.chunks = kAutomaticChunks;
  const PackedTables tables = pack_trees(machine.topology, request);
  ASSERT_TRUE(tables.schedule.has_value());
  const PackedTables given_up = pack_trees(machine.topology, request, tables.expected / 2);
  EXPECT_FALSE(given_up.schedule.has_value());
  EXPECT_GT(given_up.expected, tables.expected / 2);
}

}  // namespace
}  // namespace coppice::schedule

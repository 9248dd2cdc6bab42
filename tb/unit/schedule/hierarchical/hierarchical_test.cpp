#include "schedule/hierarchical/hierarchical.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.h"
#include "hierarchical_machine.h"
#include "machine.h"
#include "random_execution.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"
#include "support/hierarchical_orders.h"
#include "topology/networks/hierarchy.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using topology::DimensionKind;
using topology::DimensionSpec;

const std::vector<DimensionSpec> kSwitches{dimension(DimensionKind::kSwitch, 4),
                                           dimension(DimensionKind::kSwitch, 2)};

TEST(Hierarchical, HalvesTheDataFromDimensionToDimension) {
  const HierarchicalMachine machine(kSwitches);
  const Schedule schedule = machine.compile(Collective::kAllReduce, 1024, 1);
  EXPECT_EQ(schedule.flows, 1);
  const auto& ports = schedule.nodes[0].ports;
  ASSERT_EQ(ports.size(), 2U);
  std::vector<Bytes> bytes;
  for (const TableEntry& entry : ports[0]) bytes.push_back(entry.bytes);
  EXPECT_THAT(bytes, testing::ElementsAre(512, 256, 256, 512));
  EXPECT_EQ(ports[1].front().bytes, 128);
  EXPECT_EQ(ports[1].front().op, Op::kReduce);
  EXPECT_EQ(ports[1].back().op, Op::kGather);
}

TEST(Hierarchical, PadsMessagesToTheLongestOfTheirStep) {
  const HierarchicalMachine machine(kSwitches);
  const Schedule schedule = machine.compile(Collective::kAllReduce, 4 * (5 * 8 * 3 + 1), 3);
  std::map<std::pair<int, int>, Bytes> lengths;  // message lengths, keyed by (chunk, message)
  bool padded = false;
  for_each_entry(schedule, [&](NodeId, const TableEntry& entry) {
    const auto [place, first] = lengths.try_emplace({entry.flow, entry.arrival}, entry.message_bytes());
    EXPECT_EQ(place->second, entry.message_bytes()) << (first ? "" : "differs between accelerators");
    EXPECT_LE(entry.padding, 4);
    padded = padded || entry.padding > 0;
  });
  EXPECT_TRUE(padded);
}

// Pieces of unequal length are padded to the same duration, so that messages do not contend for channels.
TEST(Hierarchical, PaddedMessagesShareNoChannel) {
  const HierarchicalMachine machine({dimension(DimensionKind::kFullyConnected, 4),
                                     dimension(DimensionKind::kRing, 4),
                                     dimension(DimensionKind::kSwitch, 4)});
  const Schedule schedule = machine.compile(Collective::kAllReduce, 400'000, 16);
  bool padded = false;
  for_each_entry(schedule, [&](NodeId, const TableEntry& entry) { padded = padded || entry.padding > 0; });
  EXPECT_TRUE(padded);
  EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free);
}

// With several dimensions, 64 chunks are needed to keep all of them busy (Themis, Sec. 5.3). With a single
// dimension, a few chunks suffice to hide the latency.
TEST(Hierarchical, OneDimensionHasOnlyUsefulChunks) {
  const HierarchicalMachine one({dimension(DimensionKind::kSwitch, 8)});
  const CompileRequest request = timed(one.request(Collective::kAllReduce, Bytes{8} << 20, kAutomaticChunks));
  CompileRequest usual = request;
  usual.chunks = 64;
  const Schedule chosen = HierarchicalCompiler().compile(one.topology, request);
  EXPECT_GT(chosen.chunks, 1);
  EXPECT_LT(chosen.chunks, 64);
  EXPECT_LE(expected_time(one.topology, request, chosen),
            expected_time(one.topology, request, HierarchicalCompiler().compile(one.topology, usual)));

  const HierarchicalMachine two(kSwitches);
  EXPECT_EQ(two.compile(Collective::kAllReduce, Bytes{8} << 20, kAutomaticChunks).chunks, 64);
}

TEST(Hierarchical, ReportsUnmetRequirements) {
  const HierarchicalMachine machine(kSwitches);
  EXPECT_THAT([&] { machine.compile(Collective::kAllReduce, 4 * 8 * 3 - 4, 3); },
              ThrowsMessage<UnsupportedError>(
                  HasSubstr("a chunk of 8 pieces needs at least 32 B, not 28 B: use fewer chunks")));
  const Machine grid = torus({4, 4});
  EXPECT_THAT(
      [&] { HierarchicalCompiler().compile(grid.topology, grid.request(Collective::kAllReduce, 1024)); },
      ThrowsMessage<UnsupportedError>(HasSubstr("torus 4x4 has no dimensions that are separate networks")));
}

TEST(Hierarchical, DistributesTheDataOfAReduceScatter) {
  const HierarchicalMachine machine(kSwitches);
  const Schedule schedule = machine.compile(Collective::kReduceScatter, 1024, 2);
  ASSERT_EQ(schedule.shares.size(), 16U);
  // Dimension 0 is reduced first, so the piece after accelerator 0's belongs to its neighbour in dimension 1,
  // accelerator 4.
  EXPECT_EQ(schedule.shares[0].owner, 0);
  EXPECT_EQ(schedule.shares[1].owner, 4);
  EXPECT_EQ(schedule.shares[2].owner, 1);
}

RC_GTEST_PROP(Hierarchical, IsProvenCorrectAndSharesNoChannel, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 5));
  const Schedule schedule = machine.compile(random_collective(), random_data(machine, chunks), chunks);
  const CheckReport report = check_schedule(machine.topology, schedule);
  RC_ASSERT(report.contention_free);
}

RC_GTEST_PROP(Hierarchical, IsCorrectInAnyOrderOfTheDimensions, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 5));
  std::vector<DimensionOrder> orders;
  for (int c = 0; c < chunks; ++c) {
    DimensionOrder order(machine.topology.dims().size());
    std::iota(order.begin(), order.end(), 0);
    for (int turn = *rc::gen::inRange(0, 6); turn > 0; --turn) std::ranges::next_permutation(order);
    orders.push_back(order);
  }
  const auto policy = *rc::gen::element(IntraDimension::kFifo, IntraDimension::kSmallestChunkFirst);
  const CompileRequest request = machine.request(random_collective(), random_data(machine, chunks), chunks);
  const Schedule schedule = compile_in_orders(machine.topology, request, "orders", orders, policy);
  RC_ASSERT(check_schedule(machine.topology, schedule).disjoint_steps);
}

// Themis, Sec. 4.6: the tables of every scheduler are correct, use no channel twice in a step, and never
// deadlock, whatever the timing.
RC_GTEST_PROP(Hierarchical, IsCorrectWithAnyScheduler, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4));
  CompileRequest request = machine.request(random_collective(), random_data(machine, chunks), chunks);
  using enum ChunkScheduler;
  using enum IntraDimension;
  request.chunk_policy = {*rc::gen::element(kBaseline, kThemis, kThemisPlus),
                          *rc::gen::element(kFifo, kSmallestChunkFirst)};
  const Schedule schedule = HierarchicalCompiler().compile(machine.topology, request);
  RC_ASSERT(check_schedule(machine.topology, schedule).disjoint_steps);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

// A schedule in which every third accelerator has its tables from `other`, a schedule of the same collective.
Schedule mix(Schedule schedule, const Schedule& other) {
  const auto first_route = static_cast<std::int32_t>(schedule.routes.size());
  schedule.routes.insert(schedule.routes.end(), other.routes.begin(), other.routes.end());
  for (std::size_t node = 0; node < schedule.nodes.size(); node += 3) {
    schedule.nodes[node] = other.nodes[node];
    for (auto& port : schedule.nodes[node].ports) {
      for (TableEntry& entry : port) entry.route += first_route;
    }
  }
  return schedule;
}

// Themis, Sec. 4.6.2: two chunks reach dimension 1 at about the same time, one from dimension 0 and one from
// dimension 2. If accelerators start with different chunks, they deadlock. A common order prevents this.
TEST(Hierarchical, AcceleratorsThatDisagreeOnTheOrderWaitForEachOther) {
  const auto machine_with = [](Femtoseconds early, Femtoseconds late) {
    auto dimensions = std::vector{dimension(DimensionKind::kSwitch, 2), dimension(DimensionKind::kSwitch, 4),
                                  dimension(DimensionKind::kSwitch, 2)};
    dimensions[0].latency = early;
    dimensions[1].latency = 0;
    dimensions[2].latency = late;
    return HierarchicalMachine(dimensions);
  };
  constexpr Femtoseconds kNs = kFemtosecondsPerNanosecond;
  const HierarchicalMachine machine = machine_with(690 * kNs, 710 * kNs);
  const HierarchicalMachine otherwise = machine_with(710 * kNs, 690 * kNs);
  const CompileRequest request = machine.request(Collective::kReduceScatter, 8192, 2);
  const std::vector<DimensionOrder> orders{{0, 1, 2}, {2, 1, 0}};
  const auto tables = [&](const HierarchicalMachine& timed) {
    return compile_in_orders(timed.topology, request, "orders", orders, IntraDimension::kFifo);
  };
  const Schedule agreed = tables(machine);
  const Schedule disagreed = mix(tables(otherwise), agreed);
  for (std::uint64_t jitter = 0; jitter < 50; ++jitter) {
    EXPECT_TRUE(RandomExecution(agreed, jitter).succeeds());
    EXPECT_FALSE(RandomExecution(disagreed, jitter).succeeds());
  }
  check_schedule(machine.topology, agreed);
  EXPECT_THROW(check_schedule(machine.topology, disagreed), ScheduleError);
}

TEST(Hierarchical, AllGathersInReverseOrderIfSwitchesAdd) {
  auto dimensions = kSwitches;
  dimensions[0].in_network = true;
  const HierarchicalMachine machine(dimensions);
  const CompileRequest request = machine.request(Collective::kAllReduce, 1024, 1);
  const std::vector<ChunkPlan> plans{{.bytes = 1024, .reduce_scatter = {0, 1}, .all_gather = {0, 1}}};
  EXPECT_THAT(
      [&] { compile_plans(machine.topology, request, "plans", plans, IntraDimension::kFifo); },
      ThrowsMessage<UnsupportedError>(HasSubstr("over dimensions 0, 1 must be all-gathered in the reverse")));
}

RC_GTEST_PROP(Hierarchical, IsCorrectUnderAnyTiming, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 3));
  const Schedule schedule = machine.compile(random_collective(), random_data(machine, chunks), chunks);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

RC_GTEST_PROP(Hierarchical, MovesTheMinimumOfAReduction, ()) {
  const HierarchicalMachine machine(random_dimensions());
  const int n = machine.topology.num_accelerators();
  const Bytes size = 4 * pieces_of_a_chunk(n, true) * *rc::gen::inRange(1, 5);
  const Schedule schedule = machine.compile(Collective::kReduceScatter, size, 1);
  for (const NodeTables& node : schedule.nodes) {
    Bytes sent = 0;
    for (const auto& port : node.ports) {
      for (const TableEntry& entry : port) sent += entry.bytes;
    }
    RC_ASSERT(sent == size / n * (n - 1));
  }
}

TEST(Hierarchical, AnEntryThatDoesNotWaitIsRejected) {
  const HierarchicalMachine machine(kSwitches);
  Schedule schedule = machine.compile(Collective::kAllReduce, 1024, 2);
  TableEntry& entry = schedule.nodes[3].ports[0][3];
  ASSERT_GT(entry.dependencies, 0);
  --entry.dependencies;
  EXPECT_THROW(check_schedule(machine.topology, schedule), ScheduleError);
}

TEST(Hierarchical, ADuplicateNumberIsRejected) {
  const HierarchicalMachine machine(kSwitches);
  Schedule schedule = machine.compile(Collective::kAllReduce, 1024, 1);
  ASSERT_EQ(schedule.nodes[0].ports[0][1].arrival, 1);
  schedule.nodes[0].ports[0][1].arrival = 0;
  EXPECT_THAT([&] { check_schedule(machine.topology, schedule); },
              ThrowsMessage<ScheduleError>(HasSubstr("shares arrival number 0")));
  schedule.nodes[0].ports[0][1].arrival = 99;
  EXPECT_THAT([&] { check_schedule(machine.topology, schedule); },
              ThrowsMessage<ScheduleError>(
                  HasSubstr("its arrival number is 99, but only 6 messages of its flow arrive")));
}

// A chunk's proof is reused for other chunks only if they are equivalent, so a fault in a later chunk is
// found.
TEST(Hierarchical, AFaultInALaterChunkIsFound) {
  const HierarchicalMachine machine(kSwitches);
  const Schedule good = machine.compile(Collective::kAllReduce, 4096, 8);
  for (std::size_t port = 0; port < 2; ++port) {
    for (std::size_t i = 0; i < good.nodes[5].ports[port].size(); ++i) {
      Schedule schedule = good;
      TableEntry& entry = schedule.nodes[5].ports[port][i];
      if (entry.flow != 6) continue;
      entry.bytes -= 4;
      EXPECT_THROW(check_schedule(machine.topology, schedule), ScheduleError) << port << " " << i;
    }
  }
}

}  // namespace
}  // namespace coppice::schedule

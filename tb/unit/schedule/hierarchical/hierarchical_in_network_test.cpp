#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine.h"
#include "random_execution.h"
#include "schedule/hierarchical/hierarchical.h"
#include "schedule/proof/checker.h"
#include "support/hierarchical_orders.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {
namespace {

using testing::ElementsAre;
using topology::DimensionKind;
using topology::DimensionSpec;

DimensionSpec dimension(DimensionKind kind, int size, bool in_network = false) {
  const int links = kind == DimensionKind::kRing ? 2 : kind == DimensionKind::kFullyConnected ? size - 1 : 1;
  DimensionSpec spec{kind, size, links, {25'000'000'000}, 700 * kFemtosecondsPerNanosecond};
  spec.in_network = in_network;
  return spec;
}

DimensionSpec adding_switch(int size) {
  return dimension(DimensionKind::kSwitch, size, true);
}

struct AddingMachine {
  explicit AddingMachine(const std::vector<DimensionSpec>& dimensions)
      : topology(topology::make_hierarchy(dimensions)), routing(topology::make_routing(topology, 4)) {}

  CompileRequest request(Collective collective, Bytes size) const {
    return {.collective = collective,
            .size = size,
            .ni_ports = static_cast<int>(topology.out_channels(0).size()),
            .routing = routing.get()};
  }
  Schedule compile(Collective collective, Bytes size) const {
    return compile_in_orders(topology, request(collective, size), "orders",
                             std::vector<DimensionOrder>{order()}, IntraDimension::kFifo);
  }
  DimensionOrder order() const {
    DimensionOrder order(topology.dims().size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
};

std::vector<std::string> lines(const Table& table) {
  std::vector<std::string> lines;
  for (const TableEntry& entry : table) {
    lines.push_back(fmt::format("{} {}+{} to {} after {}", to_string(entry.op), entry.address, entry.bytes,
                                entry.destination(), entry.dependencies));
  }
  return lines;
}

// Over a reducing switch, an all-reduce sends all data up once and the sum down once. This also works for
// three accelerators, whereas halving and doubling needs a power of two.
TEST(Offload, SendsTheDataOfAnAllReduceOnceInEachDirection) {
  const AddingMachine machine({adding_switch(3)});
  const Schedule schedule = machine.compile(Collective::kAllReduce, 1200);
  ASSERT_EQ(schedule.nodes.size(), 4U);
  EXPECT_EQ(schedule.adders, 1);
  EXPECT_EQ(schedule.accelerators(), 3);
  EXPECT_THAT(lines(schedule.nodes[1].ports[0]), ElementsAre("reduce 0+1200 to 3 after 0"));
  ASSERT_EQ(schedule.nodes[3].ports.size(), 3U);
  EXPECT_THAT(lines(schedule.nodes[3].ports[1]), ElementsAre("gather 0+1200 to 1 after 3"));
  check_schedule(machine.topology, schedule);
}

// In a reduce-scatter, an accelerator keeps its own part, and adds the sum of the others' parts that it
// receives from the switch.
TEST(Offload, ReduceScattersSendEveryAcceleratorItsPartOfASum) {
  const AddingMachine machine({adding_switch(3)});
  const Schedule schedule = machine.compile(Collective::kReduceScatter, 1200);
  EXPECT_THAT(lines(schedule.nodes[2].ports[0]),
              ElementsAre("reduce 0+400 to 3 after 0", "reduce 400+400 to 3 after 0"));
  EXPECT_THAT(lines(schedule.nodes[1].ports[0]),
              ElementsAre("reduce 0+400 to 3 after 0", "reduce 800+400 to 3 after 0"));
  EXPECT_THAT(lines(schedule.nodes[3].ports[2]), ElementsAre("reduce 800+400 to 2 after 6"));
  check_schedule(machine.topology, schedule);
}

// In an all-gather, each accelerator sends its part up and receives the other parts in two messages. This
// includes accelerators 0 and 3, whose other parts are contiguous.
TEST(Offload, AllGathersSendEveryAcceleratorTheDataOfOthers) {
  const AddingMachine machine({adding_switch(4)});
  const Schedule schedule = machine.compile(Collective::kAllGather, 1600);
  EXPECT_THAT(lines(schedule.nodes[2].ports[0]), ElementsAre("gather 800+400 to 4 after 0"));
  EXPECT_THAT(lines(schedule.nodes[4].ports[0]),
              ElementsAre("gather 400+400 to 0 after 4", "gather 800+800 to 0 after 4"));
  EXPECT_THAT(lines(schedule.nodes[4].ports[2]),
              ElementsAre("gather 0+800 to 2 after 4", "gather 1200+400 to 2 after 4"));
  EXPECT_THAT(lines(schedule.nodes[4].ports[3]),
              ElementsAre("gather 0+400 to 3 after 4", "gather 400+800 to 3 after 4"));
  check_schedule(machine.topology, schedule);
}

// In dimension 0, an accelerator sends 600 B and later 200 B. In dimension 1, where the all-reduce turns
// around, it sends the remaining 200 B once. Halving and doubling would send 1,200 B and 200 B.
TEST(Offload, UsesTheLinksLessThanHalvingAndDoubling) {
  const AddingMachine machine({adding_switch(4), adding_switch(2)});
  const Schedule schedule = machine.compile(Collective::kAllReduce, 800);
  EXPECT_EQ(schedule.adders, 2 + 4);
  const auto sent = [&](std::size_t port) {
    Bytes sum = 0;
    for (const TableEntry& entry : schedule.nodes[0].ports[port]) sum += entry.bytes;
    return sum;
  };
  EXPECT_EQ(sent(0), 600 + 200);
  EXPECT_EQ(sent(1), 200);
  check_schedule(machine.topology, schedule);
}

// Random small hierarchies with dimensions of all kinds, at least one of which has reducing switches.
std::vector<DimensionSpec> random_dimensions() {
  const auto in = [](int low, int high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  std::vector<DimensionSpec> dimensions;
  for (int d = in(0, 2); d > 0; --d) {
    const auto kind =
        *rc::gen::element(DimensionKind::kRing, DimensionKind::kFullyConnected, DimensionKind::kSwitch);
    const bool adds = kind == DimensionKind::kSwitch && in(0, 1) == 1;
    dimensions.push_back(
        dimension(kind, kind == DimensionKind::kSwitch && !adds ? 1 << in(1, 2) : in(2, 4), adds));
  }
  dimensions.insert(dimensions.begin() + in(0, static_cast<int>(dimensions.size())), adding_switch(in(2, 5)));
  return dimensions;
}

// The tables are correct under any timing, and no two messages of a step share a channel.
RC_GTEST_PROP(Offload, IsCorrectInAnyOrderOfTheDimensions, ()) {
  const AddingMachine machine(random_dimensions());
  const int chunks = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4));
  std::vector<DimensionOrder> orders;
  for (int c = 0; c < chunks; ++c) {
    DimensionOrder order = machine.order();
    for (int turn = *rc::gen::inRange(0, 6); turn > 0; --turn) std::ranges::next_permutation(order);
    orders.push_back(order);
  }
  const auto pieces = pieces_of_a_chunk(machine.topology.num_accelerators(), true);
  const Bytes data =
      4 * (pieces * chunks + *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Bytes>(0, 200)));
  const auto policy = *rc::gen::element(IntraDimension::kFifo, IntraDimension::kSmallestChunkFirst);
  const Schedule schedule = compile_in_orders(machine.topology, machine.request(random_collective(), data),
                                              "orders", orders, policy);
  const CheckReport report = check_schedule(machine.topology, schedule);
  RC_ASSERT(report.disjoint_steps);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

// 2x2x2 accelerators behind switches. After a reduce-scatter over dimensions 0, 1 and 2, accelerator 5
// (coordinates 1 0 1) owns piece 5. An all-gather over dimension 1 first gives it pieces 5 and 7. These
// become contiguous only after dimension 2, so they are sent as two messages.
TEST(Offload, AllGathersInAnotherOrderInSeparateMessages) {
  const auto plain = dimension(DimensionKind::kSwitch, 2);
  const AddingMachine machine({plain, plain, plain});
  const std::vector<ChunkPlan> plans{{.bytes = 800, .reduce_scatter = {0, 1, 2}, .all_gather = {1, 2, 0}}};
  const Schedule schedule = compile_plans(machine.topology, machine.request(Collective::kAllReduce, 800),
                                          "orders", plans, IntraDimension::kFifo);
  EXPECT_THAT(lines(schedule.nodes[5].ports[1]),
              ElementsAre("reduce 600+200 to 7 after 1", "gather 500+100 to 7 after 3"));
  EXPECT_THAT(lines(schedule.nodes[5].ports[2]),
              ElementsAre("reduce 400+100 to 1 after 2", "gather 500+100 to 1 after 4",
                          "gather 700+100 to 1 after 4"));
  EXPECT_THAT(lines(schedule.nodes[5].ports[0]),
              ElementsAre("reduce 0+400 to 4 after 0", "gather 400+400 to 4 after 6"));
  check_schedule(machine.topology, schedule);
}

// Random orders of dimensions for reduce-scatters and all-gathers, on random hierarchies.
RC_GTEST_PROP(Offload, IsCorrectIfAllGathersHaveTheirOwnOrder, ()) {
  using enum DimensionKind;
  std::vector<DimensionSpec> dimensions;
  for (int d = *rc::gen::inRange(1, 4); d > 0; --d) {
    dimensions.push_back(dimension(*rc::gen::element(kRing, kFullyConnected, kSwitch), 2));
  }
  dimensions.front() = dimension(dimensions.front().kind, dimensions.front().kind == kSwitch ? 4 : 3);
  const AddingMachine machine(dimensions);
  std::vector<ChunkPlan> plans;
  Bytes data = 0;
  for (int c = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 3)); c > 0; --c) {
    const Bytes bytes = 4 * (2 * machine.topology.num_accelerators() +
                             *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Bytes>(0, 20)));
    ChunkPlan& plan = plans.emplace_back(ChunkPlan{bytes, machine.order(), machine.order()});
    for (int turn = *rc::gen::inRange(0, 6); turn > 0; --turn) {
      std::ranges::next_permutation(plan.reduce_scatter);
    }
    for (int turn = *rc::gen::inRange(0, 6); turn > 0; --turn) {
      std::ranges::next_permutation(plan.all_gather);
    }
    data += bytes;
  }
  const Schedule schedule = compile_plans(machine.topology, machine.request(Collective::kAllReduce, data),
                                          "orders", plans, IntraDimension::kFifo);
  RC_ASSERT(check_schedule(machine.topology, schedule).disjoint_steps);
  RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

TEST(Offload, RejectsTablesOfSwitchesThatDoNotAdd) {
  const AddingMachine machine({adding_switch(4)});
  const AddingMachine plain({dimension(DimensionKind::kSwitch, 4)});
  const Schedule schedule = machine.compile(Collective::kAllReduce, 1600);
  EXPECT_THAT([&] { check_schedule(plain.topology, schedule); },
              testing::ThrowsMessage<ScheduleError>(
                  testing::HasSubstr("tables for 1 reducing switches, but hierarchy 4 has 0")));
}

}  // namespace
}  // namespace coppice::schedule

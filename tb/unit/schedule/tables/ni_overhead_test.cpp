#include "schedule/tables/ni_overhead.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "machine.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;

// MultiTree between two accelerators with one channel in each direction. 2,048 bytes make two chunks of 256
// elements. An accelerator reduces the other's chunk in step 1 and gathers its own in step 2.
TEST(NiOverhead, IsTheSumOfFieldsComputedByHand) {
  const Machine machine = mesh({2});
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 2048);
  EXPECT_EQ(longest_message(schedule), 1024);
  // Messages have 4 packets of 17 flits.
  const NiOverhead overhead = ni_overhead(machine.topology, schedule, {68, 4});
  const TableLayout& layout = overhead.layout;
  EXPECT_EQ(layout.op, 2);
  EXPECT_EQ(layout.flow, 1);          // for 2 flows
  EXPECT_EQ(layout.dependencies, 1);  // for zero or one dependency
  EXPECT_EQ(layout.step, 2);          // for steps 1 and 2
  EXPECT_EQ(layout.address, 9);       // for element 0 or 256
  EXPECT_EQ(layout.elements, 9);      // for 256 elements
  EXPECT_EQ(layout.padded_elements, 0);
  EXPECT_EQ(layout.flits, 7);    // for 68 flits
  EXPECT_EQ(layout.packets, 3);  // for 4 packets
  EXPECT_EQ(layout.arrival, 0);
  EXPECT_EQ(layout.route, 2);  // one bit for each of two hops
  EXPECT_EQ(layout.entry_bits(), 36);
  EXPECT_EQ(overhead.ports, 1);
  EXPECT_EQ(overhead.port_entries, 2);
  EXPECT_EQ(overhead.node_entries, 2);
  EXPECT_EQ(overhead.mean_node_entries, 2);
  EXPECT_EQ(overhead.table_bytes, 9);       // 72 bits
  EXPECT_EQ(overhead.dependency_bytes, 1);  // 2 bits
  EXPECT_EQ(overhead.counter_bytes, 9);     // 2 + 64 bits
  EXPECT_EQ(overhead.node_bytes(), 19);
}

// Every accelerator sends n - 1 messages up the trees and, on average, n - 1 messages down, whatever the
// number of ports.
TEST(NiOverhead, GrowsWithAcceleratorsButNotWithPorts) {
  for (const std::vector<int>& dims : {std::vector{3, 3}, std::vector{4, 4}, std::vector{8, 8}}) {
    const Machine machine = torus(dims);
    const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 1 << 20);
    const NiOverhead overhead = ni_overhead(machine.topology, schedule, {4352, 256});
    std::int64_t nops = 0;
    for (const auto& node : schedule.nodes) {
      for (const auto& port : node.ports) {
        for (const TableEntry& entry : port) nops += entry.op == Op::kNop ? 1 : 0;
      }
    }
    const int n = overhead.accelerators;
    EXPECT_EQ(overhead.ports, 4);
    EXPECT_DOUBLE_EQ(overhead.mean_node_entries * n, 2.0 * (n - 1) * n + static_cast<double>(nops));
    EXPECT_GE(overhead.node_entries, 2 * (n - 1));
  }
}

// Every field must be wide enough for the values of all entries.
RC_GTEST_PROP(NiOverhead, HasRoomForEveryEntry, ()) {
  const int width = *rc::gen::inRange(2, 6);
  const int height = *rc::gen::inRange(1, 5);
  const Bytes size = 4 * *rc::gen::inRange<Bytes>(width * height, 3000);
  const Machine machine = torus({width, height});
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, size);
  const TableLayout layout = ni_overhead(machine.topology, schedule, {100, 10}).layout;
  const auto fits = [](std::int64_t value, int bits) {
    return value >= 0 && value < (std::int64_t{1} << bits);
  };
  for (const auto& node : schedule.nodes) {
    for (const auto& port : node.ports) {
      for (const TableEntry& entry : port) {
        RC_ASSERT(entry.op == Op::kNop || fits(entry.flow, layout.flow));
        RC_ASSERT(fits(entry.dependencies, layout.dependencies));
        RC_ASSERT(fits(entry.step, layout.step));
        RC_ASSERT(fits(entry.address / 4, layout.address));
        RC_ASSERT(fits(entry.bytes / 4, layout.elements));
      }
    }
  }
}

TEST(NiOverhead, IsPrinted) {
  const Machine machine = mesh({2});
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 2048);
  const NiOverhead overhead = ni_overhead(machine.topology, schedule, {68, 4});
  EXPECT_EQ(
      to_text(overhead),
      "network interface: entries of 36 bits (op 2, flow 1, dependencies 1, step 2, address 9, elements "
      "9, flits 7, packets 3, route 2)\n"
      "  at most 2 entries per accelerator (mean 2.0), 2 per port; 19 bytes: tables 9, arrival counts 1, "
      "timestep and lockstep counters 9\n");
  const auto json = to_json(overhead);
  EXPECT_EQ(json["entry_bits"], 36);
  EXPECT_EQ(json["field_bits"]["flits"], 7);
  EXPECT_EQ(json["bytes_per_node"], 19);
}

TEST(NiOverhead, IsZeroForASingleAccelerator) {
  const Machine machine = mesh({1});
  const Schedule schedule = machine.compile("multitree", Collective::kAllReduce, 4);
  const NiOverhead overhead = ni_overhead(machine.topology, schedule, {});
  EXPECT_EQ(overhead.node_entries, 0);
  EXPECT_EQ(overhead.table_bytes, 0);
  EXPECT_EQ(longest_message(schedule), 0);
}

}  // namespace
}  // namespace coppice::schedule

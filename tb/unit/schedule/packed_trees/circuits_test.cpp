#include "schedule/packed_trees/circuits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/packed_trees.h"
#include "schedule/proof/checker.h"
#include "sound_circuits.h"
#include "topology/bounds/bound.h"
#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

RC_GTEST_PROP(Circuits, RespectTheBandwidthOfChannels, ()) {
  const Machine machine =
      random_graph(*rc::gen::inRange(2, 9), *rc::gen::inRange(1, 5), *rc::gen::inRange(0, 6));
  const auto circuits = split_off_switches(machine.topology, machine.request(Collective::kAllReduce, 64));
  RC_ASSERT(circuits.has_value());
  require_sound(machine.topology, *circuits);
}

// If each accelerator has one link, splitting off the switches leaves a network with the same bandwidth
// bound.
TEST(Circuits, LoseNoBandwidthBehindEqualLinks) {
  const Machine machines[] = {built(topology::Kind::kSwitch, {8}), fat_tree({4, 2}), bigraph({2, 4}),
                              built(topology::Kind::kClos, {4, 4, 2})};
  for (const Machine& machine : machines) {
    const auto circuits = split_off_switches(machine.topology, machine.request(Collective::kAllReduce, 64));
    ASSERT_TRUE(circuits.has_value());
    EXPECT_FALSE(topology::find_unreachable(circuits->network));
    constexpr Bytes kSize = 1 << 30;
    EXPECT_NEAR(topology::least_all_reduce_time(circuits->network, kSize).ns(),
                topology::least_all_reduce_time(machine.topology, kSize).ns(), 1)
        << machine.topology.name();
  }
}

// A one-way cycle of accelerator 0, a switch, accelerator 1 and another switch. No circuits exist here, so
// trees are routed over the switches instead.
TEST(Circuits, DoNotExistOverOneWayChannels) {
  Topology topology(topology::Kind::kFile, {}, 2, 2);
  for (const auto& [from, to] : {std::pair{0, 2}, {2, 1}, {1, 3}, {3, 0}}) {
    topology.add_channel(from, to, {16'000'000'000}, 0);
  }
  const Machine machine = make_machine(std::move(topology));
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  const auto circuits = split_off_switches(machine.topology, request);
  ASSERT_TRUE(circuits.has_value());
  EXPECT_TRUE(circuits->paths.empty());
  request.chunks = kAutomaticChunks;
  check_schedule(machine.topology, PackedTreesCompiler().compile(machine.topology, request));
}

// Two switches, joined by a link of 25 GB/s, each with three accelerators on links of 50 GB/s. The circuits
// form one cycle of 25 GB/s through both switches, and a cycle per switch with the remaining bandwidth.
TEST(Circuits, ShareTheRestOfANarrowLink) {
  Topology topology(topology::Kind::kFile, {}, 6, 2);
  const auto link = [&](topology::NodeId a, topology::NodeId b, std::int64_t gb) {
    topology.add_channel(a, b, {gb * 1'000'000'000}, 0);
    topology.add_channel(b, a, {gb * 1'000'000'000}, 0);
  };
  for (int i = 0; i < 6; ++i) link(i, 6 + i / 3, 50);
  link(6, 7, 25);
  const auto circuits = split_off_switches(topology, {});
  ASSERT_TRUE(circuits.has_value());
  EXPECT_EQ(circuits->network.channels().size(), 12);
  EXPECT_NEAR(topology::least_all_reduce_time(circuits->network, 1 << 30).ns(),
              topology::least_all_reduce_time(topology, 1 << 30).ns(), 1);
}

// Over circuits, messages do not contend at switches, and pipelining keeps all links busy, so an all-reduce
// takes almost the minimum time.
TEST(Circuits, CarryAnAllReduceInTheMinimumTime) {
  const Machine machines[] = {built(topology::Kind::kSwitch, {8}), fat_tree({4, 2}), bigraph({2, 4}),
                              built(topology::Kind::kClos, {4, 4, 2})};
  for (const Machine& machine : machines) {
    CompileRequest request = machine.request(Collective::kAllReduce, 1 << 20);
    request.chunks = kAutomaticChunks;
    const Schedule schedule = PackedTreesCompiler().compile(machine.topology, request);
    EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free) << machine.topology.name();
    const double least = topology::least_all_reduce_time(machine.topology, request.size).ns();
    const auto time =
        static_cast<double>(expected_time(machine.topology, request, schedule)) / kFemtosecondsPerNanosecond;
    EXPECT_LT(time, least / 0.96) << machine.topology.name();
  }
}

}  // namespace
}  // namespace coppice::schedule

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "machine.h"
#include "schedule/compile/spread.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

// Two switches with four accelerators each, joined by a slow link.
Machine two_hosts() {
  topology::Topology network(topology::Kind::kFile, {}, 8, 2);
  const auto link = [&](NodeId a, NodeId b, std::int64_t rate) {
    network.add_channel(a, b, {rate}, 100 * kFemtosecondsPerNanosecond);
    network.add_channel(b, a, {rate}, 100 * kFemtosecondsPerNanosecond);
  };
  for (NodeId node = 0; node < 8; ++node) link(node, 8 + node / 4, 16'000'000'000);
  link(8, 9, 8'000'000'000);
  return make_machine(std::move(network));
}

std::vector<Machine> networks() {
  std::vector<Machine> all;
  all.push_back(torus({4, 4}));
  all.push_back(torus({3, 5}));
  all.push_back(mesh({4, 4}));
  all.push_back(fat_tree({4, 2}));
  all.push_back(bigraph({2, 4}));
  all.push_back(dgx1());
  all.push_back(built(topology::Kind::kFullyConnected, {6}));
  all.push_back(two_hosts());
  return all;
}

// A message of a schedule: source, destination, address and bytes.
using Way = std::tuple<NodeId, NodeId, Bytes, Bytes>;

struct Phase {
  std::vector<Way> messages;  // sorted; those of a reduce-scatter with source and destination swapped
  double time = 0;            // the expected time in femtoseconds
  bool contention_free = false;
};

// A ring runs in the same direction in both phases, so its messages carry the same data but have different
// endpoints.
bool goes_around(const AlgorithmInfo& info) {
  return info.name == "ring" || info.name == "rail_ring";
}

// Only the reduce-scatter reduces, so the reduction latency is set to zero to compare the phases' times.
Phase phase_of(const Machine& machine, const AlgorithmInfo& info, Collective collective) {
  CompileRequest request = timed(machine.request(collective, 4 << 20));
  request.timing.reduction = 0;
  if (info.chunking == Chunking::kChosen) request.chunks = kAutomaticChunks;
  const Schedule schedule = compile_spread(info, machine.topology, request);
  Phase phase;
  const bool ends = !goes_around(info);
  phase.contention_free = check_schedule(machine.topology, schedule).contention_free;
  phase.time = static_cast<double>(expected_time(machine.topology, request, schedule));
  for_each_entry(schedule, [&](NodeId node, const TableEntry& entry) {
    const bool gathers = collective == Collective::kAllGather;
    const NodeId to = entry.destination();
    const auto [from, towards] = gathers ? std::pair{node, to} : std::pair{to, node};
    phase.messages.emplace_back(ends ? from : 0, ends ? towards : 0, entry.address, entry.bytes);
  });
  std::ranges::sort(phase.messages);
  return phase;
}

// These algorithms search for trees and orders in each phase separately, so their phases may differ.
bool searches(const AlgorithmInfo& info) {
  return info.name == "packed_trees" || info.chooses_algorithm;
}

// An all-gather is the reverse of the reduce-scatter, message by message, and takes the same time. With
// contention, times may differ, because in both phases the first message to arrive is served first.
TEST(Mirror, AllGathersAreReduceScattersReversed) {
  int compared = 0;
  int timed_ones = 0;
  for (const Machine& machine : networks()) {
    for (const AlgorithmInfo& info : algorithms()) {
      if (info.make == nullptr) continue;
      try {
        const Phase gather = phase_of(machine, info, Collective::kAllGather);
        const Phase scatter = phase_of(machine, info, Collective::kReduceScatter);
        ++compared;
        EXPECT_TRUE(searches(info) || gather.messages == scatter.messages)
            << info.name << " on " << machine.topology.name();
        if (!gather.contention_free || !scatter.contention_free) continue;
        ++timed_ones;
        EXPECT_NEAR(gather.time, scatter.time, 0.01 * std::min(gather.time, scatter.time))
            << info.name << " on " << machine.topology.name();
      } catch (const UnsupportedError&) {
        continue;  // not supported on this network, or all-reduces only
      }
    }
  }
  EXPECT_GT(compared, 60);
  EXPECT_GT(timed_ones, 35);
}

}  // namespace
}  // namespace coppice::schedule

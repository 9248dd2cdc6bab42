#include "schedule/packed_trees/exact_splitting.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "machine.h"
#include "sound_circuits.h"
#include "topology/connectivity.h"

namespace coppice::schedule {
namespace {

using topology::Topology;

constexpr std::int64_t kEnough = 1'000'000;  // minimum cuts

// The bytes per second out of a set of accelerators, switches on whichever side makes them fewest: all sides
// are tried.
std::int64_t exit_of(const Topology& topology, unsigned accelerators) {
  const int n = topology.num_accelerators();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (unsigned switches = 0; switches < 1U << topology.num_switches(); ++switches) {
    const unsigned inside = accelerators | switches << n;
    std::int64_t sum = 0;
    for (const topology::Channel& channel : topology.channels()) {
      if ((inside >> channel.src & 1U) != 0 && (inside >> channel.dst & 1U) == 0)
        sum += channel.bandwidth.bytes_per_second;
    }
    least = std::min(least, sum);
  }
  return least;
}

// The least of exits over joints of all partitions, one accelerator after another in each group or a new one.
double strength(const Topology& topology, std::vector<unsigned>& groups, int next) {
  if (next == topology.num_accelerators()) {
    if (groups.size() < 2) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const unsigned group : groups) sum += static_cast<double>(exit_of(topology, group));
    return sum / static_cast<double>(groups.size() - 1);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g] |= 1U << next;
    least = std::min(least, strength(topology, groups, next + 1));
    groups[g] &= ~(1U << next);
  }
  groups.push_back(1U << next);
  least = std::min(least, strength(topology, groups, next + 1));
  groups.pop_back();
  return least;
}

double strength(const Topology& topology) {
  std::vector<unsigned> groups;
  return strength(topology, groups, 0);
}

// Links of any bandwidths, every one both ways.
Topology random_bandwidths(int accelerators, int switches, int more_links) {
  const Machine machine = random_graph(accelerators, switches, more_links);
  Topology graph(topology::Kind::kFile, {}, accelerators, switches);
  const auto& channels = machine.topology.channels();
  for (std::size_t i = 0; i < channels.size(); i += 2) {
    const std::int64_t rate = *rc::gen::inRange<std::int64_t>(1, 17) * 1'000'000'000;
    graph.add_channel(channels[i].src, channels[i].dst, {rate}, 0);
    graph.add_channel(channels[i].dst, channels[i].src, {rate}, 0);
  }
  return graph;
}

// By trying all partitions and sides of switches, before and after. Seldom no order of pairs splits all.
RC_GTEST_PROP(ExactSplitting, LosesNoCapacity, ()) {
  const Topology topology =
      random_bandwidths(*rc::gen::inRange(2, 7), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
  const auto circuits = split_off_exactly(topology, 0, *rc::gen::arbitrary<std::uint64_t>(), kEnough);
  RC_PRE(circuits.has_value());
  require_sound(topology, *circuits);
  RC_ASSERT(!topology::find_unreachable(circuits->network));
  RC_ASSERT(strength(circuits->network) > strength(topology) * (1 - 1e-5));
}

TEST(ExactSplitting, GivesUpWhereItWouldTakeTooLong) {
  const Machine machine = built(topology::Kind::kSwitch, {8});
  EXPECT_FALSE(split_off_exactly(machine.topology, 0, 1, 2).has_value());
  EXPECT_TRUE(split_off_exactly(machine.topology, 0, 1, kEnough).has_value());
}

TEST(ExactSplitting, NeedsChannelsBack) {
  Topology ring(topology::Kind::kFile, {}, 2, 1);
  for (const auto& [a, b] : {std::pair{0, 2}, {2, 1}, {1, 0}}) ring.add_channel(a, b, {16'000'000'000}, 0);
  EXPECT_FALSE(split_off_exactly(ring, 0, 1, kEnough).has_value());
}

}  // namespace
}  // namespace coppice::schedule

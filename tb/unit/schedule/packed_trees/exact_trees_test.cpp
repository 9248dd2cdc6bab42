#include "schedule/packed_trees/exact_trees.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "random_execution.h"
#include "schedule/packed_trees/piece_schedule.h"
#include "schedule/proof/checker.h"
#include "topology/bounds/bound.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

Topology hosts(int accelerators, std::int64_t rate, std::int64_t uplink) {
  Topology network(topology::Kind::kFile, {}, 2 * accelerators, 2);
  const auto link = [&](NodeId a, NodeId b, std::int64_t of) {
    network.add_channel(a, b, {of}, 100 * kFemtosecondsPerNanosecond);
    network.add_channel(b, a, {of}, 100 * kFemtosecondsPerNanosecond);
  };
  for (NodeId node = 0; node < 2 * accelerators; ++node)
    link(node, 2 * accelerators + node / accelerators, rate);
  link(2 * accelerators, 2 * accelerators + 1, uplink);
  return network;
}

CompileRequest request_of(const Machine& machine, Collective collective, Bytes size) {
  CompileRequest request = timed(machine.request(collective, size));
  request.chunks = kAutomaticChunks;
  return request;
}

double least_ns(const Topology& topology, Collective collective, Bytes size) {
  if (collective == Collective::kAllReduce) return topology::least_all_reduce_time(topology, size).ns();
  const int n = topology.num_accelerators();
  const std::vector<Bytes> shares(static_cast<std::size_t>(n), size / n);
  return topology::least_share_time(topology, collective, shares).ns();
}

TEST(ExactTrees, FillTheLinkBetweenTwoHosts) {
  for (const auto& [accelerators, uplink] : {std::pair{3, 4}, {4, 2}, {8, 2}}) {
    const Machine machine =
        make_machine(hosts(accelerators, 16'000'000'000, uplink * std::int64_t{1'000'000'000}));
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      const Bytes size = 3 << 22;
      const PackedTables tables = pack_exactly(machine.topology, request_of(machine, collective, size));
      ASSERT_TRUE(tables.schedule.has_value());
      check_schedule(machine.topology, *tables.schedule);
      EXPECT_LT(static_cast<double>(tables.expected) / kFemtosecondsPerNanosecond,
                1.02 * least_ns(machine.topology, collective, size))
          << accelerators << " accelerators, " << to_string(collective);
    }
  }
}

// With too many hops, the search for a steady order would take too long, so none is returned.
TEST(ExactTrees, HaveNoPeriodicOrderWithTooManyHops) {
  const Machine machine = make_machine(hosts(33, 16'000'000'000, 16'000'000'000));
  const int n = machine.topology.num_accelerators();
  std::vector<PackedTree> stars;
  for (NodeId root = 0; root < n; ++root) {
    PackedTree& star = stars.emplace_back(PackedTree{root, {}});
    for (NodeId to = 0; to < n; ++to) {
      if (to == root) continue;
      const topology::ChannelId out = machine.topology.out_channels(root).front();
      const topology::ChannelId in = machine.topology.in_channels(to).front();
      ChannelPath path{out};
      if (machine.topology.channel(out).dst != machine.topology.channel(in).src) {
        path.push_back(find_channel(machine.topology, machine.topology.channel(out).dst,
                                    machine.topology.channel(in).src));
      }
      path.push_back(in);
      star.hops.push_back({Op::kGather, root, to, path});
    }
  }
  const CompileRequest request = request_of(machine, Collective::kAllGather, 1 << 20);
  EXPECT_EQ(PieceScheduler(machine.topology, request, stars).finish_steady(4096, 2, 1.0), std::nullopt);
  stars.resize(2);
  EXPECT_NE(PieceScheduler(machine.topology, request, stars).finish_steady(4096, 2, 1.0), std::nullopt);
}

RC_GTEST_PROP(ExactTrees, AreCorrectUnderAnyTiming, ()) {
  const Machine machine =
      random_graph(*rc::gen::inRange(2, 7), *rc::gen::inRange(1, 4), *rc::gen::inRange(0, 6));
  const int n = machine.topology.num_accelerators();
  CompileRequest request = request_of(machine, random_collective(), 4 * *rc::gen::inRange<Bytes>(n, 3000));
  if (request.collective != Collective::kAllReduce && *rc::gen::arbitrary<bool>())
    request.root = *rc::gen::inRange(0, n);
  const PackedTables tables = pack_exactly(machine.topology, request);
  RC_PRE(tables.schedule.has_value());
  check_schedule(machine.topology, *tables.schedule);
  RC_ASSERT(RandomExecution(*tables.schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

TEST(ExactTrees, RespectTheLimit) {
  const Machine machine = make_machine(hosts(3, 16'000'000'000, 4'000'000'000));
  EXPECT_FALSE(
      pack_exactly(machine.topology, request_of(machine, Collective::kAllGather, 1 << 20), 1000).schedule);
}

}  // namespace
}  // namespace coppice::schedule

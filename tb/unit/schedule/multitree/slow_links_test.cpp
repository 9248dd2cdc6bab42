#include "schedule/multitree/slow_links.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "machine.h"
#include "random_execution.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;
using topology::Topology;

Machine with_links(int accelerators, const std::vector<std::tuple<NodeId, NodeId, int>>& links) {
  Topology graph(topology::Kind::kFile, {}, accelerators, 0);
  for (const auto& [a, b, gb] : links) {
    const Bandwidth rate{gb * 1'000'000'000LL};
    graph.add_channel(a, b, rate, 150 * kFemtosecondsPerNanosecond);
    graph.add_channel(b, a, rate, 150 * kFemtosecondsPerNanosecond);
  }
  return make_machine(std::move(graph));
}

double expected_ns(const Machine& machine, const std::string& algorithm) {
  const CompileRequest request = machine.request(Collective::kAllReduce, 1 << 20);
  const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
  check_schedule(machine.topology, schedule);
  return static_cast<double>(expected_time(machine.topology, request, schedule)) / kFemtosecondsPerNanosecond;
}

// If one link of a ring has 1 GB/s instead of 16 GB/s, the ring must not be slower than the line without this
// link.
TEST(SlowLinks, CostNothing) {
  const Machine path = with_links(4, {{0, 1, 16}, {1, 2, 16}, {2, 3, 16}});
  const Machine ring = with_links(4, {{0, 1, 16}, {1, 2, 16}, {2, 3, 16}, {3, 0, 1}});
  for (const std::string algorithm : {"multitree", "multitree_optimal"}) {
    EXPECT_LE(expected_ns(ring, algorithm), 1.001 * expected_ns(path, algorithm)) << algorithm;
  }
}

TEST(SlowLinks, AreUsedIfTheyAreNeeded) {
  const Machine path = with_links(3, {{0, 1, 16}, {1, 2, 1}});
  EXPECT_GT(expected_ns(path, "multitree"), 1 << 20);  // all 2^20 bytes cross the slow link at 1 GB/s
}

RC_GTEST_PROP(SlowLinks, DoNotMakeTreesWrong, ()) {
  const int n = *rc::gen::inRange(2, 8);
  std::vector<std::tuple<NodeId, NodeId, int>> links;
  for (NodeId node = 1; node < n; ++node)
    links.emplace_back(*rc::gen::inRange(0, node), node, *rc::gen::element(1, 4, 16));
  for (int more = *rc::gen::inRange(0, 10); more > 0; --more) {
    const NodeId a = *rc::gen::inRange(0, n);
    if (const NodeId b = *rc::gen::inRange(0, n); a != b)
      links.emplace_back(a, b, *rc::gen::element(1, 4, 16));
  }
  const Machine machine = with_links(n, links);
  for (const std::string algorithm : {"multitree", "multitree_optimal"}) {
    const Schedule schedule = machine.compile(algorithm, Collective::kAllReduce, 4 * 64);
    check_schedule(machine.topology, schedule);
    RC_ASSERT(RandomExecution(schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
  }
}

}  // namespace
}  // namespace coppice::schedule

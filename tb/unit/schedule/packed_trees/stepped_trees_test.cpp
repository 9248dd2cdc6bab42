#include "schedule/packed_trees/stepped_trees.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include "machine.h"
#include "random_execution.h"
#include "schedule/packed_trees/expected_time.h"
#include "schedule/packed_trees/packed_trees.h"
#include "schedule/packed_trees/step_search.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using topology::NodeId;

constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();
constexpr Femtoseconds kSetup = 14'000 * kFemtosecondsPerNanosecond;

CompileRequest with_setup(const Machine& machine, Bytes size) {
  CompileRequest request = timed(machine.request(Collective::kAllReduce, size));
  request.chunks = kAutomaticChunks;
  request.timing.cycle = 640'000;  // the time of a 16-byte flit at 25 GB/s
  request.timing.message_setup = kSetup;
  return request;
}

std::vector<StepSearch::Link> links_of(const topology::Topology& topology) {
  std::vector<StepSearch::Link> links;
  for (const topology::Channel& channel : topology.channels()) links.push_back({channel.src, channel.dst});
  return links;
}

// Every node except the root joins each tree once, over a link from a node that joined earlier. In each step,
// a link serves at most one tree.
RC_GTEST_PROP(StepSearch, FindsTreesThatShareNoLinkInAStep, ()) {
  const Machine machine = random_machine(3);
  const int n = machine.topology.num_accelerators();
  RC_PRE(n > 1);
  const auto links = links_of(machine.topology);
  const int trees = *rc::gen::inRange(1, 8);
  const int steps = *rc::gen::inRange(1, 7);
  StepSearch search(n, links, trees, steps, *rc::gen::arbitrary<std::uint64_t>());
  const bool found = search.run(4'000);
  RC_CLASSIFY(found);
  RC_PRE(found);
  std::set<std::pair<int, int>> used;
  for (int tree = 0; tree < trees; ++tree) {
    int roots = 0;
    for (NodeId node = 0; node < n; ++node) {
      const int link = search.link(tree, node);
      if (link < 0) {
        ++roots;
        RC_ASSERT(search.step(tree, node) == 0);
        continue;
      }
      const StepSearch::Link& way = links[static_cast<std::size_t>(link)];
      RC_ASSERT(way.dst == node);
      RC_ASSERT(search.step(tree, way.src) < search.step(tree, node));
      RC_ASSERT(search.step(tree, node) <= steps);
      RC_ASSERT(used.emplace(link, search.step(tree, node)).second);
    }
    RC_ASSERT(roots == 1);
  }
}

// In three steps, the 48 channels carry at most 144 messages, which is enough for 20 trees of 7 edges.
TEST(StepSearch, FillsADgx1) {
  const Machine machine = dgx1();
  const auto links = links_of(machine.topology);
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 4 && !found; ++seed) {
    found = StepSearch(8, links, 20, 3, seed).run(100'000);
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(StepSearch(8, links, 21, 3, 1).run(20'000));
}

// The time is at most that of six steps, each of which consists of a message setup and a twentieth of the
// data.
TEST(SteppedTrees, PayForSixSetupsOnADgx1) {
  const Machine machine = dgx1();
  const CompileRequest request = with_setup(machine, 64 * 1024 * 1024);
  const PackedTables tables = pack_in_steps(machine.topology, request, "t", kNever);
  ASSERT_TRUE(tables.schedule);
  EXPECT_TRUE(check_schedule(machine.topology, *tables.schedule).contention_free);
  EXPECT_EQ(tables.expected, expected_time(machine.topology, request, *tables.schedule));
  EXPECT_LT(tables.expected, 910'000 * kFemtosecondsPerNanosecond);
  EXPECT_LE(
      expected_time(machine.topology, request, PackedTreesCompiler().compile(machine.topology, request)),
      tables.expected);
}

RC_GTEST_PROP(SteppedTrees, AreCorrectUnderAnyTiming, ()) {
  const Machine machine = *rc::gen::inRange(0, 8) > 0 ? random_machine(2) : dgx1();
  const CompileRequest request = with_setup(machine, random_size());
  const PackedTables tables = pack_in_steps(machine.topology, request, "t", kNever);
  RC_CLASSIFY(tables.schedule.has_value());
  if (!tables.schedule) return;
  RC_ASSERT(check_schedule(machine.topology, *tables.schedule).contention_free);
  RC_ASSERT(RandomExecution(*tables.schedule, *rc::gen::arbitrary<std::uint64_t>()).succeeds());
}

// If messages need no setup, pipelined pieces are as fast, so the compiler does not search for stepped trees.
TEST(SteppedTrees, AreOmittedWithoutSetups) {
  const Machine machine = dgx1();
  CompileRequest request = with_setup(machine, 64 * 1024 * 1024);
  request.timing.message_setup = 0;
  EXPECT_FALSE(pack_in_steps(machine.topology, request, "t", kNever).schedule);
  request.timing.message_setup = kSetup;
  EXPECT_FALSE(pack_in_steps(machine.topology, request, "t", kSetup).schedule);
  request.collective = Collective::kAllGather;
  EXPECT_FALSE(pack_in_steps(machine.topology, request, "t", kNever).schedule);
}

}  // namespace
}  // namespace coppice::schedule

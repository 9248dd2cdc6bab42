#include "schedule/pipelined_trees/tree_compilers.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<std::string> kAlgorithms{"tree", "double_tree", "overlapped_tree",
                                           "overlapped_double_tree"};

RC_GTEST_PROP(TreeCompilers, AreCorrectForAnyPositionOfTheTrees, ()) {
  const Machine machine = *rc::gen::arbitrary<bool>() ? dgx1() : random_machine(4);
  CompileRequest request = machine.request(Collective::kAllReduce, random_size());
  const auto most = static_cast<int>(std::max<Bytes>(request.size / request.element / 2, 1));
  request.chunks = *rc::gen::inRange(1, std::min(most, 7) + 1);
  request.trees = *rc::gen::element(TreePlacement::kAuto, TreePlacement::kRouted);
  const std::string algorithm = *rc::gen::elementOf(kAlgorithms);
  check_schedule(machine.topology, make_compiler(algorithm)->compile(machine.topology, request));
}

// In the paper's placement, and in a placement without detours, no two trees share a channel, whether or not
// the phases overlap.
TEST(TreeCompilers, AreFreeOfContentionOnADgx1) {
  const Machine machine = dgx1();
  for (const std::string& algorithm : kAlgorithms) {
    for (const TreePlacement placement : {TreePlacement::kCcube, TreePlacement::kEmbedded}) {
      CompileRequest request = machine.request(Collective::kAllReduce, 4096);
      request.chunks = 16;
      request.trees = placement;
      const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
      EXPECT_TRUE(check_schedule(machine.topology, schedule).contention_free) << algorithm;
      EXPECT_EQ(schedule.steps, algorithm.starts_with("overlapped") ? 2 * 3 + 15 : 2 * (3 + 15)) << algorithm;
    }
  }
}

// The example of Fig. 5: a tree of two levels with four chunks takes 10 steps, or 7 if the phases overlap.
TEST(TreeCompilers, TakeTheStepsOfTheWorkedExample) {
  const Machine machine = torus({4});
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  request.chunks = 4;
  EXPECT_EQ(make_compiler("tree")->compile(machine.topology, request).steps, 10);
  EXPECT_EQ(make_compiler("overlapped_tree")->compile(machine.topology, request).steps, 7);
}

// Over both trees, the chunks become final in the order of their addresses.
TEST(TreeCompilers, ChunksBecomeFinalInTheOrderOfTheirAddresses) {
  const Machine machine = dgx1();
  for (const std::string& algorithm : kAlgorithms) {
    CompileRequest request = machine.request(Collective::kAllReduce, 4096);
    request.chunks = 8;
    std::map<Bytes, int> last;  // the last step that stores data at each address
    const Schedule schedule = make_compiler(algorithm)->compile(machine.topology, request);
    for_each_entry(schedule, [&](NodeId, const TableEntry& entry) {
      if (entry.op == Op::kGather) last[entry.address] = std::max(last[entry.address], entry.step);
    });
    int before = 0;
    for (const auto& [address, step] : last) {
      EXPECT_GE(step, before) << algorithm << " at " << address;
      before = step;
    }
  }
}

TEST(TreeCompilers, ChooseTheNumberOfChunksByEquationFour) {
  const Machine machine = dgx1();
  CompileRequest request = machine.request(Collective::kAllReduce, Bytes{64} << 20);
  request.chunks = kAutomaticChunks;
  request.step_latency = 10'000 * kFemtosecondsPerNanosecond;
  // The optimum is sqrt(3 * 0.04 ns/B * 32 MiB / 10,000 ns) = 20.07.
  EXPECT_EQ(resolve_chunks(machine.topology, request, 2), 20);
  EXPECT_EQ(make_compiler("double_tree")->compile(machine.topology, request).flows, 40);
  request.size = 16;
  EXPECT_EQ(resolve_chunks(machine.topology, request, 2), 1);
}

TEST(TreeCompilers, RejectMoreChunksThanElements) {
  const Machine machine = dgx1();
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  request.chunks = 9;
  EXPECT_THAT([&] { make_compiler("double_tree")->compile(machine.topology, request); },
              ThrowsMessage<UnsupportedError>(HasSubstr("allow at most 8")));
  request.chunks = 8;
  EXPECT_EQ(make_compiler("double_tree")->compile(machine.topology, request).flows, 16);
}

TEST(TreeCompilers, ThePapersTreesAreForEightAccelerators) {
  const Machine machine = torus({4});
  CompileRequest request = machine.request(Collective::kAllReduce, 64);
  request.trees = TreePlacement::kCcube;
  EXPECT_THAT([&] { make_compiler("tree")->compile(machine.topology, request); },
              ThrowsMessage<UnsupportedError>(HasSubstr("the trees have 8 accelerators")));
}

TEST(TreeCompilers, AnUnconnectedGraphHasNoTree) {
  topology::Topology topology(topology::Kind::kFile, {}, 4, 0);
  for (const NodeId node : {0, 2}) {
    topology.add_channel(node, node + 1, {1'000'000'000}, 0);
    topology.add_channel(node + 1, node, {1'000'000'000}, 0);
  }
  const CompileRequest request{.collective = Collective::kAllReduce, .size = 64};
  EXPECT_THAT([&] { make_compiler("tree")->compile(topology, request); },
              ThrowsMessage<UnsupportedError>(HasSubstr("cannot place a tree")));
}

}  // namespace
}  // namespace coppice::schedule

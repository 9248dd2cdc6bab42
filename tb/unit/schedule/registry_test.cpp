#include "schedule/registry.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

TEST(Registry, EveryAlgorithmStatesItsFeaturesAndIsCreatedByItsName) {
  std::set<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is registered twice";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_EQ(make_compiler(info.name) == nullptr, info.make == nullptr) << info.name;
    EXPECT_EQ(info.make == nullptr && info.exchange == nullptr, info.from_file) << info.name;
    EXPECT_EQ(find_algorithm(info.name), &info);
  }
  EXPECT_NE(make_compiler("ring"), nullptr);
  EXPECT_NE(make_compiler("multitree"), nullptr);
}

// With `auto`, an algorithm chooses a number of chunks if and only if it divides data into chunks; all tables
// are correct.
TEST(Registry, AlgorithmsWithChunksChooseThem) {
  const Machine machine = torus({4, 4});
  for (const AlgorithmInfo& info : algorithms()) {
    const bool elsewhere = info.name == "hdrm" || info.name == "nvls" || info.name == "rail_tree";
    if (info.make == nullptr || info.over_dimensions || elsewhere)
      continue;                            // these algorithms need other networks
    if (info.chooses_algorithm) continue;  // the algorithm that it chooses may not have chunks
    CompileRequest request = machine.request(Collective::kAllReduce, 1 << 20);
    request.chunks = kAutomaticChunks;
    request.step_latency = 158 * kFemtosecondsPerNanosecond;
    request.message_gap = 5 * kFemtosecondsPerNanosecond;
    const auto choice = [&] {
      const Schedule schedule = make_compiler(info.name)->compile(machine.topology, request);
      check_schedule(machine.topology, schedule);
      return schedule.chunks;
    };
    // These two algorithms divide data into chunks only if the collective has a root.
    const bool of_one = info.name == "multitree" || info.name == "rail_ring";
    EXPECT_EQ(choice() > 0, info.chunking == Chunking::kChosen && !of_one) << info.name;
    if (!info.rooted) continue;
    request.root = 5;
    request.collective = Collective::kAllGather;
    EXPECT_GT(choice(), 1) << info.name;
    request.size = 4;
    EXPECT_EQ(choice(), 1) << info.name;
  }
}

// A broadcast needs a single tree. All algorithms that are marked as rooted can build one.
TEST(Registry, RootedAlgorithmsBroadcast) {
  const Machine machine = torus({4, 4});
  CompileRequest request = machine.request(Collective::kAllGather, 4096);
  request.root = 5;
  const auto rooted = algorithms_that([](const AlgorithmInfo& info) { return info.rooted; });
  EXPECT_THAT(rooted, testing::IsSupersetOf({"multitree", "multitree_optimal"}));
  for (const std::string& name : rooted) {
    const Schedule schedule = make_compiler(name)->compile(machine.topology, request);
    EXPECT_EQ(collective_name(schedule), "broadcast") << name;
  }
}

TEST(Registry, PiecesAreRejectedIfTheyHaveNoMeaning) {
  const Machine machine = torus({4, 4});
  CompileRequest request = machine.request(Collective::kAllReduce, 1024);
  request.chunks = 2;
  for (const std::string name : {"ring", "ring2d", "halving_doubling", "direct", "multitree"}) {
    EXPECT_THAT([&] { make_compiler(name)->compile(machine.topology, request); },
                testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr(name + " does not split")));
  }
}

TEST(Registry, UnknownNamesHaveNoAlgorithm) {
  EXPECT_EQ(make_compiler("rign"), nullptr);
}

}  // namespace
}  // namespace coppice::schedule

#include "schedule/registry.h"

#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "machine.h"

namespace coppice::schedule {
namespace {

TEST(Registry, EveryAlgorithmSaysWhatItCanDoAndIsMadeByItsName) {
  std::set<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " twice";
    EXPECT_FALSE(info.summary.empty()) << info.name;
    EXPECT_EQ(make_compiler(info.name) == nullptr, info.from_file) << info.name;
    EXPECT_EQ(find_algorithm(info.name), &info);
  }
  EXPECT_NE(make_compiler("ring"), nullptr);
  EXPECT_NE(make_compiler("multitree"), nullptr);
}

// An algorithm's description of its chunks is what its compiler does.
TEST(Registry, ChunksAreTakenAsSaid) {
  const Machine machine = torus({4, 4});
  CompileRequest request = machine.request(Collective::kAllReduce, 4096);
  for (const AlgorithmInfo& info : algorithms()) {
    if (info.from_file || info.over_dimensions || info.name == "hdrm") continue;
    for (const int chunks : {3, kAutomaticChunks}) {
      request.chunks = chunks;
      const bool takes = info.chunking == Chunking::kChosen ||
                         (info.chunking == Chunking::kGiven && chunks != kAutomaticChunks);
      if (takes) {
        EXPECT_NO_THROW(make_compiler(info.name)->compile(machine.topology, request)) << info.name;
      } else if (info.chunking == Chunking::kWhole) {
        EXPECT_THROW(make_compiler(info.name)->compile(machine.topology, request), UnsupportedError)
            << info.name;
      }
    }
  }
}

// The tree of one accelerator is what a broadcast needs: those that say so give it, the others refuse none.
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

TEST(Registry, PiecesAreRefusedWhereTheyMeanNothing) {
  const Machine machine = torus({4, 4});
  CompileRequest request = machine.request(Collective::kAllReduce, 1024);
  request.chunks = 2;
  for (const std::string name : {"ring", "ring2d", "halving_doubling", "direct", "multitree"}) {
    EXPECT_THAT([&] { make_compiler(name)->compile(machine.topology, request); },
                testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr(name + " does not cut")));
  }
}

TEST(Registry, UnknownNamesGiveNothing) {
  EXPECT_EQ(make_compiler("rign"), nullptr);
}

}  // namespace
}  // namespace coppice::schedule

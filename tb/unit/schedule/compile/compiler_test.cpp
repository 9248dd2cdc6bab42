#include "schedule/compile/compiler.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"
#include "schedule/proof/checker.h"

namespace coppice::schedule {
namespace {

TEST(Compiler, EveryListedAlgorithmCanBeMade) {
  for (const AlgorithmInfo& info : algorithms()) {
    EXPECT_NE(make_compiler(info.name), nullptr) << info.name;
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_NE(make_compiler("ring"), nullptr);
  EXPECT_NE(make_compiler("multitree"), nullptr);
}

TEST(Compiler, PiecesAreRefusedWhereTheyMeanNothing) {
  const Machine machine = torus({4, 4});
  CompileRequest request = machine.request(Collective::kAllReduce, 1024);
  request.chunks = 2;
  for (const std::string name : {"ring", "ring2d", "halving_doubling", "direct", "multitree"}) {
    EXPECT_THAT([&] { make_compiler(name)->compile(machine.topology, request); },
                testing::ThrowsMessage<UnsupportedError>(testing::HasSubstr(name + " does not cut")));
  }
}

// Whoever cuts data says how often where it is asked to choose, nobody else does, and all are right.
TEST(Compiler, AlgorithmsWithChunksChooseThem) {
  const Machine machine = torus({4, 4});
  for (const AlgorithmInfo& info : algorithms()) {
    if (info.name == "hierarchical" || info.name == "hdrm") continue;  // other networks
    CompileRequest request = machine.request(Collective::kAllReduce, 1 << 20);
    request.chunks = kAutomaticChunks;
    request.step_latency = 158 * kFemtosecondsPerNanosecond;
    request.message_gap = 5 * kFemtosecondsPerNanosecond;
    const auto choice = [&] {
      const Schedule schedule = make_compiler(info.name)->compile(machine.topology, request);
      check_schedule(machine.topology, schedule);
      return schedule.chunks;
    };
    // multitree cuts what one accelerator has, not what all have.
    EXPECT_EQ(choice() > 0, info.chunked && info.name != "multitree") << info.name;
    if (!info.rooted) continue;
    request.root = 5;
    request.collective = Collective::kAllGather;
    EXPECT_GT(choice(), 1) << info.name;
    request.size = 4;
    EXPECT_EQ(choice(), 1) << info.name;
  }
}

TEST(Compiler, UnknownNamesGiveNothing) {
  EXPECT_EQ(make_compiler("rign"), nullptr);
}

}  // namespace
}  // namespace coppice::schedule

#include "schedule/compile/compiler.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "machine.h"

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

TEST(Compiler, UnknownNamesGiveNothing) {
  EXPECT_EQ(make_compiler("rign"), nullptr);
}

}  // namespace
}  // namespace coppice::schedule

#include "schedule/compiler.h"

#include <gtest/gtest.h>

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

TEST(Compiler, UnknownNamesGiveNothing) {
  EXPECT_EQ(make_compiler("rign"), nullptr);
}

}  // namespace
}  // namespace coppice::schedule

#include "fabric/flits/stretch_judge.h"

#include <gtest/gtest.h>

namespace coppice::fabric {
namespace {

constexpr std::int64_t kEnough =
    8 * 4;  // the number of attempts after which a network of four nodes is judged

TEST(StretchJudge, WaitsForEnoughAttemptsInTheWholeNetwork) {
  StretchJudge judge(4);
  judge.add({kEnough - 1, -1000});
  EXPECT_EQ(judge.judge(100), 100);
  judge.add({1, 0});
  EXPECT_GT(judge.judge(100), 100);
  // The judge starts over after a judgement, so earlier losses do not count again.
  EXPECT_EQ(judge.judge(200), 200);
}

TEST(StretchJudge, ContinuesIfTheySaveTimeTogether) {
  StretchJudge judge(4);
  judge.add({kEnough / 2, -500});
  judge.add({kEnough / 2, 500});
  EXPECT_EQ(judge.judge(100), 100);
}

TEST(StretchJudge, DoublesThePauseUntilTheySaveTime) {
  StretchJudge judge(4);
  const auto rest = [&](std::int64_t flits) {
    judge.add({kEnough, flits});
    return judge.judge(1000) - 1000;
  };
  const Cycles first = rest(-1);
  EXPECT_EQ(rest(-1), 2 * first);
  EXPECT_EQ(rest(-1), 4 * first);
  EXPECT_EQ(rest(-1), 8 * first);
  EXPECT_EQ(rest(-1), 8 * first);
  EXPECT_EQ(rest(1), 0);
  EXPECT_EQ(rest(-1), first);
}

}  // namespace
}  // namespace coppice::fabric

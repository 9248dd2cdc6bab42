#include "config/document/nearest.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace coppice::config {
namespace {

TEST(EditDistance, CountsTheFourKindsOfMistakes) {
  EXPECT_EQ(edit_distance("torus", "torus"), 0);
  EXPECT_EQ(edit_distance("toru", "torus"), 1);
  EXPECT_EQ(edit_distance("torrus", "torus"), 1);
  EXPECT_EQ(edit_distance("tarus", "torus"), 1);
  EXPECT_EQ(edit_distance("otrus", "torus"), 1);
  EXPECT_EQ(edit_distance("", "torus"), 5);
  EXPECT_EQ(edit_distance("mesh", "torus"), 5);
}

RC_GTEST_PROP(EditDistance, IsSymmetricAndBoundedByTheLongerWord,
              (const std::string& a, const std::string& b)) {
  const int distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT(distance <= static_cast<int>(std::max(a.size(), b.size())));
  RC_ASSERT((distance == 0) == (a == b));
}

RC_GTEST_PROP(EditDistance, IsAtMostTheNumberOfErasedLetters, (std::string word)) {
  RC_PRE(!word.empty());
  const auto at = *rc::gen::inRange<std::size_t>(0, word.size());
  std::string shorter = word;
  shorter.erase(at, 1);
  RC_ASSERT(edit_distance(word, shorter) == 1);
}

TEST(Nearest, PrefersTheFirstOfEqualNames) {
  const std::vector<std::string> names{"ring", "king", "multitree"};
  EXPECT_EQ(nearest("wing", names), "ring");
  EXPECT_EQ(nearest("multitre", names), "multitree");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(NearestKey, CorrectsALetterOrTheSection) {
  const std::vector<std::string> keys{"seed",
                                      "system",
                                      "system.link",
                                      "system.link.bandwidth",
                                      "system.router",
                                      "system.router.vcs",
                                      "system.router.vc_depth"};
  EXPECT_EQ(nearest_key("system.link.bandwith", keys), "system.link.bandwidth");
  EXPECT_EQ(nearest_key("sistem.link.bandwidth", keys), "system.link.bandwidth");
  EXPECT_EQ(nearest_key("system.vc_depth", keys), "system.router.vc_depth");
  EXPECT_EQ(nearest_key("bandwidth", keys), "system.link.bandwidth");
  EXPECT_EQ(nearest_key("system.ruoter", keys), "system.router");
}

}  // namespace
}  // namespace coppice::config

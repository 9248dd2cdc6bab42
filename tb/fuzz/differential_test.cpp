// `fidelity: train` against `fidelity: flit` on a fixed set of random systems; soak.cpp goes on from there.
#include <gtest/gtest.h>

#include <iostream>

#include "differential.h"

namespace coppice::fuzz {
namespace {

TEST(Differential, TrainsAgreeWithFlitsOnRandomSystems) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 200;
  Tally tally;
  const auto outcome = rc::detail::checkTestable([&tally] { require_agreement(*random_system(), tally); },
                                                 rc::detail::TestMetadata{}, params);
  std::cout << tally.report() << '\n';
  std::ostringstream text;
  rc::detail::printResultMessage(outcome, text);
  ASSERT_TRUE(outcome.is<rc::detail::SuccessResult>()) << text.str();
  // Enough must be told by trains for the law to mean something.
  EXPECT_GE(tally.agreed_share(), 0.4);
}

}  // namespace
}  // namespace coppice::fuzz

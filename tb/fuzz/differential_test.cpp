// Compares `fidelity: train` with `fidelity: flit` on a fixed set of random systems. soak.cpp does so on an
// unlimited number of systems.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

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
  // The comparison is meaningful only if trains apply to enough of the systems.
  EXPECT_GE(tally.agreed_share(), 0.4);
}

// Each of these configurations once revealed an error, and is kept in its original form.
TEST(Differential, TrainsAgreeWithFlitsOnSystemsThatOnceFailed) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(COPPICE_REGRESSIONS)) {
    std::stringstream yaml;
    yaml << std::ifstream(file.path()).rdbuf();
    rc::detail::TestParams params;
    params.maxSuccess = 1;
    Tally tally;
    const auto outcome = rc::detail::checkTestable([&] { require_agreement(yaml.str(), tally); },
                                                   rc::detail::TestMetadata{}, params);
    std::ostringstream text;
    rc::detail::printResultMessage(outcome, text);
    EXPECT_TRUE(outcome.is<rc::detail::SuccessResult>()) << file.path() << "\n" << text.str();
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace coppice::fuzz

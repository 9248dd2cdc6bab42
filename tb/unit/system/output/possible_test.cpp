#include "system/output/possible.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace coppice::system {
namespace {

TEST(Possible, AcceptsPartsUpToTheWhole) {
  EXPECT_NO_THROW(require_part("efficiency", 0.0));
  EXPECT_NO_THROW(require_part("efficiency", 1.0));
  EXPECT_NO_THROW(require_part("efficiency", 1.0 + kRatioRounding / 2));
}

TEST(Possible, ReportsPartsLargerThanTheWhole) {
  try {
    require_part("collective 3's efficiency", 1.02);
    FAIL() << "an impossible value was accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("collective 3's efficiency is 1.02"), std::string::npos);
  }
}

TEST(Possible, RejectsWhatIsNotANumber) {
  EXPECT_THROW(require_part("efficiency", std::numeric_limits<double>::quiet_NaN()), ModelError);
  EXPECT_THROW(require_part("efficiency", std::numeric_limits<double>::infinity()), ModelError);
}

}  // namespace
}  // namespace coppice::system

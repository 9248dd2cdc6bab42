#include "config/files/astra_system.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "schedule/tables/dimension_algorithm.h"
#include "scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string complaint(const std::string& text) {
  const ScratchFile file(text, ".json");
  try {
    read_astra_system(file.path());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(AstraSystem, HasTheAlgorithmOfEveryDimension) {
  const ScratchFile file(
      R"({"scheduling-policy": "LIFO", "all-reduce-implementation": ["oneRing", "direct", "halvingDoubling"]})",
      ".json");
  const AstraSystem system = read_astra_system(file.path());
  EXPECT_THAT(system.algorithms, ElementsAreArray(schedule::kDimensionMethods));
  EXPECT_THAT(system.assumptions, ElementsAre(HasSubstr("ignored keys: scheduling-policy")));
}

TEST(AstraSystem, ReportsUnsupportedSettings) {
  EXPECT_THAT(
      complaint(R"({"all-reduce-implementation": ["doubleBinaryTree"]})"),
      HasSubstr(
          "\"doubleBinaryTree\" is not a supported algorithm for a dimension: write one of ring, oneRing"));
  EXPECT_THAT(complaint("{}"), HasSubstr("needs the list all-reduce-implementation"));
  EXPECT_THAT(complaint("["), HasSubstr("is not JSON"));
  EXPECT_THAT(complaint("[1e999]"), HasSubstr("is not JSON"));
}

}  // namespace
}  // namespace coppice::config

#include "system/machine/model_files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

config::Loaded training(const std::string& model, const SourceLocation& place) {
  config::Loaded loaded;
  loaded.config.training.model = model;
  loaded.places["training.model"] = place;
  return loaded;
}

TEST(ModelFiles, FindsModelsByName) {
  EXPECT_THAT(known_models(), Contains("resnet50"));
  EXPECT_EQ(load_model(training("resnet50", {"c.yaml"})).name, "resnet50");
}

TEST(ModelFiles, FindsTablesByTheirPath) {
  std::string folder = (std::filesystem::temp_directory_path() / "model_files_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/mine.csv") << "a, 1, 1, 1, 1, 8, 4, 1,\n";
  EXPECT_EQ(load_model(training(folder + "/mine.csv", {"c.yaml"})).parameters(), 32);
  std::filesystem::remove_all(folder);
}

TEST(ModelFiles, ReportsTheNearestModelAndTheMissingFile) {
  EXPECT_THAT(
      [] {
        load_model(training("resnet", {"c.yaml", 4, 10}));
      },
      ThrowsMessage<ConfigError>(
          AllOf(StartsWith("c.yaml:4:10: training.model: unknown model 'resnet'; did you mean "
                           "'resnet50'?"),
                HasSubstr("alexnet, alphagozero"))));
  EXPECT_THAT(
      [] {
        load_model(training("absent.csv", {"c.yaml", 4, 10}));
      },
      ThrowsMessage<ConfigError>(
          StartsWith("c.yaml:4:10: training.model: the layer table absent.csv does not exist")));
}

}  // namespace
}  // namespace coppice::system

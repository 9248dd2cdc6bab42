#include "config/settings/shape.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

std::int64_t accelerators(const std::string& kind, std::vector<int> dims) {
  Config config;
  config.system.topology = {kind, std::move(dims)};
  return count_accelerators(config);
}

TEST(Shape, CountsAcceleratorsBeforeTheGraphIsBuilt) {
  EXPECT_EQ(accelerators("torus", {4, 3, 2}), 24);
  EXPECT_EQ(accelerators("fat_tree", {8, 2}), 64);
  EXPECT_EQ(accelerators("fat_tree", {8, 2, 0}), 16);
  EXPECT_EQ(accelerators("bigraph", {4, 16}), 64);
  EXPECT_EQ(accelerators("dgx1", {}), 8);
  EXPECT_EQ(accelerators("file", {}), 0);
}

TEST(Shape, OnlyGridsHaveWidths) {
  Config config;
  config.system.topology = {"mesh", {4, 4}};
  EXPECT_TRUE(is_grid(config));
  config.system.topology = {"ring", {4}};
  EXPECT_FALSE(is_grid(config));
  EXPECT_TRUE(has_dims(config));
}

}  // namespace
}  // namespace coppice::config

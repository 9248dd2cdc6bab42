#include "config/document/value_schema.h"

#include <gtest/gtest.h>

namespace coppice::config::value_schema {
namespace {

TEST(ValueSchema, LimitsTheLengthOfLists) {
  const nlohmann::ordered_json free = list(text());
  EXPECT_EQ(free.at("type"), "array");
  EXPECT_EQ(free.at("items"), text());
  EXPECT_FALSE(free.contains("minItems"));
  EXPECT_FALSE(free.contains("maxItems"));
  const nlohmann::ordered_json pair = list(text(), 1, 2);
  EXPECT_EQ(pair.at("minItems"), 1);
  EXPECT_EQ(pair.at("maxItems"), 2);
}

}  // namespace
}  // namespace coppice::config::value_schema

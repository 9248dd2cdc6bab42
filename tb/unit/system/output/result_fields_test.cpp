#include "system/output/result_fields.h"

#include <set>

#include <gtest/gtest.h>

namespace coppice::system {
namespace {

TEST(ResultFields, AreListedOnce) {
  std::set<std::string_view> paths;
  for (const ResultField& field : result_fields()) EXPECT_TRUE(paths.insert(field.path).second) << field.path;
}

TEST(ResultFields, HaveReadableTypes) {
  EXPECT_EQ(to_string(find_field("cycles")->type), "integer");
  EXPECT_EQ(to_string(find_field("bound.groups")->type), "list of list of integer");
  EXPECT_EQ(to_string(find_field("packet_latency_mean")->type), "number or null");
  EXPECT_EQ(to_string(find_field("iterations[].exposed")->type), "map of number");
  EXPECT_EQ(to_string(find_field("expected[].protocol")->type), "text, optional");
  EXPECT_EQ(to_string(find_field("config")->type), "section");
}

TEST(ResultFields, ReferToSectionsThatExist) {
  for (const ResultField& field : result_fields()) {
    if (field.type.like.empty()) continue;
    const std::string within = std::string(field.type.like) + ".";
    bool found = false;
    for (const ResultField& other : result_fields()) found = found || other.path.starts_with(within);
    EXPECT_TRUE(found) << field.path;
  }
}

TEST(ResultFields, AreDescribedByTheNearestSection) {
  EXPECT_EQ(describe_field("statistics.router.flits.sum")->path, "statistics");
  EXPECT_EQ(describe_field("stretches[].flits")->path, "stretches[]");
  EXPECT_EQ(describe_field("nothing"), nullptr);
  EXPECT_EQ(find_field("stretches[].flits"), nullptr);
}

}  // namespace
}  // namespace coppice::system

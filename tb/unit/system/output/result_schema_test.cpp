#include "system/output/result_schema.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "system/output/result_fields.h"

namespace coppice::system {
namespace {

TEST(ResultFields, OfTheTopLevelAndOnlyTheseBelongToResults) {
  const std::set<std::string> in_every_result{"schema", "command", "commit"};
  std::set<std::string> sections;
  for (const ResultField& field : result_fields()) {
    const std::string section(field.path.substr(0, field.path.find('.')));
    const bool first = sections.insert(section).second;
    const bool present = field.presence.always != 0 || field.presence.sometimes != 0;
    EXPECT_EQ(present, first && !in_every_result.contains(section)) << field.path;
    EXPECT_EQ(field.presence.always & field.presence.sometimes, 0) << field.path;
  }
}

TEST(ResultSchema, DefinesSectionsOnce) {
  const nlohmann::ordered_json definitions = result_schema()["definitions"];
  const nlohmann::ordered_json& run = definitions["run_result"];
  EXPECT_EQ(run["properties"]["schema"]["const"], "coppice.result/1");
  EXPECT_EQ(run["properties"]["bound"]["$ref"], "#/definitions/bound");
  EXPECT_EQ(run["properties"]["channels"]["items"]["$ref"], "#/definitions/channels_item");
  EXPECT_EQ(definitions["traffic_result"]["properties"]["channels"], run["properties"]["channels"]);
  EXPECT_EQ(definitions["collectives_item"]["properties"]["gradients"]["$ref"], "#/definitions/gradients");
}

TEST(ResultSchema, HasTheTypesOfTheTable) {
  const nlohmann::ordered_json definitions = result_schema()["definitions"];
  EXPECT_EQ(definitions["bound"]["required"],
            nlohmann::ordered_json({"time_ns", "latency_ns", "attainable", "groups"}));
  const nlohmann::ordered_json& traffic = definitions["traffic_result"]["properties"];
  EXPECT_EQ(traffic["packet_latency_mean"]["type"], nlohmann::ordered_json({"number", "null"}));
  const nlohmann::ordered_json& statistics = definitions["statistics"];
  EXPECT_EQ(statistics["additionalProperties"]["$ref"], "#/definitions/statistics_any");
  // A section whose description refers to another section also has all of its fields.
  EXPECT_TRUE(definitions["accelerators_item"]["properties"].contains("idle_ns"));
  EXPECT_TRUE(definitions["accelerators_item"]["properties"].contains("rank"));
  EXPECT_TRUE(definitions["stretches_item"]["properties"].contains("flits"));
}

}  // namespace
}  // namespace coppice::system

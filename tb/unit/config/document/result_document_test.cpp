#include "config/document/result_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../scratch_file.h"

namespace coppice::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ConfigDocument read(const std::string& text) {
  const ScratchFile file(text);
  return read_config_document(file.path());
}

TEST(ResultDocument, IsTheConfigurationOfAResultWithItsLocation) {
  const ScratchFile file(
      "{\n"
      "  \"schema\": \"coppice.result/1\",\n"
      "  \"version\": \"}\\\",{\",\n"
      "  \"config\": {\n"
      "    \"seed\": 7\n"
      "  },\n"
      "  \"assumptions\": [\"a \\\"link\\\"\", \"b\"],\n"
      "  \"cycles\": 12\n"
      "}\n");
  const ConfigDocument document = read_config_document(file.path());
  ASSERT_EQ(document.root.children.size(), 1U);
  const Node& seed = document.root.children.front();
  EXPECT_EQ(seed.name, "seed");
  EXPECT_EQ(seed.text, "7");
  EXPECT_EQ(seed.name_place.file, file.path());
  EXPECT_EQ(seed.name_place.line, 5);
  EXPECT_EQ(seed.name_place.column, 5);
  EXPECT_THAT(document.assumptions, ElementsAre("a \"link\"", "b"));
}

TEST(ResultDocument, ReadsAResultOfOneLine) {
  const ConfigDocument document = read(R"({"schema":"coppice.result/1","config":{"seed": 7},"rows":[1]})");
  ASSERT_EQ(document.root.children.size(), 1U);
  EXPECT_EQ(document.root.children.front().place.line, 1);
  EXPECT_EQ(document.root.children.front().name_place.column, 40);
  EXPECT_THAT(document.assumptions, IsEmpty());
}

// Pages of reports show configurations in this form.
TEST(ResultDocument, ReadsTheConfigurationOfAPage) {
  const ConfigDocument document = read("schema: coppice.result/1\nconfig:\n  seed: 7\n");
  EXPECT_TRUE(document.from_result);
  ASSERT_EQ(document.root.children.size(), 1U);
  EXPECT_EQ(document.root.children.front().name, "seed");
  EXPECT_EQ(document.root.children.front().place.line, 3);
  EXPECT_FALSE(read("schema: mine\nconfig:\n  seed: 7\n").from_result);
  EXPECT_FALSE(read("schema: coppice.result/1\nconfig: 7\n").from_result);
}

TEST(ResultDocument, DoesNotChangeConfigurationsInBraces) {
  for (const char* text :
       {"{seed: 7}", "{\"seed\": 7}", "{\"schema\": \"mine\", \"seed\": 7}", "seed: 7\n"}) {
    const ConfigDocument document = read(text);
    EXPECT_EQ(document.root.children.back().name, "seed") << text;
  }
}

TEST(ResultDocument, RejectsResultsWithoutAConfiguration) {
  try {
    read(R"({"schema": "coppice.compare/1", "rows": []})");
    FAIL() << "read as a configuration";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'coppice.compare/1' file does not contain a configuration"));
  }
}

// If a result file is cut off within its configuration, the YAML parser or the result reader refuses it.
TEST(ResultDocument, RefusesResultsThatAreCutOff) {
  const std::string whole =
      "{\"schema\": \"coppice.result/1\", \"config\": {\"seed\": [7, \"}\\\"\"]}, \"assumptions\": [\"a\"]}";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      const ConfigDocument document = read(whole.substr(0, length));
      // A truncated result may be accepted only if its configuration is complete.
      EXPECT_GE(length, whole.find(", \"assumptions\"")) << length;
      EXPECT_EQ(document.root.children.front().name, "seed");
    } catch (const ConfigError&) {
    }
  }
}

}  // namespace
}  // namespace coppice::config

// Tests `coppice explain`, which describes configuration keys and result fields.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workshop.h"

namespace coppice::system_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explain, DescribesTheValuesDefaultAndUseOfAKey) {
  const Workshop shop;
  const Outcome outcome = shop.run({"explain", "system.router.vcs"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("a whole number from 1 to 32"));
  EXPECT_THAT(outcome.out, HasSubstr("default:     4"));
  EXPECT_THAT(outcome.out, HasSubstr("run, traffic, schedule, route"));
}

TEST(Explain, DescribesAllKeysOfASection) {
  const Workshop shop;
  const Outcome outcome = shop.run({"explain", "system.link"});
  EXPECT_THAT(outcome.out, HasSubstr("system.link.bandwidth\n"));
  EXPECT_THAT(outcome.out, HasSubstr("system.link.latency\n"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("system.clock")));
}

TEST(Explain, WritesTablesOfMarkdown) {
  const Workshop shop;
  const std::string keys = shop.run({"explain", "system.link", "--format", "markdown"}).out;
  EXPECT_THAT(keys, HasSubstr("Configuration keys"));
  EXPECT_THAT(keys, HasSubstr("`system.link.bandwidth`"));
  EXPECT_THAT(keys, Not(HasSubstr("Result fields")));
  const std::string fields = shop.run({"explain", "algbw_gb_s", "--format", "markdown"}).out;
  EXPECT_THAT(fields, HasSubstr("Result fields"));
  EXPECT_THAT(fields, Not(HasSubstr("Configuration keys")));
}

TEST(Explain, SuggestsSimilarNames) {
  const Workshop shop;
  const Outcome outcome = shop.run({"explain", "system.link.bandwith"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'system.link.bandwidth'?"));
}

// Collects the path of every value in a result, such as "a.b[].c".
void collect(const nlohmann::ordered_json& value, const std::string& path, std::vector<std::string>& paths) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      collect(inner, path.empty() ? key : path + "." + key, paths);
  } else if (value.is_array() && !value.empty() && value.front().is_object()) {
    collect(value.front(), path + "[]", paths);
  } else {
    paths.push_back(path);
  }
}

TEST(Explain, DescribesEveryFieldOfResults) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  ASSERT_EQ(shop.run({"run", "c.yaml", "--out", "run.json"}).status, 0);
  ASSERT_EQ(shop.run({"traffic", "c.yaml", "--pattern", "uniform", "--rate", "0.1", "--packet-flits", "1",
                      "--warmup", "10", "--measure", "100", "--out", "traffic.json"})
                .status,
            0);
  for (const char* name : {"run.json", "traffic.json"}) {
    std::vector<std::string> paths;
    nlohmann::ordered_json result = shop.read_json(name);
    result.erase("config");
    collect(result, "", paths);
    for (const std::string& path : paths) {
      EXPECT_EQ(shop.run({"explain", path}).status, 0)
          << path << " needs a sentence in systemc/system/output/result_fields.cpp";
    }
  }
}

TEST(Report, RejectsFilesThatAreNotResults) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  Outcome outcome = shop.run({"report", "c.yaml", "--out", "r.html"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("c.yaml:1:1: this is a configuration, not a result: pass it to coppice run"));
  shop.write("large.json", "{\"schema\": 1e999}");
  outcome = shop.run({"report", "large.json", "--out", "r.html"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("large.json:1:1: not a coppice result, because it is not JSON"));
  outcome = shop.run({"report", "nowhere.json", "--out", "r.html"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("No such file"));
  shop.write("other.json", "{\"a\": 1}");
  EXPECT_THAT(shop.run({"report", "other.json", "--out", "r.html"}).err,
              HasSubstr("is not a coppice result"));
}

TEST(Report, IsOnePageWithItsData) {
  const Workshop shop;
  shop.write("c.yaml", kSmallConfig);
  ASSERT_EQ(shop.run({"run", "c.yaml", "--out", "r.json"}).status, 0);
  const Outcome outcome = shop.run({"report", "r.json", "--out", "r.html"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string page = shop.read("r.html");
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("\"messages_in_all\""));
  EXPECT_THAT(page, Not(HasSubstr("@DATA@")));
  EXPECT_THAT(page, Not(HasSubstr("@LIBRARY@")));
}

}  // namespace
}  // namespace coppice::system_test

#include "config/keys/key_descriptions.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "config/schema.h"

namespace coppice::config {
namespace {

TEST(KeyDescriptions, ExistForEveryKey) {
  for (const Key& key : keys()) {
    EXPECT_FALSE(key.summary.empty()) << key.path << " needs a sentence in key_descriptions.cpp";
    EXPECT_FALSE(key.form.empty()) << key.path << " needs a form: what its values may be";
    EXPECT_FALSE(key.example.empty()) << key.path;
  }
}

TEST(KeyDescriptions, AreOfKeysOrTheirParts) {
  for (const KeyDescription& description : key_descriptions()) {
    const std::string_view path = description.path;
    const bool part = path.find("[].") != std::string_view::npos;
    const std::string_view key = path.substr(0, path.find("[]."));
    EXPECT_NE(find_key(key), nullptr) << path << " is no longer a key";
    EXPECT_EQ(description.form.empty() && part, false) << path;
  }
}

TEST(KeyDescriptions, AreSentencesAndUnique) {
  for (const KeyDescription& description : key_descriptions()) {
    EXPECT_TRUE(description.summary.ends_with('.')) << description.path;
    EXPECT_EQ(std::count_if(key_descriptions().begin(), key_descriptions().end(),
                            [&](const KeyDescription& other) { return other.path == description.path; }),
              1)
        << description.path;
  }
}

TEST(KeyDescriptions, FormsSayRangesAndNames) {
  EXPECT_EQ(find_key("system.router.vcs")->form, "a whole number from 1 to 32");
  EXPECT_EQ(find_key("system.ni.flow_control")->form, "packet, message");
}

}  // namespace
}  // namespace coppice::config

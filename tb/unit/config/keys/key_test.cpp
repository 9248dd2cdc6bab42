#include "config/keys/key.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "config/schema.h"

namespace coppice::config {
namespace {

TEST(Keys, AreDescribed) {
  for (const Key& key : keys()) {
    EXPECT_TRUE(key.summary.ends_with('.')) << key.path << " needs a sentence";
    EXPECT_FALSE(key.form.empty()) << key.path << " needs a form: the values it accepts";
    EXPECT_FALSE(key.example.empty()) << key.path;
    for (const KeyPart& part : key.parts) {
      EXPECT_TRUE(part.summary.ends_with('.')) << key.path << "[]." << part.name;
      EXPECT_FALSE(part.form.empty()) << key.path << "[]." << part.name;
    }
  }
}

TEST(Keys, AreDeclaredOnce) {
  std::set<std::string> paths;
  for (const Key& key : keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path;
    std::set<std::string> parts;
    for (const KeyPart& part : key.parts) EXPECT_TRUE(parts.insert(part.name).second) << key.path;
  }
}

TEST(Keys, HaveFormsOfRangesAndNames) {
  EXPECT_EQ(find_key("system.router.vcs")->form, "a whole number from 1 to 32");
  EXPECT_EQ(find_key("system.ni.flow_control")->form, "packet, message");
}

}  // namespace
}  // namespace coppice::config

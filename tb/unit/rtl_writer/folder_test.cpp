#include "rtl_writer/folder.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "base/error.h"

namespace coppice::rtl_writer {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() { fs::create_directory(place_); }
  ~FolderTest() override { fs::remove_all(place_); }

  const fs::path place_ =
      fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FolderTest, AppearsCompletely) {
  Folder folder("--out", (place_ / "a").string());
  folder.write("images/b.hex", "1\n");
  EXPECT_FALSE(fs::exists(place_ / "a"));
  folder.commit();
  std::string text;
  std::ifstream(place_ / "a/images/b.hex") >> text;
  EXPECT_EQ(text, "1");
}

TEST_F(FolderTest, LeavesNothingUnlessCommitted) {
  { Folder("--out", (place_ / "a").string()).write("b", "1"); }
  EXPECT_TRUE(fs::is_empty(place_));
}

TEST_F(FolderTest, RejectsAFolderWithContents) {
  std::ofstream(place_ / "mine") << "1";
  try {
    Folder folder("--out", place_.string());
    FAIL() << "the folder was accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("choose a new or empty folder"));
  }
}

}  // namespace
}  // namespace coppice::rtl_writer

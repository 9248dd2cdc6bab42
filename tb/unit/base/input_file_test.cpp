#include "base/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace coppice {
namespace {

using ::testing::StrEq;
using ::testing::ThrowsMessage;

class InputFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_, std::ios::binary) << std::string(100'000, 'x') << '\0' << "y\n";
  }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string path_ = ::testing::TempDir() + "coppice_input_file";
};

TEST_F(InputFile, IsReadCompletely) {
  EXPECT_EQ(read_input_file(path_), std::string(100'000, 'x') + '\0' + "y\n");
  EXPECT_EQ(read_input_file(path_, 100'003).size(), 100'003U);
  EXPECT_EQ(read_input_file("/dev/null"), "");
}

TEST_F(InputFile, IsRecognisedByAllItsNames) {
  EXPECT_FALSE(was_read("/proc/self/exe"));
  EXPECT_FALSE(was_read("/nowhere/x"));
  read_input_file(path_);
  read_input_file("/dev/null");
  EXPECT_TRUE(was_read(path_));
  EXPECT_TRUE(was_read(::testing::TempDir() + "./coppice_input_file"));
  const std::string link = path_ + ".link";
  std::filesystem::create_symlink(path_, link);
  EXPECT_TRUE(was_read(link));
  std::remove(link.c_str());
  EXPECT_FALSE(was_read("/dev/null"));
  EXPECT_FALSE(was_read("/"));
}

TEST_F(InputFile, IsRejectedWithTheReason) {
  const auto reading = [](const char* path) { return [path] { read_input_file(path); }; };
  EXPECT_THAT(reading("/nowhere/x"), ThrowsMessage<UnreadableError>(StrEq("No such file or directory")));
  EXPECT_THAT(reading("/"), ThrowsMessage<UnreadableError>(StrEq("Is a directory")));
  EXPECT_THAT(reading("/dev/zero"),
              ThrowsMessage<UnreadableError>(StrEq("it is a device that provides endless data")));
  EXPECT_THROW(read_input_file(path_, 100'002), UnreadableError);
}

}  // namespace
}  // namespace coppice

#include "system/output/result_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "base/error.h"
#include "base/input_file.h"
#include "machine.h"

namespace coppice::system {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(ResultFile, AppearsCompletelyOrNotAtAll) {
  const TemporaryDirectory directory;
  {
    ResultFile file("--out", directory.file("a.json"));
    EXPECT_THAT(directory.names(), IsEmpty());
    file.write("text");
    EXPECT_EQ(read_text(directory.file("a.json")), "text");
  }
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
}

TEST(ResultFile, RemovesUncommittedFiles) {
  const TemporaryDirectory directory;
  {
    const ResultFile file("--trace", directory.file("a.json"));
    std::ofstream(file.temporary_path()) << "half";
    EXPECT_EQ(directory.names().size(), 1U);
  }
  EXPECT_THAT(directory.names(), IsEmpty());
}

TEST(ResultFile, CommitsTheTemporaryFile) {
  const TemporaryDirectory directory;
  ResultFile file("--trace", directory.file("a.json"));
  std::ofstream(file.temporary_path()) << "whole";
  file.commit();
  EXPECT_EQ(read_text(directory.file("a.json")), "whole");
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
}

TEST(ResultFile, ReplacesAnOldResultOnlyAtTheEnd) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("a.json")) << "old";
  ResultFile file("--out", directory.file("a.json"));
  EXPECT_EQ(read_text(directory.file("a.json")), "old");
  file.write("new");
  EXPECT_EQ(read_text(directory.file("a.json")), "new");
}

TEST(ResultFile, NeverReplacesAFileThatWasReadMeanwhile) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.json");
  std::ofstream(path) << "input";
  {
    ResultFile file("--out", path);
    EXPECT_EQ(read_input_file(path), "input");
    EXPECT_THAT([&] { file.write("text"); },
                ThrowsMessage<ModelError>(HasSubstr("is also an input and is not overwritten")));
  }
  EXPECT_EQ(read_text(path), "input");
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
}

TEST(ResultFile, KeepsASymbolicLink) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("target.json", directory.file("link.json"));
  ResultFile("--out", directory.file("link.json")).write("text");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link.json")));
  EXPECT_EQ(read_text(directory.file("target.json")), "text");
}

TEST(ResultFile, RejectsADanglingLink) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("b", directory.file("a"));
  std::filesystem::create_symlink("a", directory.file("b"));
  EXPECT_THAT([&] { ResultFile("--out", directory.file("a")); },
              ThrowsMessage<ConfigError>(HasSubstr("is a dangling symbolic link")));
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("a")));
}

TEST(ResultFile, KeepsThePermissionsOfTheReplacedFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.json");
  std::ofstream(path) << "old";
  std::filesystem::permissions(path, std::filesystem::perms{0640});
  ResultFile("--out", path).write("new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms{0640});
}

TEST(ResultFile, AppendsInTurn) {
  const TemporaryDirectory directory;
  ResultFile file("--trace", directory.file("a.json"));
  file.append("one, ");
  file.append("two");
  EXPECT_FALSE(std::filesystem::exists(directory.file("a.json")));
  file.commit();
  EXPECT_EQ(read_text(directory.file("a.json")), "one, two");
  EXPECT_THAT(directory.names(), ElementsAre("a.json"));
}

TEST(ResultFile, ReportsAFullDisk) {
  // The first string fits into the stream's buffer, and the second does not.
  for (const std::size_t size : {std::size_t{4}, std::size_t{1} << 20}) {
    ResultFile file("--out", "/dev/full");
    EXPECT_THAT([&] { file.write(std::string(size, 'x')); },
                ThrowsMessage<ModelError>(AllOf(HasSubstr("--out: '/dev/full' cannot be written"),
                                                HasSubstr("No space left on device"))));
  }
}

// If a pipe appears under the file's name during the run, the result does not replace it.
TEST(ResultFile, NeverReplacesAPipe) {
  const TemporaryDirectory directory;
  ResultFile file("--out", directory.file("a.json"));
  ASSERT_EQ(::mkfifo(directory.file("a.json").c_str(), 0600), 0);
  EXPECT_THAT([&] { file.write("text"); }, ThrowsMessage<ModelError>(HasSubstr("cannot be written")));
  EXPECT_TRUE(std::filesystem::is_fifo(directory.file("a.json")));
}

// If the file is an existing device or pipe, the result is written to it instead of replacing it.
TEST(ResultFile, WritesIntoAPipe) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = read_text(pipe); });
  ResultFile("--out", pipe).write("text");
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(ResultFile, ReportsInAdvanceThatItCannotBeWritten) {
  const TemporaryDirectory directory;
  EXPECT_THAT([&] { ResultFile("--out", directory.file("no/a.json")); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("--out " + directory.file("no/a.json") + ":1:1: "),
                                               HasSubstr("No such file or directory"),
                                               HasSubstr("a directory that exists"))));
  EXPECT_THAT([&] { ResultFile("--out", directory.file(".")); },
              ThrowsMessage<ConfigError>(HasSubstr("is a directory; name a file in it")));
  EXPECT_THAT([&] { ResultFile("--out", ""); }, ThrowsMessage<ConfigError>(HasSubstr("is missing")));
}

}  // namespace
}  // namespace coppice::system

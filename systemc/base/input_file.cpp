#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace coppice {
namespace {

constexpr std::size_t kBlock = 64 << 10;
// The maximum number of bytes to read from a device. If a device provides more, it is rejected as endless.
constexpr std::size_t kMostOfADevice = 1 << 20;

[[noreturn]] void refuse_size(std::size_t most) {
  throw UnreadableError(fmt::format("it is larger than {} MiB", most >> 20));
}

// The files that have been read, identified by device and inode because a file may have several names. Access
// is synchronised because searches read files in several threads.
class ReadFiles {
 public:
  void add(const struct stat& status) {
    const std::lock_guard lock(mutex_);
    files_.emplace(status.st_dev, status.st_ino);
  }
  bool contains(const struct stat& status) {
    const std::lock_guard lock(mutex_);
    return files_.contains({status.st_dev, status.st_ino});
  }

 private:
  std::mutex mutex_;
  std::set<std::pair<dev_t, ino_t>> files_;
};

ReadFiles& read_files() {
  static ReadFiles files;
  return files;
}

class InputFile {
 public:
  explicit InputFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw UnreadableError(std::strerror(errno));
  }
  ~InputFile() { ::close(descriptor_); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  struct stat status() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw UnreadableError(std::strerror(errno));
    return status;
  }

  // Appends a block to `text`. Returns false at the end of the file.
  bool append(std::string& text) const {
    const std::size_t end = text.size();
    text.resize(end + kBlock);
    ssize_t got = 0;
    do got = ::read(descriptor_, &text[end], kBlock);
    while (got < 0 && errno == EINTR);
    if (got < 0) throw UnreadableError(std::strerror(errno));
    text.resize(end + static_cast<std::size_t>(got));
    return got > 0;
  }

 private:
  int descriptor_;
};

}  // namespace

std::string read_input_file(const std::string& path, std::size_t most) {
  const InputFile file(path);
  const struct stat status = file.status();
  if (S_ISDIR(status.st_mode)) throw UnreadableError(std::strerror(EISDIR));
  if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > most) refuse_size(most);
  if (S_ISREG(status.st_mode)) read_files().add(status);
  const bool device = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  const std::size_t limit = device ? std::min(most, kMostOfADevice) : most;
  std::string text;
  while (file.append(text)) {
    if (text.size() <= limit) continue;
    if (device) throw UnreadableError("it is a device that provides endless data");
    refuse_size(most);
  }
  return text;
}

bool was_read(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && read_files().contains(status);
}

}  // namespace coppice

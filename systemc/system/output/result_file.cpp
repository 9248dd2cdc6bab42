#include "system/output/result_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_file.h"

namespace coppice::system {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

// Whether the path exists and is not a regular file: for example, a device or a pipe.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

// Resolves symbolic links, even if the target does not exist. A link to a special file, such as /dev/stdout,
// is returned as is, since its target may have no name.
fs::path follow_links(const fs::path& path) {
  fs::path target = path;
  std::error_code error;
  if (is_special(path)) return target;
  for (int links = 0; links < kMostLinks && fs::is_symlink(target, error); ++links) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

}  // namespace

ResultFile::ResultFile(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)), target_(follow_links(path_).string()) {
  require_target();
  direct_ = is_special(target_);
  temporary_ = direct_ ? target_ : fmt::format("{}.partial.{}", target_, ::getpid());
  std::error_code ignored;
  errno = 0;
  // Opening a pipe may block until it has a reader, so special files are opened only when there is data to
  // write.
  if (direct_) {
    if (::access(target_.c_str(), W_OK) == 0) return;
  } else if (!fs::exists(target_, ignored) || ::access(target_.c_str(), W_OK) == 0) {
    file_.reset(std::fopen(temporary_.c_str(), "wb"));
    if (file_ != nullptr) {
      file_.reset();
      fs::remove(temporary_, ignored);
      return;
    }
  }
  throw ConfigError({option_ + " " + path_},
                    fmt::format("'{}' cannot be written: {}; name a file in a directory that exists and is "
                                "writable",
                                path_, std::strerror(errno)));
}

void ResultFile::require_target() const {
  const SourceLocation where{option_ + " " + path_};
  if (path_.empty()) throw ConfigError(where, "the file name is missing");
  std::error_code ignored;
  if (fs::is_directory(target_, ignored)) {
    throw ConfigError(where, fmt::format("'{}' is a directory; name a file in it", path_));
  }
  if (fs::is_symlink(target_, ignored) && !is_special(target_)) {
    throw ConfigError(where, fmt::format("'{}' is a dangling symbolic link; name another file", path_));
  }
}

ResultFile::~ResultFile() {
  file_.reset();
  std::error_code ignored;
  if (!direct_ && !committed_) fs::remove(temporary_, ignored);
}

void ResultFile::refuse(const std::string& reason) const {
  throw ModelError(fmt::format("{}: '{}' cannot be written: {}; name another file, or free disk space",
                               option_, path_, reason));
}

void ResultFile::fail() const {
  refuse(std::strerror(errno));
}

void ResultFile::append(std::string_view text) {
  errno = 0;
  if (file_ == nullptr) file_.reset(std::fopen(temporary_.c_str(), "wb"));
  if (file_ == nullptr || std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void ResultFile::commit() {
  errno = 0;
  // Closing flushes the data, so a full disk is detected here.
  if (file_ != nullptr && std::fclose(file_.release()) != 0) fail();
  if (direct_) {
    committed_ = true;
    return;
  }
  if (was_read(target_)) {
    throw ModelError(
        fmt::format("{}: '{}' is also an input and is not overwritten; name another file", option_, path_));
  }
  if (is_special(target_)) refuse("it is no longer a regular file");
  std::error_code error;
  const fs::file_status old = fs::status(target_, error);
  if (fs::exists(old)) fs::permissions(temporary_, old.permissions(), error);
  fs::rename(temporary_, target_, error);
  if (error) refuse(error.message());
  committed_ = true;
}

}  // namespace coppice::system

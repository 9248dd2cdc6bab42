#include "system/output/result_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/input_file.h"

namespace coppice::system {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The file that `path` leads to through symbolic links, whether it exists or not.
fs::path follow_links(const fs::path& path) {
  fs::path target = path;
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(target, error); ++links) {
    const fs::path next = fs::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

}  // namespace

ResultFile::ResultFile(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)), target_(follow_links(path_).string()) {
  const SourceLocation where{option_ + " " + path_};
  if (path_.empty()) throw ConfigError(where, "the name of a file is missing");
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) {
    throw ConfigError(where, fmt::format("'{}' is a directory; name a file in it", path_));
  }
  direct_ = fs::exists(status) && !fs::is_regular_file(status);
  temporary_ = direct_ ? target_ : fmt::format("{}.partial.{}", target_, ::getpid());

  errno = 0;
  // A pipe may wait for its reader: it is opened when there is something to write.
  if (direct_ ? ::access(target_.c_str(), W_OK) == 0
              : File(std::fopen(temporary_.c_str(), "wb")) != nullptr) {
    if (!direct_) fs::remove(temporary_, ignored);
    return;
  }
  throw ConfigError(where,
                    fmt::format("'{}' cannot be written: {}; name a file in a directory that exists and is "
                                "writable",
                                path_, std::strerror(errno)));
}

ResultFile::~ResultFile() {
  std::error_code ignored;
  if (!direct_ && !committed_) fs::remove(temporary_, ignored);
}

void ResultFile::commit() {
  if (direct_) {
    committed_ = true;
    return;
  }
  if (was_read(target_)) {
    throw ModelError(
        fmt::format("{}: '{}' was read as an input, and is kept; name another file", option_, path_));
  }
  committed_ = true;
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (!error) return;
  committed_ = false;
  throw ModelError(fmt::format("{}: '{}' cannot be written: {}", option_, path_, error.message()));
}

void ResultFile::write(std::string_view text) {
  errno = 0;
  File file(std::fopen(temporary_.c_str(), "wb"));
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  // Closing flushes: it is where a full disk shows.
  const bool closed = file != nullptr && std::fclose(file.release()) == 0;
  if (!written || !closed) {
    throw ModelError(fmt::format("{}: '{}' cannot be written: {}; name another file, or make room", option_,
                                 path_, std::strerror(errno)));
  }
  commit();
}

}  // namespace coppice::system

#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace coppice::system {

// The one writer of outputs. An output appears under its name whole or not at all: it is written beside its
// place and renamed. What is not a regular file (a terminal, a pipe, /dev/null) is written directly and never
// replaced; a symbolic link stays, its target is replaced. A file that was read as an input
// (base/input_file.h) stays.
class ResultFile {
 public:
  // `option` is the origin of `path` ("--out"), for messages. Throws ConfigError located there if the file
  // could not be written, which it finds out by creating and removing the temporary file.
  ResultFile(std::string option, std::string path);
  // Removes the temporary file if it was not committed.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::string& option() const { return option_; }
  const std::string& path() const { return path_; }
  // The temporary file that is being written, in the same directory.
  const std::string& temporary_path() const { return temporary_; }
  // Not a regular file: temporary_path() is the file itself.
  bool direct() const { return direct_; }

  // Appends `text`. Throws ModelError if that fails, for example on a full disk.
  void append(std::string_view text);
  // Renames the temporary file, written here or by others, to its final name. Throws ModelError if anything
  // could not be written, or if the name belongs to an input.
  void commit();
  // Writes `text` as the whole file and commits it.
  void write(std::string_view text) {
    append(text);
    commit();
  }

  // Throws ModelError: the output cannot be written, because of `reason`.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void require_target() const;
  [[noreturn]] void fail() const;

  std::string option_;
  std::string path_;
  std::string target_;     // path_ with symbolic links resolved
  std::string temporary_;  // target_ itself if that is not a regular file
  bool direct_ = false;
  bool committed_ = false;
  std::unique_ptr<std::FILE, CloseFile> file_;  // while text is appended
};

}  // namespace coppice::system

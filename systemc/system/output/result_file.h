#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace coppice::system {

// Writes an output file; all outputs use this class. A file appears under its name either complete or not at
// all: it is written under a temporary name in the same folder and then renamed. Outputs other than regular
// files (a terminal, a pipe, /dev/null) are written directly and never replaced; a symbolic link is kept, and
// its target is replaced. A file that was read as an input (base/input_file.h) is never overwritten.
class ResultFile {
 public:
  // `option` is the option that names `path`, such as "--out". Throws ConfigError located at the option if
  // the file cannot be written, which is tested by creating and removing the temporary file.
  ResultFile(std::string option, std::string path);
  // Removes the temporary file if it was not committed.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::string& option() const { return option_; }
  const std::string& path() const { return path_; }
  // The temporary file that is being written, in the same directory.
  const std::string& temporary_path() const { return temporary_; }
  // Whether the output is not a regular file; temporary_path() is then the output itself.
  bool direct() const { return direct_; }

  // Appends `text`. Throws ModelError if that fails, for example on a full disk.
  void append(std::string_view text);
  // Renames the temporary file, which may have been written by append() or by other code, to its final name.
  // Throws ModelError if it could not be written completely, or if an input has the name.
  void commit();
  // Writes `text` as the whole file and commits it.
  void write(std::string_view text) {
    append(text);
    commit();
  }

  // Throws a ModelError that states why the output cannot be written.
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
  std::string temporary_;  // target_ itself if target_ is not a regular file
  bool direct_ = false;
  bool committed_ = false;
  std::unique_ptr<std::FILE, CloseFile> file_;  // open while text is appended
};

}  // namespace coppice::system

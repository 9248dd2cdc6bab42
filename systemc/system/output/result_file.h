#pragma once

#include <string>
#include <string_view>

namespace coppice::system {

// An output that appears under its name whole or not at all: it is written beside its place and renamed. What
// is no regular file (a terminal, a pipe, /dev/null) is written directly; a symbolic link stays, its target
// is replaced. A file that was read as an input (base/input_file.h) stays.
class ResultFile {
 public:
  // `option` is where `path` comes from ("--out"), for messages. Throws ConfigError located there if the file
  // could not be written; makes and removes the temporary file to find out. Leaves nothing behind.
  ResultFile(std::string option, std::string path);
  // Removes the temporary file if it was not committed.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::string& option() const { return option_; }
  const std::string& path() const { return path_; }
  // Where to write meanwhile, in the same directory.
  const std::string& temporary_path() const { return temporary_; }
  // No regular file: temporary_path() is the file itself.
  bool direct() const { return direct_; }

  // Gives what was written at temporary_path() its name. Throws ModelError if that fails, or an input has it.
  void commit();

  // Writes `text` as the whole file and commits it. Throws ModelError if that fails, for example on a full
  // disk.
  void write(std::string_view text);

 private:
  std::string option_;
  std::string path_;
  std::string target_;     // path_ with symbolic links resolved
  std::string temporary_;  // target_ itself if that is no regular file
  bool direct_ = false;
  bool committed_ = false;
};

}  // namespace coppice::system

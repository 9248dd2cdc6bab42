#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace coppice::system {

// Writes an output file; every output uses this class. A file appears under its name only when it is
// complete: it is written under a temporary name in the same folder and then renamed. Terminals, pipes and
// other special files are written directly and never replaced. For a symbolic link, the target is replaced
// and the link is kept. A file that was read as an input (base/input_file.h) is never overwritten.
class ResultFile {
 public:
  // `option` is the command-line option that names `path`, such as "--out". Throws ConfigError located at the
  // option if the file cannot be written, which is tested by creating and removing the temporary file.
  ResultFile(std::string option, std::string path);
  // Removes the temporary file unless it has been committed.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::string& option() const { return option_; }
  const std::string& path() const { return path_; }
  // The temporary file that is being written, in the same folder as the output.
  const std::string& temporary_path() const { return temporary_; }
  // Whether the output is a special file; temporary_path() is then the output itself.
  bool direct() const { return direct_; }

  // Appends `text`. Throws ModelError if that fails, for example on a full disk.
  void append(std::string_view text);
  // Renames the temporary file to its final name. append() or other code must have written it. Throws
  // ModelError if it could not be written completely, or if a file that was read as an input has the final
  // name.
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

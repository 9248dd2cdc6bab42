#pragma once

#include <string>

#include "system/output/result_file.h"

namespace coppice::system {

// The waveform that a Verilated model writes by itself (--fst), which reports no error: written beside its
// place, looked through for its end, and renamed.
class FstFile {
 public:
  // Throws ConfigError if `path` cannot be written.
  explicit FstFile(const std::string& path);
  // Removes an unfinished file.
  ~FstFile();
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  // The file that the model writes.
  const std::string& written_path() const { return written_; }
  // Once the model is gone. Throws ModelError if the file is not whole, or cannot be put in its place.
  void finish();

 private:
  ResultFile output_;
  std::string written_;  // temporary_path(), or a file of its own where that is a device or a pipe
};

}  // namespace coppice::system

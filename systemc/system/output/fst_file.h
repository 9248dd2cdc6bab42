#pragma once

#include <string>

#include "system/output/result_file.h"

namespace coppice::system {

// The waveform of a Verilated model (--fst). The model does not report write errors, so the file is written
// under a temporary name, checked for completeness, and renamed.
class FstFile {
 public:
  // Throws ConfigError if `path` cannot be written.
  explicit FstFile(const std::string& path);
  // Removes an unfinished file.
  ~FstFile();
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  // The file to which the model must write its waveform.
  const std::string& written_path() const { return written_; }
  // Call this after the model has been destroyed. Throws ModelError if the file is incomplete or cannot be
  // renamed.
  void finish();

 private:
  ResultFile output_;
  std::string written_;  // temporary_path(), or a separate file if the output is a device or a pipe
};

}  // namespace coppice::system

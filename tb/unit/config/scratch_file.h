#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace coppice::config {

// A temporary file with the given text.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text, const std::string& ending = ".yaml")
      : path_((std::filesystem::temp_directory_path() / ("coppice_config_" + std::to_string(::getpid()) +
                                                         "_" + std::to_string(next_number()) + ending))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  static int next_number() {
    static int number = 0;
    return number++;
  }

  std::string path_;
};

}  // namespace coppice::config

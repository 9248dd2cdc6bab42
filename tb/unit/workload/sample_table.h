#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace coppice::workload {

// A temporary file with a model table.
class SampleTable {
 public:
  explicit SampleTable(const std::string& content) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             (std::string(test->test_suite_name()) + "_" + test->name() + "_" + std::to_string(::getpid()) +
              "_" + std::to_string(count()++) + ".csv"))
                .string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~SampleTable() { std::remove(path_.c_str()); }
  SampleTable(const SampleTable&) = delete;
  SampleTable& operator=(const SampleTable&) = delete;

  const std::string& path() const { return path_; }

 private:
  static int& count() {
    static int files = 0;
    return files;
  }

  std::string path_;
};

}  // namespace coppice::workload

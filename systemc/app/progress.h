#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace coppice::app {

// A line on the terminal that says how far a long run is; nothing if stderr is no terminal. Erased at the
// end.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For RunOptions::progress; empty if there is no terminal. Refers to this object.
  std::function<void(double fraction)> callback();

 private:
  void show(double fraction);

  std::string what_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace coppice::app

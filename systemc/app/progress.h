#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace coppice::app {

// A line on the terminal that shows the current activity of a long command, its progress if known, and the
// elapsed time; nothing if stderr is not a terminal. A thread updates it while the command is busy, and it is
// erased at the end.
class ProgressLine {
 public:
  // `what` names the current work: an algorithm, a pattern.
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The callback for RunOptions::progress; empty without a terminal. Refers to this object.
  std::function<void(double fraction)> callback();

 private:
  void keep_showing();
  void show() const;

  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<double> fraction_ = -1;  // negative: not known yet, during preparation
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;  // runs only on a terminal
};

}  // namespace coppice::app

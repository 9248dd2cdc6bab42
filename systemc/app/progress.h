#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace coppice::app {

// A line on the terminal that says what a long command does, how far it is where that is known, and for how
// long; nothing if stderr is no terminal. It is kept up to date by a thread of its own, whatever the command
// is busy with, and erased at the end.
class ProgressLine {
 public:
  // `what` is done: an algorithm, a pattern.
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For RunOptions::progress; empty if there is no terminal. Refers to this object.
  std::function<void(double fraction)> callback();

 private:
  void keep_showing();
  void show() const;

  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<double> fraction_ = -1;  // below 0: not known yet, it prepares
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;  // of a terminal
};

}  // namespace coppice::app

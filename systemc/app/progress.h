#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace coppice::app {

// A line on the terminal that shows what a long command is doing, how far it has progressed if that is known,
// and the elapsed time. A thread updates the line while the command is busy, and it is erased at the end.
// Nothing is shown if standard error is not a terminal.
class ProgressLine {
 public:
  // `what` names the current work: for example, an algorithm or a traffic pattern.
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Returns a callback for RunOptions::progress, which refers to this object; empty if there is no terminal.
  std::function<void(double fraction)> callback();

 private:
  void keep_showing();
  void show() const;

  std::string what_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<double> fraction_ = -1;  // negative: not yet known, since the run is being prepared
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;  // runs only if there is a terminal
};

}  // namespace coppice::app

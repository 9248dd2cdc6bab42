#include "app/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace coppice::app {
namespace {

constexpr std::chrono::milliseconds kRefresh{200};

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

std::function<void(double)> ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](double fraction) { show(fraction); };
}

void ProgressLine::show(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kRefresh) return;
  last_ = now;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::fputs(fmt::format("\r\033[K{}: {:.0f}%, {:.0f} s", what_, 100 * fraction, elapsed).c_str(), stderr);
}

}  // namespace coppice::app

#include "app/progress.h"

#include <unistd.h>

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace coppice::app {
namespace {

constexpr std::chrono::milliseconds kRefresh{200};

// Writes without the buffers of the standard library, since a forked child could inherit their locks in a
// locked state.
void put(std::string_view text) {
  // If this fails, the terminal has been closed and needs no progress line.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), start_(std::chrono::steady_clock::now()) {
  if (::isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { keep_showing(); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  thread_.join();
  put("\r\033[K");
}

std::function<void(double)> ProgressLine::callback() {
  if (!thread_.joinable()) return {};
  return [this](double fraction) { fraction_ = fraction; };
}

void ProgressLine::keep_showing() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kRefresh, [this] { return ended_; })) show();
}

void ProgressLine::show() const {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double fraction = fraction_;
  const std::string how_far = fraction < 0 ? "preparing" : fmt::format("{:.0f}%", 100 * fraction);
  put(fmt::format("\r\033[K{}: {}, {:.0f} s", what_, how_far, elapsed));
}

}  // namespace coppice::app

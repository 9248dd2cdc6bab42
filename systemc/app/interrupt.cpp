#include "app/interrupt.h"

#include <unistd.h>
#include <csignal>

namespace coppice::app {
namespace {

// A signal handler reaches nothing but what is static.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void raise_flag(int /*signal*/) {
  if (interrupted.exchange(true)) ::_exit(kInterruptedStatus);
}

void leave(int /*signal*/) {
  ::_exit(kInterruptedStatus);
}

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  handle_with(raise_flag);
  return interrupted;
}

void exit_on_interrupt() {
  handle_with(leave);
}

}  // namespace coppice::app

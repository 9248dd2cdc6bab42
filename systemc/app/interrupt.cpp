#include "app/interrupt.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

namespace coppice::app {
namespace {

// A signal handler can access these only because they are static.
std::atomic<bool> signalled{false};
std::atomic<int> first_signal{0};
std::atomic<pid_t> command{
    0};  // the process that called catch_interrupts(), and not one that was forked from it
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<pid_t>::is_always_lock_free);

constexpr std::size_t kMostFiles = 16;
std::array<std::array<char, 4096>, kMostFiles> unfinished{};
std::atomic<std::size_t> unfinished_files{0};

// After the first signal, code that polls the flag must finish within this time.
constexpr unsigned kGraceSeconds = 1;
constexpr int kNoRoomStatus = 1;

void handle_with(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

void remove_unfinished() {
  for (std::size_t i = 0; i < unfinished_files; ++i) ::unlink(unfinished[i].data());
}

void end_now(int /*signal*/) {
  if (::getpid() != command) ::_exit(kInterruptedStatus);
  remove_unfinished();
  constexpr char kMessage[] = "coppice: interrupted\n";
  // If this fails, nothing else can be reported, since the process is ending.
  if (::write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) ::_exit(kInterruptedStatus);
  end_as_interrupted();
}

void end_without_room(int /*signal*/) {
  remove_unfinished();
  constexpr char kMessage[] =
      "coppice: failed: a memory-mapped output file could not grow: free space on the output's disk and on "
      "/tmp\n";
  if (::write(STDERR_FILENO, kMessage, sizeof kMessage - 1) < 0) ::_exit(kNoRoomStatus);
  ::_exit(kNoRoomStatus);
}

void raise_flag(int signal) {
  if (signalled.exchange(true)) end_now(signal);
  first_signal = signal;
  ::alarm(kGraceSeconds);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  command = ::getpid();
  handle_with(SIGALRM, end_now);
  handle_with(SIGINT, raise_flag);
  handle_with(SIGTERM, raise_flag);
  return signalled;
}

void report_full_disks() {
  handle_with(SIGXFSZ, SIG_IGN);
  handle_with(SIGBUS, end_without_room);
}

void end_as_interrupted() {
  if (first_signal == SIGTERM) {
    handle_with(SIGTERM, SIG_DFL);
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(SIGTERM);
  }
  ::_exit(kInterruptedStatus);
}

void remove_when_ended(const char* path) {
  const std::size_t next = unfinished_files;
  if (next == kMostFiles || std::strlen(path) >= unfinished[next].size()) return;
  std::strcpy(unfinished[next].data(), path);
  unfinished_files = next + 1;
}

}  // namespace coppice::app

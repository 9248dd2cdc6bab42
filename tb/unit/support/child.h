#pragma once

#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace coppice::testing {

// Runs `body` in a child process. Returns its result, the message of its exception, or how the process died.
// A SystemC kernel elaborates only once per process, so a test with many simulations needs a process for
// each.
inline std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child < 0) return "no child process";
  if (child == 0) {
    ::close(ends[0]);
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = std::string("threw: ") + error.what();
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(ends[1], text.data() + done, text.size() - done);
      if (written <= 0) ::_exit(1);
      done += static_cast<std::size_t>(written);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "died of signal " + std::to_string(WTERMSIG(status)) + " " + text;
  if (WEXITSTATUS(status) != 0)
    return "ended with status " + std::to_string(WEXITSTATUS(status)) + " " + text;
  return text;
}

}  // namespace coppice::testing

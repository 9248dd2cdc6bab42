#include "system/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/train_fabric.h"
#include "system/run.h"

namespace coppice::system {
namespace {

using nlohmann::ordered_json;

// The body's outcome as one JSON text.
std::string outcome(const std::function<ordered_json()>& body) {
  const auto failed = [](const char* kind, const std::string& what) {
    return ordered_json{{"error", kind}, {"what", what}}.dump();
  };
  try {
    return ordered_json{{"value", body()}}.dump();
  } catch (const fabric::ContentionError& error) {
    return failed("contention", error.what());
  } catch (const Interrupted& error) {
    return failed("interrupted", error.what());
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    const SourceLocation& where = error.where();
    const std::string prefix = fmt::format("{}:{}:{}: ", where.file, where.line, where.column);
    return ordered_json{{"error", "config"},
                        {"what", what.substr(prefix.size())},
                        {"file", where.file},
                        {"line", where.line},
                        {"column", where.column}}
        .dump();
  } catch (const std::exception& error) {
    return failed("model", error.what());
  }
}

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

// Everything the child writes, until it closes its end.
std::string read_all(int fd, pid_t child, const std::atomic<bool>* interrupted) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) return text;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno == EINTR && interrupted != nullptr && interrupted->load()) kill(child, SIGINT);
    if (n < 0 && errno != EINTR) return text;
  }
}

ordered_json interpret(const std::string& text, int status) {
  if (text.empty()) {
    throw ModelError(WIFSIGNALED(status) ? fmt::format("the simulation was ended by signal {} ({})",
                                                       WTERMSIG(status), strsignal(WTERMSIG(status)))
                                         : fmt::format("the simulation ended with status {} and no result",
                                                       WEXITSTATUS(status)));
  }
  ordered_json answer = ordered_json::parse(text);
  if (answer.contains("value")) return answer["value"];
  const std::string kind = answer["error"];
  const std::string what = answer["what"];
  if (kind == "contention") throw fabric::ContentionError(what);
  if (kind == "interrupted") throw Interrupted(what);
  if (kind == "config") throw ConfigError({answer["file"], answer["line"], answer["column"]}, what);
  throw ModelError(what);
}

}  // namespace

ordered_json run_in_child(const std::function<ordered_json()>& body, const std::atomic<bool>* interrupted) {
  int ends[2];
  if (pipe(ends) != 0) throw ModelError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw ModelError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    write_all(ends[1], outcome(body));
    close(ends[1]);
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0], child, interrupted);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (interrupted != nullptr && interrupted->load()) throw Interrupted("interrupted");
  return interpret(text, status);
}

}  // namespace coppice::system

#include "system/process/subprocess_run.h"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "fabric/trains/train_fabric.h"
#include "system/process/interrupted.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPollMilliseconds = 100;
constexpr std::chrono::seconds kGrace{2};
constexpr useconds_t kReapMicroseconds = 2000;

// The form in which a job's error is sent through the pipe.
Json describe_error(const char* kind, const std::string& message) {
  return {{"error", kind}, {"message", message}};
}

Json outcome_of(const SubprocessJob& job) {
  try {
    return Json::object({{"value", job()}});
  } catch (const ConfigError& error) {
    const SourceLocation& place = error.where();
    Json described = describe_error("config", error.what());
    described["file"] = place.file;
    described["line"] = place.line;
    described["column"] = place.column;
    return described;
  } catch (const fabric::ContentionError& error) {
    return describe_error("contention", error.what());
  } catch (const UnsupportedError& error) {
    return describe_error("unsupported", error.what());
  } catch (const Interrupted& error) {
    return describe_error("interrupted", error.what());
  } catch (const std::bad_alloc&) {
    return describe_error("memory", "");
  } catch (const std::exception& error) {
    return describe_error("model", error.what());
  } catch (...) {
    return describe_error("model", "the simulation failed for an unknown reason");
  }
}

[[noreturn]] void rethrow(const Json& outcome) {
  const std::string kind = outcome.at("error");
  std::string message = outcome.at("message");
  if (kind == "config") {
    const SourceLocation place{outcome.at("file"), outcome.at("line"), outcome.at("column")};
    // The new ConfigError prepends the location again, so remove it from the message.
    const std::string prefix = ConfigError(place, "").what();
    throw ConfigError(place, message.substr(std::min(prefix.size(), message.size())));
  }
  if (kind == "contention") throw fabric::ContentionError(message);
  if (kind == "unsupported") throw UnsupportedError(message);
  if (kind == "interrupted") throw Interrupted(message);
  if (kind == "memory") throw std::bad_alloc();
  throw ModelError(message);
}

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(EXIT_FAILURE);
    done += static_cast<std::size_t>(written);
  }
}

// Runs a job in the child, then exits without the clean-up that the parent will do.
[[noreturn]] void run_child(const SubprocessJob& job, int descriptor, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
  // A terminal sends Ctrl-C to the whole process group. The parent receives it too and decides whether to
  // terminate the child.
  std::signal(SIGINT, SIG_IGN);
  // Strings that are not valid UTF-8, such as some paths, must not cause a failure here.
  write_all(descriptor, outcome_of(job).dump(-1, ' ', false, Json::error_handler_t::replace));
  ::_exit(EXIT_SUCCESS);
}

[[noreturn]] void fail(const char* what) {
  throw ModelError(fmt::format("cannot start a subprocess: {}: {}", what, std::strerror(errno)));
}

// A child process that runs a job. The destructor kills and reaps the child if it is still running.
class Child {
 public:
  Child(std::size_t job, const SubprocessJob& work) : job_(job) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) fail("pipe");
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      run_child(work, ends[1], parent);
    }
    const int reason = errno;
    ::close(ends[1]);
    descriptor_ = ends[0];
    if (pid_ < 0) {
      ::close(descriptor_);
      errno = reason;
      fail("fork");
    }
  }
  Child(Child&& other) noexcept
      : job_(other.job_),
        pid_(std::exchange(other.pid_, -1)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        text_(std::move(other.text_)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(job_, other.job_);
    std::swap(pid_, other.pid_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(text_, other.text_);
    return *this;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) end();
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::size_t job() const { return job_; }
  int descriptor() const { return descriptor_; }

  // Reads from the pipe. Returns the outcome once the child has closed its end, otherwise nullopt.
  std::optional<Json> receive() {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
    if (got > 0) {
      text_.append(buffer.data(), static_cast<std::size_t>(got));
      return std::nullopt;
    }
    const int status = reap();
    Json outcome = Json::parse(text_, nullptr, false);
    if (!outcome.is_discarded() && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return outcome;
    if (WIFSIGNALED(status)) {
      throw ModelError(fmt::format("a simulation was killed by signal {} ({}){}", WTERMSIG(status),
                                   ::strsignal(WTERMSIG(status)),
                                   WTERMSIG(status) == SIGKILL ? ": it may have run out of memory" : ""));
    }
    throw ModelError(
        fmt::format("a simulation exited with status {} and without a result", WEXITSTATUS(status)));
  }

 private:
  void end() {
    ::kill(pid_, SIGTERM);
    const auto deadline = std::chrono::steady_clock::now() + kGrace;
    while (std::chrono::steady_clock::now() < deadline) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        return;
      }
      // Keep reading, since a child that is writing its value would otherwise block and not terminate.
      drain();
      ::usleep(kReapMicroseconds);
    }
    ::kill(pid_, SIGKILL);
    reap();
  }

  void drain() {
    pollfd descriptor{descriptor_, POLLIN, 0};
    std::array<char, 65536> buffer{};
    if (::poll(&descriptor, 1, 0) > 0 && ::read(descriptor_, buffer.data(), buffer.size()) < 0) return;
  }

  int reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  std::size_t job_;
  pid_t pid_ = -1;
  int descriptor_ = -1;
  std::string text_;
};

class SubprocessPool {
 public:
  SubprocessPool(const std::vector<SubprocessJob>& jobs, const SubprocessOptions& options)
      : jobs_(jobs),
        options_(options),
        end_(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                    std::chrono::duration<double>(options.most_seconds))),
        values_(jobs.size()) {}

  std::vector<Json> run() {
    while (next_ < jobs_.size() || !children_.empty()) {
      if (options_.interrupted != nullptr && options_.interrupted->load()) {
        if (options_.interrupting) options_.interrupting();
        throw Interrupted(fmt::format("interrupted after {} of {} simulations", done_, jobs_.size()));
      }
      if (options_.most_seconds > 0 && std::chrono::steady_clock::now() >= end_) {
        throw OutOfTime(fmt::format("only {} of {} simulations finished within {:g} s", done_, jobs_.size(),
                                    options_.most_seconds));
      }
      start();
      wait();
    }
    return std::move(values_);
  }

 private:
  void start() {
    const auto limit = static_cast<std::size_t>(std::max(options_.at_once, 1));
    for (; next_ < jobs_.size() && children_.size() < limit; ++next_) {
      children_.emplace_back(next_, jobs_[next_]);
    }
  }

  void wait() {
    std::vector<pollfd> descriptors;
    for (const Child& child : children_) descriptors.push_back({child.descriptor(), POLLIN, 0});
    if (::poll(descriptors.data(), descriptors.size(), kPollMilliseconds) <= 0) return;
    for (std::size_t i = children_.size(); i-- > 0;) {
      if (descriptors[i].revents != 0) receive(i);
    }
  }

  void receive(std::size_t index) {
    Child& child = children_[index];
    std::optional<Json> outcome = child.receive();
    if (!outcome) return;
    if (outcome->contains("error")) rethrow(*outcome);
    const std::size_t job = child.job();
    values_[job] = std::move(outcome->at("value"));
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(index));
    ++done_;
    if (options_.job_done) options_.job_done(job, values_[job]);
  }

  const std::vector<SubprocessJob>& jobs_;
  const SubprocessOptions& options_;
  std::chrono::steady_clock::time_point end_;
  std::vector<Json> values_;
  std::vector<Child> children_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

std::vector<Json> run_in_subprocesses(const std::vector<SubprocessJob>& jobs,
                                      const SubprocessOptions& options) {
  return SubprocessPool(jobs, options).run();
}

int available_processors() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  if (::sched_getaffinity(0, sizeof processors, &processors) != 0) return 1;
  return std::max(1, CPU_COUNT(&processors));
}

}  // namespace coppice::system

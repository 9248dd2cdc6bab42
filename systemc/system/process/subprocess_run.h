#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

namespace coppice::system {

// A job that returns a value or throws.
using SubprocessJob = std::function<nlohmann::ordered_json()>;

// Thrown if jobs were terminated because they exceeded SubprocessOptions::most_seconds.
class OutOfTime : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SubprocessOptions {
  int at_once = 1;  // the maximum number of children at the same time, at least 1
  const std::atomic<bool>* interrupted = nullptr;  // polled ten times a second
  // `job_done` is called with each job's value as it arrives. If `interrupted` is set, `interrupting` is
  // called before the children are terminated.
  std::function<void(std::size_t job, const nlohmann::ordered_json& value)> job_done;
  std::function<void()> interrupting;
  double most_seconds = 0;  // time limit for all jobs together; 0: none
};

// Runs every job in its own child process, so that each may elaborate a SystemC kernel. The caller must be
// single-threaded and must not have elaborated a kernel itself. Jobs start in order, and their values are
// returned in this order. If a job throws, all others are terminated and its exception is rethrown with the
// same message: ConfigError (with its location), ContentionError, UnsupportedError, Interrupted and
// std::bad_alloc keep their type, and others become a ModelError, as does the death of a child. Throws
// Interrupted when the flag is set, and OutOfTime when the time limit is reached. Children are terminated by
// SIGTERM, so that they can clean up, and two seconds later by SIGKILL. Ctrl-C reaches them only through this
// process. No child outlives this function, even if this process is killed.
std::vector<nlohmann::ordered_json> run_in_subprocesses(const std::vector<SubprocessJob>& jobs,
                                                        const SubprocessOptions& options);

// The number of processors that this process may use.
int available_processors();

}  // namespace coppice::system

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

// Jobs were terminated because they exceeded SubprocessOptions::most_seconds.
class OutOfTime : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SubprocessOptions {
  int at_once = 1;                                 // maximum number of simultaneous children, at least 1
  const std::atomic<bool>* interrupted = nullptr;  // polled ten times a second
  // `job_done` is called with each job's value as it arrives; `interrupting` before the children are
  // terminated because of `interrupted`.
  std::function<void(std::size_t job, const nlohmann::ordered_json& value)> job_done;
  std::function<void()> interrupting;
  double most_seconds = 0;  // limit for all jobs together; 0: none
};

// Runs every job in a forked child process, so that each may elaborate a SystemC kernel. The caller must not
// have elaborated one, and must be single-threaded. Jobs start in order; their values are returned in the
// same order. The first job that throws terminates the others, and its exception is rethrown with the same
// message: ConfigError (with its location), ContentionError, UnsupportedError, Interrupted and std::bad_alloc
// with their type, others as ModelError. The death of a child is also a ModelError. Throws Interrupted when
// the flag is set, and OutOfTime when the time limit is reached. Children are terminated by SIGTERM, so that
// they can clean up, and by SIGKILL two seconds later; Ctrl-C reaches them only through this process. No
// child outlives this function, even if this process is killed.
std::vector<nlohmann::ordered_json> run_in_subprocesses(const std::vector<SubprocessJob>& jobs,
                                                        const SubprocessOptions& options);

// The number of processors that this process may use.
int available_processors();

}  // namespace coppice::system

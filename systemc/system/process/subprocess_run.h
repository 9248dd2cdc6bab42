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

// Jobs were ended because they took longer than SubprocessOptions::most_seconds.
class OutOfTime : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SubprocessOptions {
  int at_once = 1;                                 // number of children that run at the same time, at least 1
  const std::atomic<bool>* interrupted = nullptr;  // polled ten times a second
  // Called with each job's value as it arrives, and before the children are ended because of `interrupted`.
  std::function<void(std::size_t job, const nlohmann::ordered_json& value)> job_done;
  std::function<void()> interrupting;
  double most_seconds = 0;  // limit for all jobs together; 0: none
};

// Runs every job in a separate child process, forked here, so that each may elaborate a SystemC kernel; the
// caller must not have elaborated one, nor have other threads. Jobs start in order. Returns their values in
// the same order.
//
// The first job that throws ends the others, and its exception is rethrown here with its message: ConfigError
// with its location, ContentionError, UnsupportedError, Interrupted and std::bad_alloc with their type,
// others as ModelError; so is the death of a child. Throws Interrupted when the flag is set, and OutOfTime
// when the time is up.
//
// Children are ended by SIGTERM, so that they may clean up, and two seconds later by SIGKILL; Ctrl-C reaches
// them only through this process. No child outlives this function, nor this process if it is killed.
std::vector<nlohmann::ordered_json> run_in_subprocesses(const std::vector<SubprocessJob>& jobs,
                                                        const SubprocessOptions& options);

// The number of processors that this process may use.
int available_processors();

}  // namespace coppice::system

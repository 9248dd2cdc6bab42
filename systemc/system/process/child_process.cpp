#include "system/process/child_process.h"

#include "system/process/subprocess_run.h"

namespace coppice::system {

nlohmann::ordered_json run_in_child(const std::function<nlohmann::ordered_json()>& body,
                                    const std::atomic<bool>* interrupted, double most_seconds) {
  SubprocessOptions options;
  options.interrupted = interrupted;
  options.most_seconds = most_seconds;
  return run_in_subprocesses({body}, options).front();
}

}  // namespace coppice::system

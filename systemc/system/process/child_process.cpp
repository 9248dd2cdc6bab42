#include "system/process/child_process.h"

#include "system/process/subprocess_run.h"

namespace coppice::system {

nlohmann::ordered_json run_in_child(const std::function<nlohmann::ordered_json()>& body,
                                    const std::atomic<bool>* interrupted) {
  SubprocessOptions options;
  options.interrupted = interrupted;
  return run_in_subprocesses({body}, options).front();
}

}  // namespace coppice::system

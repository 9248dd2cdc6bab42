#pragma once

#include <functional>
#include <memory>

namespace coppice::fabric {

// Threads that run the groups of a network's nodes in parallel, quantum by quantum.
class NodeThreads {
 public:
  explicit NodeThreads(int groups);
  ~NodeThreads();

  // Calls run(group) for every group, each in its own thread, and returns when all have finished. Memory
  // writes before the call are visible to the threads, and theirs to the caller afterwards. If several calls
  // throw, rethrows the exception of the first group.
  void run(const std::function<void(int group)>& run);

 private:
  struct Arena;
  struct Task;
  std::unique_ptr<Arena> arena_;
};

}  // namespace coppice::fabric

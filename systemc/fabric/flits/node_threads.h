#pragma once

#include <functional>
#include <memory>

namespace coppice::fabric {

// Threads that run the groups of a network's nodes side by side, quantum by quantum.
class NodeThreads {
 public:
  explicit NodeThreads(int groups);
  ~NodeThreads();

  // Calls run(group) for every group, each in a thread, and returns when all have finished. The caller sees
  // their writes, and they see the caller's earlier ones. If several throw, the exception of the first group
  // is rethrown.
  void run(const std::function<void(int group)>& run);

 private:
  struct Arena;
  struct Task;
  std::unique_ptr<Arena> arena_;
};

}  // namespace coppice::fabric

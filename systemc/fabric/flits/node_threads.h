#pragma once

#include <functional>
#include <memory>

namespace coppice::fabric {

// Threads that run the groups of a network's nodes in parallel, quantum by quantum.
class NodeThreads {
 public:
  explicit NodeThreads(int groups);
  ~NodeThreads();

  // Calls run(group) for every group, each in its own thread, and returns when all calls have finished. The
  // threads see all memory writes made before the call, and the caller afterwards sees all writes made by the
  // threads. If several calls throw, rethrows the exception of the lowest-numbered group.
  void run(const std::function<void(int group)>& run);

 private:
  struct Arena;
  struct Task;
  std::unique_ptr<Arena> arena_;
};

}  // namespace coppice::fabric

#include "fabric/flits/node_threads.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace coppice::fabric {

// The two counters duplicate oneTBB's own synchronisation in a form that ThreadSanitizer recognises, because
// the library itself is not instrumented.
struct NodeThreads::Arena {
  explicit Arena(int groups)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(groups)),
        tasks(groups),
        failures(static_cast<std::size_t>(groups)) {}

  tbb::global_control limit;  // one thread per group, even if there are fewer cores
  tbb::task_arena tasks;
  const std::function<void(int group)>* run = nullptr;
  std::vector<std::exception_ptr> failures;  // [group]
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> done{0};
};

// The task that each thread of oneTBB executes.
struct NodeThreads::Task {
  void operator()(std::size_t group) const {
    arena->begun.load(std::memory_order_acquire);
    run(*arena, group);
    arena->done.fetch_add(1, std::memory_order_release);
  }
  static void run(Arena& arena, std::size_t group) {
    try {
      (*arena.run)(static_cast<int>(group));
    } catch (...) {
      arena.failures[group] = std::current_exception();
    }
  }

  Arena* arena;
};

NodeThreads::NodeThreads(int groups) : arena_(std::make_unique<Arena>(groups)) {}

NodeThreads::~NodeThreads() = default;

void NodeThreads::run(const std::function<void(int group)>& run) {
  Arena& arena = *arena_;
  arena.run = &run;
  arena.begun.fetch_add(1, std::memory_order_release);
  arena.tasks.execute([task = Task{&arena}] {
    tbb::parallel_for(std::size_t{0}, task.arena->failures.size(), task, tbb::static_partitioner());
  });
  arena.done.load(std::memory_order_acquire);
  for (const std::exception_ptr& failure : arena.failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace coppice::fabric

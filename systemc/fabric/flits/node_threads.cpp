#include "fabric/flits/node_threads.h"

#include <atomic>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

namespace coppice::fabric {

// The two counters say the same as oneTBB's own synchronisation, in a way that ThreadSanitizer sees: the
// library is not built for it.
struct NodeThreads::Arena {
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        tasks(threads) {}
  tbb::global_control limit;  // as many as are asked for, though there be fewer cores
  tbb::task_arena tasks;
  std::atomic<std::uint64_t> begun{0};
  std::atomic<std::uint64_t> done{0};
};

NodeThreads::NodeThreads(int groups)
    : arena_(std::make_unique<Arena>(groups)), failures_(static_cast<std::size_t>(groups)) {}

NodeThreads::~NodeThreads() = default;

void NodeThreads::run(const std::function<void(int group)>& run) {
  arena_->begun.fetch_add(1, std::memory_order_release);
  arena_->tasks.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, failures_.size(),
        [&](std::size_t group) {
          arena_->begun.load(std::memory_order_acquire);
          try {
            run(static_cast<int>(group));
          } catch (...) {
            failures_[group] = std::current_exception();
          }
          arena_->done.fetch_add(1, std::memory_order_release);
        },
        tbb::static_partitioner());
  });
  arena_->done.load(std::memory_order_acquire);
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace coppice::fabric

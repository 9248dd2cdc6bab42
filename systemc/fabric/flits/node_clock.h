#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "fabric/failure.h"
#include "fabric/flits/node_threads.h"
#include "fabric/wires/wire.h"

namespace coppice::fabric {

class FlitNode;

// Clocks all nodes with one process, so that the kernel is entered once per quantum instead of once per flit.
// The process sleeps while no node has work.
//
// In a quantum of Q cycles, each node runs Q cycles before the next node does. The result is the same as if
// all nodes ran cycle by cycle, provided that everything a node sends takes at least Q cycles to arrive. All
// arrivals of a quantum are then already on the wires when the quantum begins (conservative simulation with
// lookahead). For the same reason, groups of nodes may run in separate threads if everything that they send
// to each other is handed over between quanta.
class NodeClock final : public sc_core::sc_module {
 public:
  // Exceptions thrown by nodes are stored in `failure`.
  NodeClock(const sc_core::sc_module_name& name, Femtoseconds period, Failure& failure);

  // Adds a node before the end of elaboration, and returns its index.
  std::size_t add(FlitNode& node);
  // The next cycle in which a node has work. The reference stays valid once all nodes have been added.
  Cycles& due(std::size_t node) { return due_[node]; }
  // Requests that a node run in cycle `at`, which must not be in the past.
  void wake(std::size_t node, Cycles at);

  // The first cycle of the current or most recent quantum.
  const Cycles& begun() const { return begun_; }

  // Sets the number of cycles by which nodes may run ahead of each other, and the cycle `end` that no node
  // may reach. By default, all nodes run cycle by cycle.
  void set_quantum(Cycles cycles) { quantum_ = cycles; }
  void set_end(Cycles end) { end_ = end; }
  // Runs each group of nodes in its own thread. `group_of` contains the group of each node, in ascending
  // order.
  void set_groups(const std::vector<int>& group_of);
  // Sets the function to call at the end of a quantum.
  void on_quantum(std::function<void()> call) { on_quantum_ = std::move(call); }
  // Sets a function to call after the one set by on_quantum(), as long as any node has work. It receives the
  // next cycle, which no node has begun. It may advance the nodes (FlitNode::shift()) and must return the
  // number of cycles by which they were advanced.
  void on_pause(std::function<Cycles(Cycles next)> call) { on_pause_ = std::move(call); }

  // Records that a module of `node` did something that is not periodic.
  void disturb(std::size_t node) { ++disturbances_[node]; }
  // The total number of calls of disturb().
  std::int64_t disturbances() const {
    return std::accumulate(disturbances_.begin(), disturbances_.end(), std::int64_t{0});
  }
  const std::vector<FlitNode*>& nodes() const { return nodes_; }

 private:
  void tick();
  void run(std::size_t first, std::size_t last, Cycles until);
  bool pays(Cycles now, Cycles until) const;

  Femtoseconds period_;
  Failure* failure_;
  std::vector<FlitNode*> nodes_;
  std::vector<Cycles> due_;  // [node]
  sc_core::sc_event event_;
  Cycles next_tick_ = kNever;
  bool running_ = false;
  Cycles begun_ = 0;
  Cycles quantum_ = 1;
  Cycles end_ = kNever;
  std::function<void()> on_quantum_;
  std::function<Cycles(Cycles)> on_pause_;
  std::vector<std::int64_t> disturbances_;  // [node]
  std::vector<std::size_t> groups_;  // first node of each group; the last element is one past the last node
  std::unique_ptr<NodeThreads> threads_;
};

}  // namespace coppice::fabric

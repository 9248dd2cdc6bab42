#include "fabric/flits/node_clock.h"

#include <algorithm>

#include "base/time_limit.h"
#include "fabric/flits/flit_node.h"
#include "fabric/sim_time.h"

namespace coppice::fabric {

NodeClock::NodeClock(const sc_core::sc_module_name& name, Femtoseconds period, Failure& failure)
    : sc_module(name), period_(period), failure_(&failure), event_("next_tick") {
  SC_HAS_PROCESS(NodeClock);
  SC_METHOD(tick);
  sensitive << event_;
  dont_initialize();
}

std::size_t NodeClock::add(FlitNode& node) {
  nodes_.push_back(&node);
  due_.push_back(kNever);
  disturbances_.push_back(0);
  return nodes_.size() - 1;
}

void NodeClock::wake(std::size_t node, Cycles at) {
  due_[node] = std::min(due_[node], at);
  if (running_ || next_tick_ <= at) return;
  next_tick_ = at;
  event_.notify(to_sc_time(checked_time(at, period_)) - sc_core::sc_time_stamp());
}

void NodeClock::set_groups(const std::vector<int>& group_of) {
  groups_ = {0};
  for (std::size_t node = 1; node < group_of.size(); ++node) {
    if (group_of[node] != group_of[node - 1]) groups_.push_back(node);
  }
  groups_.push_back(group_of.size());
  threads_ = std::make_unique<NodeThreads>(static_cast<int>(groups_.size()) - 1);
}

void NodeClock::run(std::size_t first, std::size_t last, Cycles until) {
  for (std::size_t node = first; node < last; ++node) {
    if (due_[node] < until) due_[node] = nodes_[node]->run(due_[node], until);
  }
}

// Whether a quantum has so much work that running it in threads saves more time than waking the threads
// costs.
bool NodeClock::pays(Cycles now, Cycles until) const {
  constexpr Cycles kLeast = 256;  // per node
  Cycles work = 0;
  for (const Cycles due : due_) {
    if (due < until) work += until - std::max(due, now);
    if (work >= kLeast) return true;
  }
  return false;
}

void NodeClock::tick() {
  failure_->guard([this] {
    const Cycles now = next_tick_;
    const Cycles until = std::max(now + 1, std::min(now + quantum_, end_));
    begun_ = now;
    running_ = true;
    if (threads_ == nullptr || !pays(now, until)) {
      run(0, nodes_.size(), until);
    } else {
      threads_->run([this, until](int group) {
        const auto g = static_cast<std::size_t>(group);
        run(groups_[g], groups_[g + 1], until);
      });
    }
    running_ = false;
    if (on_quantum_) on_quantum_();
    if (on_pause_) {
      const Cycles leap = on_pause_(until);
      if (leap > 0) {
        begun_ += leap;
        for (std::size_t node = 0; node < nodes_.size(); ++node) due_[node] = nodes_[node]->shift(leap);
      }
    }
    next_tick_ = *std::min_element(due_.begin(), due_.end());
    if (next_tick_ != kNever) event_.notify(to_sc_time(checked_time(next_tick_, period_) - now * period_));
  });
}

}  // namespace coppice::fabric

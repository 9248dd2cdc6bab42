#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/units.h"

namespace coppice::fabric {

// An event list ordered by cycle, for systems in which many events occur in the same few cycles. Processing a
// cycle with many events costs as much as processing a single event of a heap.
template <typename Event>
class Calendar {
 public:
  void add(Cycles at, const Event& event) {
    if (last_ == cycles_.end() || last_->first != at) last_ = entry(at);
    last_->second.push_back(event);
  }

  bool empty() const { return cycles_.empty(); }
  // The first cycle that has events; the calendar must not be empty.
  Cycles next() const { return cycles_.begin()->first; }
  // Removes and returns the events of cycle next(), in the order in which they were added. The reference is
  // valid until the next call of take().
  std::vector<Event>& take() {
    taken_.clear();
    const auto first = cycles_.begin();
    if (last_ == first) last_ = cycles_.end();
    taken_.swap(first->second);
    spare_.push_back(cycles_.extract(first));
    return taken_;
  }

 private:
  using Cycle = std::map<Cycles, std::vector<Event>>;

  typename Cycle::iterator entry(Cycles at) {
    const auto place = cycles_.lower_bound(at);
    if (place != cycles_.end() && place->first == at) return place;
    if (spare_.empty()) return cycles_.try_emplace(place, at);
    auto node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = at;
    return cycles_.insert(place, std::move(node));
  }

  Cycle cycles_;
  typename Cycle::iterator last_ = cycles_.end();  // cycle to which the last event was added
  std::vector<typename Cycle::node_type> spare_;  // nodes of past cycles, kept so that their memory is reused
  std::vector<Event> taken_;
};

}  // namespace coppice::fabric

#pragma once

#include <cstdint>
#include <vector>

namespace coppice::schedule {

// A one-to-one matching of items to slots. The matching is maximum and prefers the items that are added
// first; adding items greedily is optimal because the sets of items that can be matched form a matroid. Meant
// for few slots: add() queries an item's slots instead of storing them.
class Assignment {
 public:
  explicit Assignment(std::size_t slots) : item_(slots, -1), visited_(slots, 0) {}

  // Adds `item` if it fits, moving other items to different slots if necessary. `slots_of(item, visit)` calls
  // visit(slot) for every slot that can hold the item, in order of preference, until visit returns true.
  template <typename SlotsOf>
  bool add(std::int32_t item, const SlotsOf& slots_of) {
    ++round_;
    if (!augment(item, slots_of)) return false;
    ++matched_;
    return true;
  }

  bool full() const { return matched_ == item_.size(); }
  // The item in a slot; -1 if the slot is free.
  std::int32_t operator[](std::size_t slot) const { return item_[slot]; }

 private:
  template <typename SlotsOf>
  bool augment(std::int32_t item, const SlotsOf& slots_of) {
    bool done = false;
    slots_of(item, [&](std::size_t slot) {
      if (visited_[slot] == round_) return false;
      visited_[slot] = round_;
      if (item_[slot] >= 0 && !augment(item_[slot], slots_of)) return false;
      item_[slot] = item;
      done = true;
      return true;
    });
    return done;
  }

  std::vector<std::int32_t> item_;     // [slot]: see operator[]
  std::vector<std::int32_t> visited_;  // [slot]: the last round in which it was visited
  std::int32_t round_ = 0;
  std::size_t matched_ = 0;
};

}  // namespace coppice::schedule

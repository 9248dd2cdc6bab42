#pragma once

#include <cstddef>
#include <vector>

#include "schedule/schedule.h"

namespace coppice::ni {

using schedule::TableEntry;

// The reduce-schedule table of one network-interface port: loaded before the collective, read in order, one
// entry at a time.
class ScheduleTable {
 public:
  void load(const std::vector<TableEntry>& entries) {
    entries_ = &entries;
    next_ = 0;
  }
  // The entry to issue next; nullptr when the table is done.
  const TableEntry* head() const {
    return entries_ != nullptr && next_ < entries_->size() ? &(*entries_)[next_] : nullptr;
  }
  // The next entry that is no nop; nullptr if there is none.
  const TableEntry* next_message() const {
    if (entries_ == nullptr) return nullptr;
    for (std::size_t i = next_; i < entries_->size(); ++i) {
      if ((*entries_)[i].op != schedule::Op::kNop) return &(*entries_)[i];
    }
    return nullptr;
  }
  void pop() { ++next_; }
  // Tables of large systems lie far outside the caches.
  void prefetch_next() const {
    if (next_ + 1 < entries_->size()) __builtin_prefetch(&(*entries_)[next_ + 1]);
  }
  std::size_t issued() const { return next_; }

 private:
  const std::vector<TableEntry>* entries_ = nullptr;  // not owned
  std::size_t next_ = 0;
};

}  // namespace coppice::ni

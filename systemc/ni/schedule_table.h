#pragma once

#include <cstddef>

#include "schedule/tables/schedule.h"

namespace coppice::ni {

using schedule::TableEntry;

// The reduce-schedule table of one network-interface port: loaded before the collective, read in order, one
// entry at a time. Of entries that are made up as they are read, only the destination is named
// (schedule::TableSource::read_message()).
class ScheduleTable {
 public:
  // `table` outlives this one's use of it.
  void load(const schedule::Table& table) {
    table_ = &table;
    entries_ = table.stored().data();
    size_ = table.size();
    next_ = 0;
    read_head();
  }
  void load(const schedule::Table&& table) = delete;
  // The entry to issue next; nullptr when the table is done. It stays until the one after it is popped, or as
  // long as the schedule if entries_stay().
  const TableEntry* head() const {
    if (next_ >= size_) return nullptr;
    return entries_stay() ? entries_ + next_ : &read_[next_ % 2];
  }
  bool entries_stay() const { return entries_ != nullptr; }
  // The next entry that is no nop, until the next call; nullptr if there is none.
  const TableEntry* next_message() {
    for (std::size_t i = next_; i < size_; ++i) {
      const TableEntry* entry = entries_ + i;
      if (!entries_stay()) {
        entry = i == next_ ? head() : &ahead_;
        if (i > next_) table_->read_message(i, ahead_);
      }
      if (entry->op != schedule::Op::kNop) return entry;
    }
    return nullptr;
  }
  void pop() {
    ++next_;
    read_head();
  }
  // Tables of large systems lie far outside the caches.
  void prefetch_next() const {
    if (entries_stay() && next_ + 1 < size_) __builtin_prefetch(entries_ + next_ + 1);
  }
  std::size_t issued() const { return next_; }

 private:
  void read_head() {
    if (!entries_stay() && next_ < size_) table_->read_message(next_, read_[next_ % 2]);
  }

  const schedule::Table* table_ = nullptr;  // not owned
  const TableEntry* entries_ = nullptr;     // its own entries, if it has them
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  // For shared tables: the head and the one before it, and what next_message() found.
  TableEntry read_[2];
  TableEntry ahead_;
};

}  // namespace coppice::ni

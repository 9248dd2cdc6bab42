#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "schedule/tables/schedule.h"
#include "schedule/tables/table_loop.h"

namespace coppice::ni {

using schedule::TableEntry;

// The reduce-schedule table of a network-interface port. It is loaded before the collective and read in
// order, one entry at a time. If entries are generated on demand, those read ahead contain only the
// destination (schedule::TableSource::read_message()).
//
// The pieces of a pipelined schedule repeat, so their table is folded into lines that are executed in a loop
// (schedule::TableLoop). The registers hold the position in the loop, that is, a line and an iteration.
// Skipping a line that is not active in the current iteration takes a cycle (pass()).
class ScheduleTable {
 public:
  // Loads a table, which must remain valid while it is in use.
  void load(const schedule::Table& table) {
    loop_.reset();
    table_ = &table;
    entries_ = table.stored().data();
    if (entries_ == nullptr && read_ == nullptr) read_ = std::make_unique<Read>();
    size_ = table.size();
    next_ = 0;
    passes_ = 0;
    read_head();
  }
  void load(const schedule::Table&& table) = delete;
  // Loads the table, folded by `repetition` if this reduces the number of lines. Nops are loaded only if
  // `nops` is set.
  void load(const schedule::Table& table, const schedule::Repetition& repetition, bool nops) {
    if (repetition.step > 0 && !table.empty()) {
      auto loop = std::make_unique<schedule::TableLoop>(table, repetition, nops);
      if (loop->repeats()) {
        load(std::move(loop));
        return;
      }
    }
    load(table);
  }
  // The entry to issue next; nullptr if there are no more entries. The pointer is valid until the next entry
  // is popped or, if entries_stay() is true, as long as the schedule exists.
  const TableEntry* head() const {
    if (next_ >= size_) return nullptr;
    return entries_stay() ? entries_ + next_ : &read_->heads[next_ % 2];
  }
  bool entries_stay() const { return entries_ != nullptr; }
  // Whether lines must be skipped before head() can issue.
  bool passes() const { return passes_ > 0; }
  void pass() { --passes_; }
  // The next entry that is not a nop; nullptr if there is none. The pointer is valid until the next call.
  const TableEntry* next_message() {
    Place place = place_;
    for (std::size_t i = next_; i < size_; ++i) {
      if (!entries_stay() && i > next_) read_ahead(i, place);
      const TableEntry* const later = entries_stay() ? entries_ + i : &read_->ahead;
      const TableEntry* const entry = i == next_ ? head() : later;
      if (entry->op != schedule::Op::kNop) return entry;
    }
    return nullptr;
  }
  // Removes the head. The table must have a head and no lines to skip before it.
  void pop() {
    ++next_;
    if (loop_ != nullptr) place_ = loop_->after(place_);
    read_head();
  }
  // Prefetches the head, because the tables of large systems do not fit into the caches.
  void prefetch_head() const {
    if (entries_stay()) __builtin_prefetch(entries_ + next_);
  }
  void prefetch_next() const {
    if (entries_stay() && next_ + 1 < size_) __builtin_prefetch(entries_ + next_ + 1);
  }
  std::size_t issued() const { return next_; }

 private:
  using Place = schedule::TableLoop::Place;

  void load(std::unique_ptr<schedule::TableLoop> loop) {
    loop_ = std::move(loop);
    table_ = nullptr;
    entries_ = nullptr;
    if (read_ == nullptr) read_ = std::make_unique<Read>();
    size_ = static_cast<std::size_t>(loop_->entries());
    next_ = 0;
    place_ = {};
    read_head();
  }
  void read_head() {
    if (entries_stay() || next_ >= size_) return;
    if (loop_ == nullptr) {
      table_->read_message(next_, read_->heads[next_ % 2]);
      return;
    }
    place_ = loop_->next_active(place_, passes_);
    loop_->read(place_, read_->heads[next_ % 2]);
  }
  // Reads entry i, which follows the entry at `place`.
  void read_ahead(std::size_t i, Place& place) {
    if (loop_ == nullptr) {
      table_->read_message(i, read_->ahead);
      return;
    }
    std::int32_t passed = 0;
    place = loop_->next_active(loop_->after(place), passed);
    loop_->read(place, read_->ahead);
  }

  const schedule::Table* table_ = nullptr;  // not owned; a loop stores its own copies of lines
  const TableEntry* entries_ = nullptr;     // the table's stored entries, if any
  std::unique_ptr<const schedule::TableLoop> loop_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  Place place_;              // position of the head in the loop
  std::int32_t passes_ = 0;  // number of lines to skip before the head
  // For tables that generate entries on demand: the head, the previous entry, and the result of
  // next_message(). They are stored separately from the members that every wake-up reads.
  struct Read {
    TableEntry heads[2];
    TableEntry ahead;
  };
  std::unique_ptr<Read> read_;
};

}  // namespace coppice::ni

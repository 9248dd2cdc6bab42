#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A line of a folded table. It stands for one entry in every iteration from `first` to `end` - 1.
struct TableLine {
  TableEntry base;  // the entry as in iteration 0; flow, address and step may be negative
  std::int32_t first = 0;
  std::int32_t end = 1;

  bool active(std::int32_t iteration) const { return first <= iteration && iteration < end; }
};

// The entries of one NI port as hardware stores them: a loop over lines, in which flows, addresses and
// timesteps advance by `stride` per iteration. Iterations outside a line's window skip the line. A table that
// does not repeat is a single iteration with one line per entry.
class TableLoop {
 public:
  // A position in the loop: the line and iteration of an entry.
  struct Place {
    std::int32_t line = 0;
    std::int32_t iteration = 0;
  };

  TableLoop() = default;
  // Folds the entries of `table` into as few lines as `repetition` allows, or stores one line per entry if
  // folding saves nothing. Includes nops if `nops` is set. Executing the loop yields exactly the table's
  // entries, in order.
  TableLoop(const Table& table, const Repetition& repetition, bool nops = true);

  std::span<const TableLine> lines() const { return lines_; }
  const Repetition& stride() const { return stride_; }
  std::int32_t iterations() const { return iterations_; }
  // The total number of entries of all iterations.
  std::int64_t entries() const { return entries_; }
  // Whether there are fewer lines than entries.
  bool repeats() const { return static_cast<std::int64_t>(lines_.size()) < entries_; }

  // The position of the first active line at or after `place`. There must be such a line. `passed` returns
  // the number of lines skipped.
  Place next_active(Place place, std::int32_t& passed) const;
  Place after(Place place) const {
    ++place.line;
    if (place.line < static_cast<std::int32_t>(lines_.size())) return place;
    return {.line = 0, .iteration = place.iteration + 1};
  }
  // Reads the entry at the position of an active line.
  void read(Place place, TableEntry& entry) const;
  // Calls `visit` with every entry, in order. An entry is valid only during the call.
  template <typename Visit>
  void for_each_entry(Visit visit) const {
    Place place;
    std::int32_t passed = 0;
    TableEntry entry;
    for (std::int64_t i = 0; i < entries_; ++i) {
      place = next_active(place, passed);
      read(place, entry);
      visit(entry);
      place = after(place);
    }
  }

 private:
  void fold(const Table& table, bool nops);

  std::vector<TableLine> lines_;
  Repetition stride_;
  std::int32_t iterations_ = 0;
  std::int64_t entries_ = 0;
};

}  // namespace coppice::schedule

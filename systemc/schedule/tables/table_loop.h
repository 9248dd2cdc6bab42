#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// A line of a folded table: an entry in every iteration in [first, end).
// NOLINTNEXTLINE(bugprone-exception-escape): moving a list of numbers throws nothing
struct TableLine {
  TableEntry base;  // as in iteration 0; flow, address and step may be negative
  std::int32_t first = 0;
  std::int32_t end = 1;

  bool active(std::int32_t iteration) const { return first <= iteration && iteration < end; }
};

// The entries of one NI port as hardware stores them: lines executed in a loop, with flows, addresses and
// timesteps advancing by `stride` per iteration. A line is skipped in iterations outside its window. A table
// that does not repeat is a single iteration of all its entries.
class TableLoop {
 public:
  // A position in the loop: the line and iteration of an entry.
  struct Place {
    std::int32_t line = 0;
    std::int32_t iteration = 0;
  };

  TableLoop() = default;
  // Folds the entries of `table` into as few lines as `repetition` allows, or one line per entry if folding
  // saves nothing. `nops`: whether nops are included. Executing the loop gives exactly the entries, in order.
  TableLoop(const Table& table, const Repetition& repetition, bool nops = true);

  std::span<const TableLine> lines() const { return lines_; }
  const Repetition& stride() const { return stride_; }
  std::int32_t iterations() const { return iterations_; }
  // The number of entries over all iterations.
  std::int64_t entries() const { return entries_; }
  // Whether there are fewer lines than entries.
  bool repeats() const { return static_cast<std::int64_t>(lines_.size()) < entries_; }

  // The first active line from `place` on, which must exist; `passed` counts the lines skipped before it.
  Place next_active(Place place, std::int32_t& passed) const;
  Place after(Place place) const {
    ++place.line;
    if (place.line < static_cast<std::int32_t>(lines_.size())) return place;
    return {.line = 0, .iteration = place.iteration + 1};
  }
  // Reads the entry of an active line.
  void read(Place place, TableEntry& entry) const;
  // Calls `visit` with every entry, in order; an entry is valid until the next call.
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

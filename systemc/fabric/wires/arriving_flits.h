#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"

namespace coppice::fabric {

// The flits in flight to a node over its short wires, stored by arrival cycle and by the column of the wire.
// The flits of a cycle are adjacent. ArrivalCalendar records which entries are in use.
class ArrivingFlits {
 public:
  struct Arrival {
    // A whole word, because the compiler would otherwise assemble the fields of a flit in memory.
    std::uint64_t flit = 0;
    std::int64_t vc = 0;
  };

  // Sets the number of columns. Call this before anything is added.
  void set_columns(int columns) {
    columns_shift_ = static_cast<unsigned>(std::countr_zero(std::bit_ceil(static_cast<unsigned>(columns))));
    rows_.assign(columns == 0 ? 0 : kSmallest << columns_shift_, {});
  }
  // The number of cycles after the last cycle served for which flits can be stored.
  Cycles reach() const { return mask_; }
  Arrival& at(Cycles cycle, int column) { return rows_[place(cycle, column)]; }
  const Arrival& at(Cycles cycle, int column) const { return rows_[place(cycle, column)]; }
  static Flit flit_of(const Arrival& arrival) { return std::bit_cast<Flit>(arrival.flit); }
  static std::uint64_t word_of(Flit flit) { return std::bit_cast<std::uint64_t>(flit); }

  // Makes space for cycles up to `last`. `served` is the first cycle that may still be needed.
  void grow(Cycles served, Cycles last) {
    ArrivingFlits larger;
    larger.columns_shift_ = columns_shift_;
    larger.mask_ = static_cast<Cycles>(std::bit_ceil(static_cast<std::size_t>(last - served) + 1)) - 1;
    larger.rows_.resize(static_cast<std::size_t>(larger.mask_ + 1) << columns_shift_);
    copy_to(larger, served, 0);
    *this = std::move(larger);
  }
  // Delays all flits that arrive in cycle `served` or later by `by` cycles.
  void shift(Cycles served, Cycles by) {
    ArrivingFlits later = *this;
    copy_to(later, served, by);
    *this = std::move(later);
  }

 private:
  static constexpr std::size_t kSmallest = 4;

  std::size_t place(Cycles cycle, int column) const {
    return (static_cast<std::size_t>(cycle & mask_) << columns_shift_) + static_cast<std::size_t>(column);
  }
  void copy_to(ArrivingFlits& other, Cycles served, Cycles by) const {
    if (rows_.empty()) return;
    for (Cycles cycle = served; cycle <= served + mask_; ++cycle)
      std::copy_n(&at(cycle, 0), std::size_t{1} << columns_shift_, &other.at(cycle + by, 0));
  }

  std::vector<Arrival> rows_;  // [cycle][column]; the cycles form a ring
  Cycles mask_ = kSmallest - 1;
  unsigned columns_shift_ = 0;
};

}  // namespace coppice::fabric

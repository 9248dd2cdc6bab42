#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/units.h"
#include "fabric/wires/arriving_flits.h"

namespace coppice::fabric {

// Stores the cycles in which something arrives at a node, and the lines on which it arrives. A line,
// numbered from 0, is an end of a wire or a virtual channel of such an end. The calendar is a ring of slots,
// one per cycle, with one bit per line. The ring grows to the longest delay that occurs. Flits on short wires
// are stored here, too.
class alignas(64) ArrivalCalendar {
 public:
  ArrivalCalendar() { resize(1, kSmallest); }

  // Sets the number of lines. Call this before anything is added.
  void set_lines(int lines) {
    resize(std::max<std::size_t>(1, (static_cast<std::size_t>(lines) + 63) / 64), slots());
  }

  // Sets the number of columns for wires whose flits wait in the calendar.
  void set_columns(int columns) { flits_.set_columns(columns); }

  // Cycles before `begun` count as served. The reference must outlive the calendar.
  void set_begun(const Cycles& begun) { begun_ = &begun; }

  // Adds an arrival. `at` must be later than the last cycle served.
  void add(Cycles at, int line) { add(at, Place(line)); }
  // A line in the form that the calendar uses.
  struct Place {
    // Flits on a line wait either in a column of the calendar or, if the column is -1, in the wire.
    explicit Place(int line, int its_column = -1)
        : bit(std::uint64_t{1} << (line % 64)),
          word(static_cast<std::uint32_t>(line / 64)),
          column(its_column) {}
    // The line `further` positions after `line`, in the same word.
    Place(const Place& line, int further) : bit(line.bit << further), word(line.word), column(line.column) {}
    bool waits() const { return column >= 0; }
    std::uint64_t bit;
    std::uint32_t word;
    std::int32_t column;
  };
  // Returns whether this is the first known arrival on the line in cycle `at`.
  [[gnu::always_inline]] bool add(Cycles at, const Place& line) {
    if (at - served_ > static_cast<Cycles>(mask_)) make_room(at);
    const std::size_t slot = static_cast<std::size_t>(at) & mask_;
    std::uint64_t& lines = lines_[(slot << words_shift_) + line.word];
    const bool alone = (lines & line.bit) == 0;
    lines |= line.bit;
    occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    return alone;
  }
  // Sets the variable that holds the node's next cycle with work. Announcing an earlier arrival reduces it.
  // The variable must outlive the calendar.
  void set_due(Cycles& due) { due_ = &due; }
  void announce(Cycles at, const Place& line) {
    add(at, line);
    if (at < *due_) *due_ = at;
  }
  // Announces an arrival on a line that accepts at most one per cycle. Returns false if the line
  // already has an arrival in that cycle.
  bool announce_alone(Cycles at, const Place& line) {
    const bool alone = add(at, line);
    if (at < *due_) *due_ = at;
    return alone;
  }

  // Delivers a single flit that arrives over `line` and waits in the line's column. Returns false if a flit
  // is already waiting there.
  [[gnu::always_inline]] bool deliver(Cycles at, const Place& line, std::uint64_t flit, int vc) {
    const bool alone = add(at, line);
    if (at - served_ > flits_.reach()) [[unlikely]] {
      make_room_for_flits(at);
    }
    flits_.at(at, line.column) = {flit, vc};
    if (at < *due_) *due_ = at;
    return alone;
  }
  ArrivingFlits::Arrival& flit(Cycles at, int column) { return flits_.at(at, column); }
  const ArrivingFlits::Arrival& flit(Cycles at, int column) const { return flits_.at(at, column); }

  // The earliest cycle whose arrivals the calendar still holds once it holds those up to cycle `last`.
  Cycles first_known(Cycles last) const { return std::max(served_ + 1, last - static_cast<Cycles>(mask_)); }
  // The lines with arrivals in a cycle, among the 64 lines of the word that contains `line`.
  std::uint64_t lines(Cycles at, const Place& line) const {
    return lines_[((static_cast<std::size_t>(at) & mask_) << words_shift_) + line.word];
  }

  // Calls f(line) in ascending order for all lines with arrivals in cycle `now`, and clears them. Cycles must
  // be served in order, and no cycle with arrivals may be skipped.
  template <typename F>
  void serve(Cycles now, F&& f) {
    served_ = now;
    const std::size_t slot = static_cast<std::size_t>(now) & mask_;
    std::uint64_t& occupied = occupied_[slot / 64];
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if ((occupied & bit) == 0) return;
    occupied &= ~bit;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t lines = std::exchange(lines_[slot * words_ + word], 0);
      for (; lines != 0; lines &= lines - 1) f(static_cast<int>(word) * 64 + std::countr_zero(lines));
    }
  }

  // Whether all lines fit into one word. If so, take() may be called instead of serve().
  bool one_word() const { return words_ == 1; }
  // Clears the lines of cycle `now` and returns them as bits.
  std::uint64_t take(Cycles now) {
    served_ = now;
    const std::size_t slot = static_cast<std::size_t>(now) & mask_;
    occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    return std::exchange(lines_[slot], 0);
  }

  // The first cycle with an arrival after the last cycle served; `none` if there is no arrival.
  Cycles next(Cycles none) const {
    const std::size_t start = static_cast<std::size_t>(served_ + 1) & mask_;
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
    for (std::size_t looked = 0; bits == 0; ++looked) {
      if (looked == occupied_words()) return none;
      word = word + 1 == occupied_words() ? 0 : word + 1;
      bits = occupied_[word];
    }
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return served_ + 1 + static_cast<Cycles>((slot - start) & mask_);
  }

  // Clears the lines of all cycles before `end`.
  void skip(Cycles end) {
    for (Cycles cycle = next(end); cycle < end; cycle = next(end)) serve(cycle, [](int) {});
    served_ = std::max(served_, end - 1);
  }

  // Delays everything in the calendar, including the last cycle served, by `by` cycles.
  void shift(Cycles by) {
    ArrivalCalendar later;
    later.begun_ = begun_;
    later.due_ = due_;
    later.resize(words_, slots());
    later.served_ = served_ + by;
    copy_to(later, by);
    flits_.shift(served_, by);
    later.flits_ = std::move(flits_);
    *this = std::move(later);
  }

 private:
  static constexpr std::size_t kSmallest = 16;

  std::size_t slots() const { return mask_ + 1; }
  std::size_t occupied_words() const { return mask_ / 64 + 1; }
  void resize(std::size_t words, std::size_t slots) {
    words_shift_ = static_cast<unsigned>(std::countr_zero(std::bit_ceil(words)));
    words_ = words = std::size_t{1} << words_shift_;
    mask_ = slots - 1;
    lines_ = std::make_unique<std::uint64_t[]>(slots * words + occupied_words());
    occupied_ = lines_.get() + slots * words;
  }
  // Drops past cycles first, because a node that has slept for a long time needs no slots for them.
  [[gnu::noinline]] void make_room(Cycles at) {
    if (begun_ != nullptr) served_ = std::max(served_, *begun_ - 1);
    if (at - served_ > static_cast<Cycles>(mask_)) grow(at);
  }
  [[gnu::noinline]] void make_room_for_flits(Cycles at) {
    if (begun_ != nullptr) served_ = std::max(served_, *begun_ - 1);
    if (at - served_ > flits_.reach()) flits_.grow(served_, at);
  }
  void grow(Cycles at) {
    ArrivalCalendar larger;
    larger.begun_ = begun_;
    larger.due_ = due_;
    larger.resize(words_, std::bit_ceil(static_cast<std::size_t>(at - served_) + 1));
    larger.served_ = served_;
    copy_to(larger, 0);
    larger.flits_ = std::move(flits_);
    *this = std::move(larger);
  }
  void copy_to(ArrivalCalendar& other, Cycles later) const {
    for (Cycles cycle = served_ + 1; cycle <= served_ + static_cast<Cycles>(mask_); ++cycle) {
      const std::size_t slot = static_cast<std::size_t>(cycle) & mask_;
      if (((occupied_[slot / 64] >> (slot % 64)) & 1) == 0) continue;
      for (std::size_t word = 0; word < words_; ++word) {
        for (std::uint64_t lines = lines_[slot * words_ + word]; lines != 0; lines &= lines - 1)
          other.add(cycle + later, static_cast<int>(word * 64) + std::countr_zero(lines));
      }
    }
  }

  // [slot][word], one bit per line, followed by the words of occupied_.
  std::unique_ptr<std::uint64_t[]> lines_;
  std::uint64_t* occupied_ = nullptr;  // one bit per slot, set if any line has an arrival
  ArrivingFlits flits_;
  std::size_t mask_ = 0;
  std::size_t words_ = 1;  // number of words per slot; a power of two
  unsigned words_shift_ = 0;
  Cycles served_ = -1;
  Cycles* due_ = nullptr;
  const Cycles* begun_ = nullptr;
};

}  // namespace coppice::fabric

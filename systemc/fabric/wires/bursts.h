#pragma once

#include <bit>
#include <cstdint>

#include "base/units.h"
#include "fabric/flit.h"

namespace coppice::fabric {

// A cycle and a virtual channel, packed into one word.
class Stamp {
 public:
  Stamp() = default;
  Stamp(Cycles at, int vc)
      : word_(static_cast<std::uint64_t>(at) << kVcBits | static_cast<std::uint64_t>(vc)) {}
  Cycles at() const { return static_cast<Cycles>(word_ >> kVcBits); }
  int vc() const { return static_cast<int>(word_ & ((1U << kVcBits) - 1)); }
  Stamp later(Cycles cycles) const {
    Stamp stamp;
    stamp.word_ = word_ + (static_cast<std::uint64_t>(cycles) << kVcBits);
    return stamp;
  }
  bool operator==(const Stamp&) const = default;

 private:
  static constexpr unsigned kVcBits = 8;
  std::uint64_t word_ = 0;
};

struct TimedFlit {
  Flit flit;
  Stamp stamp;
};

// The flit of the same packet that is `flits` positions after `flit`.
inline Flit later(Flit flit, std::int64_t flits) {
  flit.sequence = static_cast<std::uint32_t>(flit.sequence + flits) & 0x7fffffffU;
  return flit;
}

// Consecutive flits on one virtual channel, stored as a single entry of a long wire. With one entry per flit
// and per credit, the state of a large system would exceed the caches.
//
// A FlitBurst contains consecutive flits of one packet; only the last flit may be a tail.
class FlitBurst {
 public:
  FlitBurst() = default;
  FlitBurst(Flit flit, Stamp stamp) : flit_(word_of(flit)), first_(stamp), end_(stamp.later(1)) {}

  // Appends `flit` if it continues the burst, and returns whether it was appended. A head starts a new burst.
  bool append(Flit flit, Stamp stamp) {
    const std::uint64_t word = word_of(flit);
    if (stamp != end_ || ((word ^ flit_) & kPacket) != 0 || (word & kSequence) == 0) return false;
    end_ = stamp.later(1);
    flit_ |= word & kTail;
    return true;
  }
  // Removes the first flit; sets `last` if no flit remains.
  TimedFlit take(bool& last) {
    const Stamp stamp = first_;
    const std::uint64_t word = flit_;
    first_ = stamp.later(1);
    last = first_ == end_;
    flit_ = word + kNext;
    return {flit_of(last ? word : word & ~kTail), stamp};
  }
  // The only flit of a burst that contains one flit.
  TimedFlit single() const { return {flit_of(flit_), first_}; }
  Cycles at() const { return first_.at(); }
  int flits() const { return static_cast<int>(end_.at() - first_.at()); }
  TimedFlit operator[](int i) const {
    const std::uint64_t word = flit_ + static_cast<std::uint64_t>(i) * kNext;
    return {flit_of(i + 1 == flits() ? word : word & ~kTail), first_.later(i)};
  }
  // Replaces the first flit with another flit of the packet, and the following flits with its successors.
  void move(Flit first, Stamp stamp) {
    end_ = stamp.later(flits());
    flit_ = (flit_ & ~kSequence) | (word_of(first) & kSequence);
    first_ = stamp;
  }

 private:
  // Flits are handled as words, because the compiler would otherwise assemble their fields in memory.
  static constexpr std::uint64_t kPacket = 0xffffffff;
  static constexpr std::uint64_t kNext = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kTail = std::uint64_t{1} << 63U;
  static constexpr std::uint64_t kSequence = ~(kPacket | kTail);
  static std::uint64_t word_of(Flit flit) { return std::bit_cast<std::uint64_t>(flit); }
  static Flit flit_of(std::uint64_t word) { return std::bit_cast<Flit>(word); }

  std::uint64_t flit_ = 0;  // the first flit; one bit states whether the last flit is a tail
  Stamp first_;
  Stamp end_;  // the position after the last flit
};

class CreditBurst {
 public:
  CreditBurst() = default;
  explicit CreditBurst(Stamp stamp) : first_(stamp), end_(stamp.later(1)) {}

  bool append(Stamp stamp) {
    if (stamp != end_) return false;
    end_ = stamp.later(1);
    return true;
  }
  Stamp take(bool& last) {
    const Stamp stamp = first_;
    first_ = stamp.later(1);
    last = first_ == end_;
    return stamp;
  }
  Stamp single() const { return first_; }
  Cycles at() const { return first_.at(); }
  int credits() const { return static_cast<int>(end_.at() - first_.at()); }
  Stamp operator[](int i) const { return first_.later(i); }
  void move(Stamp first) {
    end_ = first.later(credits());
    first_ = first;
  }

 private:
  Stamp first_;
  Stamp end_;
};

}  // namespace coppice::fabric

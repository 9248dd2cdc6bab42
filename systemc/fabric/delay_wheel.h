#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/units.h"

namespace coppice::fabric {

// Everything under way on the channels, by the cycle at which it arrives: a ring of slots, one per cycle,
// longer than the longest delay. Holds events in order of insertion within a cycle.
template <typename Event>
class DelayWheel {
  static_assert(std::is_trivially_copyable_v<Event>);

 public:
  // Delays from 1 to max_delay cycles are accepted.
  explicit DelayWheel(Cycles max_delay)
      : slots_(std::bit_ceil(static_cast<std::size_t>(max_delay) + 1)),
        occupied_((slots_.size() + 63) / 64, 0),
        mask_(slots_.size() - 1) {}

  void schedule(Cycles at, const Event& event) {
    const std::size_t index = static_cast<std::size_t>(at) & mask_;
    Slot& slot = slots_[index];
    if (slot.size == slot.capacity) grow(index);
    slot.events[slot.size++] = event;
    occupied_[index / 64] |= std::uint64_t{1} << (index % 64);
    ++pending_;
  }

  // The events of cycle `now`; call release(now) when they are done.
  std::span<const Event> at(Cycles now) const {
    const Slot& slot = slots_[static_cast<std::size_t>(now) & mask_];
    return {slot.events.get(), slot.size};
  }

  void release(Cycles now) {
    const std::size_t index = static_cast<std::size_t>(now) & mask_;
    pending_ -= slots_[index].size;
    slots_[index].size = 0;
    occupied_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  }

  bool empty() const { return pending_ == 0; }

  // The first cycle after `now` that has events; the wheel must not be empty.
  Cycles next_after(Cycles now) const {
    const std::size_t start = static_cast<std::size_t>(now + 1) & mask_;
    std::size_t word = start / 64;
    std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
    while (bits == 0) {
      word = (word + 1) % occupied_.size();
      bits = occupied_[word];
    }
    const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    return now + 1 + static_cast<Cycles>((slot - start) & mask_);
  }

 private:
  static constexpr std::uint32_t kSmallest = 8;

  struct Slot {
    std::unique_ptr<Event[]> events;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
  };

  // Out of the way of schedule(), which runs for every flit of every channel.
  [[gnu::noinline]] void grow(std::size_t index) {
    Slot& slot = slots_[index];
    const std::uint32_t capacity = std::max(kSmallest, slot.capacity * 2);
    auto events = std::make_unique<Event[]>(capacity);
    std::copy_n(slot.events.get(), slot.size, events.get());
    slot.events = std::move(events);
    slot.capacity = capacity;
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> occupied_;  // bit per slot
  std::size_t mask_;
  std::size_t pending_ = 0;
};

}  // namespace coppice::fabric

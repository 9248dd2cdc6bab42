#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace coppice::fabric {

// A set of cycles of a stretch, stored as one bit per cycle. Cycles are counted from the beginning of the
// stretch; there are at most kMost.
class CycleMask {
 public:
  static constexpr int kWords = 3;
  static constexpr Cycles kMost = 64 * kWords;

  using Word = std::uint64_t;

  CycleMask() = default;
  // Copies an array of kWords words.
  explicit CycleMask(const Word* words) { std::copy(words, words + kWords, words_.begin()); }
  // The set of the first `cycles` cycles.
  static CycleMask first(Cycles cycles) {
    CycleMask mask;
    for (Word& word : mask.words_) {
      word = cycles >= 64 ? ~Word{0} : cycles > 0 ? (Word{1} << cycles) - 1 : 0;
      cycles -= 64;
    }
    return mask;
  }

  bool test(Cycles cycle) const { return ((words_[index(cycle)] >> (cycle % 64)) & 1U) != 0; }
  void set(Cycles cycle) { words_[index(cycle)] |= Word{1} << (cycle % 64); }
  bool empty() const {
    Word any = 0;
    for (const Word word : words_) any |= word;
    return any == 0;
  }
  int count() const {
    int bits = 0;
    for (const Word word : words_) bits += ones(word);
    return bits;
  }
  // The cycle in the set that has `before` predecessors in it; kMost if there is none.
  Cycles nth(Cycles before) const {
    for (int word = 0; word < kWords; ++word) {
      Word bits = words_[static_cast<std::size_t>(word)];
      const int here = ones(bits);
      if (before >= here) {
        before -= here;
        continue;
      }
      for (; before > 0; --before) bits &= bits - 1;
      return 64 * word + std::countr_zero(bits);
    }
    return kMost;
  }
  // The cycles in which a queue is served if it starts with `waiting` items, receives an item in each cycle
  // of this set, and serves one item per cycle. An item may be served in the cycle of its arrival.
  CycleMask served(Cycles waiting) const {
    Cycles busy = std::min(waiting, kMost);
    for (;;) {
      const CycleMask at_first = first(busy);
      const Cycles longer = std::min(waiting + (*this & at_first).count(), kMost);
      if (longer == busy) return at_first | *this;
      busy = longer;
    }
  }
  // The first and the last cycle of a set, which must not be empty.
  Cycles front() const {
    int word = 0;
    while (words_[static_cast<std::size_t>(word)] == 0) ++word;
    return 64 * word + std::countr_zero(words_[static_cast<std::size_t>(word)]);
  }
  Cycles back() const {
    int word = kWords - 1;
    while (words_[static_cast<std::size_t>(word)] == 0) --word;
    return 64 * word + 63 - std::countl_zero(words_[static_cast<std::size_t>(word)]);
  }
  // The sum of the indices of the cycles in the set.
  std::int64_t sum() const {
    std::int64_t sum = 0;
    for (int word = 0; word < kWords; ++word) {
      const Word bits = words_[static_cast<std::size_t>(word)];
      sum += 64 * word * ones(bits);
      // Word i contains the bits whose index has bit i set.
      constexpr std::array<Word, 6> kNumbers = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                                0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
      for (unsigned bit = 0; bit < kNumbers.size(); ++bit)
        sum += std::int64_t{ones(bits & kNumbers[bit])} << bit;
    }
    return sum;
  }

  // The cycles of the set from cycle `cycles` on, counted from that cycle.
  CycleMask from(Cycles cycles) const {
    CycleMask mask;
    const auto skipped = static_cast<std::size_t>(cycles / 64);
    const auto bits = static_cast<unsigned>(cycles % 64);
    for (std::size_t word = 0; word + skipped < words_.size(); ++word) {
      mask.words_[word] = words_[word + skipped] >> bits;
      if (bits != 0 && word + skipped + 1 < words_.size())
        mask.words_[word] |= words_[word + skipped + 1] << (64 - bits);
    }
    return mask;
  }
  // The set delayed by `cycles` cycles. Cycles that no longer fit are dropped.
  CycleMask later(Cycles cycles) const {
    CycleMask mask;
    const auto skipped = static_cast<std::size_t>(cycles / 64);
    const auto bits = static_cast<unsigned>(cycles % 64);
    for (std::size_t word = skipped; word < words_.size(); ++word) {
      mask.words_[word] = words_[word - skipped] << bits;
      if (bits != 0 && word > skipped) mask.words_[word] |= words_[word - skipped - 1] >> (64 - bits);
    }
    return mask;
  }

  CycleMask& operator|=(const CycleMask& other) {
    for (std::size_t word = 0; word < words_.size(); ++word) words_[word] |= other.words_[word];
    return *this;
  }
  CycleMask operator|(const CycleMask& other) const { return CycleMask(*this) |= other; }
  CycleMask operator&(const CycleMask& other) const {
    CycleMask mask;
    for (std::size_t word = 0; word < words_.size(); ++word)
      mask.words_[word] = words_[word] & other.words_[word];
    return mask;
  }
  bool operator==(const CycleMask&) const = default;

  template <typename F>
  void for_each(F&& f) const {
    for (int word = 0; word < kWords; ++word) {
      for (Word bits = words_[static_cast<std::size_t>(word)]; bits != 0; bits &= bits - 1)
        f(Cycles{64 * word + std::countr_zero(bits)});
    }
  }
  const std::array<Word, kWords>& words() const { return words_; }

 private:
  // std::popcount is a library call on plain x86-64.
  static int ones(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + (bits >> 2 & 0x3333333333333333U);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<int>(bits * 0x0101010101010101U >> 56);
  }
  static std::size_t index(Cycles cycle) { return static_cast<std::size_t>(cycle) / 64; }

  std::array<Word, kWords> words_{};
};

}  // namespace coppice::fabric

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coppice::schedule {

// Sets of small numbers, stored in words that the caller owns, so that the checker can store millions of sets
// contiguously.

inline std::size_t words_of(std::size_t bits) {
  return (bits + 63) / 64;
}

class ConstBits {
 public:
  ConstBits(const std::uint64_t* words, std::size_t count) : words_(words), count_(count) {}

  std::span<const std::uint64_t> words() const { return {words_, count_}; }
  bool contains(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1U) != 0; }
  bool empty() const {
    std::uint64_t any = 0;
    for (const std::uint64_t word : words()) any |= word;
    return any == 0;
  }
  bool operator==(const ConstBits& other) const { return std::equal(words_, words_ + count_, other.words_); }

  // The lowest number that is in both sets; -1 if there is none.
  std::ptrdiff_t first_common(ConstBits other) const {
    return first([&](std::size_t i) { return words_[i] & other.words_[i]; });
  }
  // The lowest number that is in `other` but not in this set; -1 if there is none.
  std::ptrdiff_t first_missing_of(ConstBits other) const {
    return first([&](std::size_t i) { return other.words_[i] & ~words_[i]; });
  }

 private:
  template <typename Word>
  std::ptrdiff_t first(Word word) const {
    // Combines all words without branches, because usually no bit is set.
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < count_; ++i) any |= word(i);
    if (any == 0) return -1;
    for (std::size_t i = 0; i < count_; ++i) {
      if (const std::uint64_t bits = word(i); bits != 0) {
        return static_cast<std::ptrdiff_t>(i * 64) + std::countr_zero(bits);
      }
    }
    return -1;
  }

  const std::uint64_t* words_;
  std::size_t count_;
};

class Bits {
 public:
  Bits(std::uint64_t* words, std::size_t count) : words_(words), count_(count) {}

  operator ConstBits() const { return {words_, count_}; }
  std::ptrdiff_t first_common(ConstBits other) const { return ConstBits(*this).first_common(other); }
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void insert_all(ConstBits other) {
    for (std::size_t i = 0; i < count_; ++i) words_[i] |= other.words()[i];
  }
  void assign(ConstBits other) { std::copy_n(other.words().data(), count_, words_); }
  void clear() { std::fill_n(words_, count_, 0); }

 private:
  std::uint64_t* words_;
  std::size_t count_;
};

// A set that owns its words.
class BitSet {
 public:
  explicit BitSet(std::size_t words) : words_(words, 0) {}
  void insert(std::size_t i) { Bits(words_.data(), words_.size()).insert(i); }
  ConstBits view() const { return {words_.data(), words_.size()}; }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace coppice::schedule

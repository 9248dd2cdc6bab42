#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

// Functions for bit fields in arrays of 32-bit words, packed as in Verilog: the first field occupies the
// lowest bits.
namespace coppice::cosim {

// Returns the lowest `bits` bits of a value. `bits` must be below 32.
inline std::uint32_t kept(std::uint32_t value, int bits) {
  return value & ((1U << bits) - 1);
}

// Writes and reads consecutive bit fields.
template <typename Words>
class Fields {
 public:
  explicit Fields(Words& words) : words_(&words) {}
  void put(std::uint64_t value, unsigned width) {
    for (unsigned done = 0; done < width;) {
      const unsigned bit = at_ % 32;
      const unsigned part = std::min(width - done, 32 - bit);
      const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << part) - 1) << bit);
      std::uint32_t& word = (*words_)[at_ / 32];
      word = (word & ~mask) | (static_cast<std::uint32_t>((value >> done) << bit) & mask);
      done += part;
      at_ += part;
    }
  }
  std::uint64_t get(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
      const unsigned bit = at_ % 32;
      const unsigned part = std::min(width - done, 32 - bit);
      const std::uint64_t bits = ((*words_)[at_ / 32] >> bit) & ((std::uint64_t{1} << part) - 1);
      value |= bits << done;
      done += part;
      at_ += part;
    }
    return value;
  }

 private:
  Words* words_;
  unsigned at_ = 0;
};

// Returns bits [at, at + width) of `words`. The width must be at most 32.
inline std::uint32_t field(const std::uint32_t* words, unsigned at, unsigned width) {
  const std::uint64_t low = words[at / 32] >> (at % 32);
  const std::uint64_t both =
      at % 32 + width > 32 ? low | (std::uint64_t{words[at / 32 + 1]} << (32 - at % 32)) : low;
  return static_cast<std::uint32_t>(both & ((std::uint64_t{1} << width) - 1));
}
template <typename Words>
void set_field(Words& words, unsigned at, unsigned width, std::uint32_t value) {
  for (unsigned bit = 0; bit < width; ++bit) {
    std::uint32_t& word = words[(at + bit) / 32];
    const std::uint32_t mask = 1U << ((at + bit) % 32);
    word = ((value >> bit) & 1) != 0 ? word | mask : word & ~mask;
  }
}
template <typename Visit>
void for_each_bit(unsigned bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<unsigned>(std::countr_zero(bits)));
}

}  // namespace coppice::cosim

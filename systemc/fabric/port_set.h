#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace coppice::fabric {

// A set of ports as bits, any number of them; small routers use a single word.
class PortSet {
 public:
  PortSet() = default;
  explicit PortSet(int ports) : words_(static_cast<std::size_t>((ports + 63) / 64), 0) {}

  void insert(int port) { words_[word(port)] |= bit(port); }
  void erase(int port) { words_[word(port)] &= ~bit(port); }
  bool contains(int port) const { return (words_[word(port)] & bit(port)) != 0; }
  void clear() {
    for (auto& w : words_) w = 0;
  }
  bool empty() const {
    for (const auto w : words_)
      if (w != 0) return false;
    return true;
  }

  // The first member at or after `from`, wrapping around; the set must not be empty.
  int first_from(int from) const {
    std::size_t w = word(from);
    std::uint64_t bits = words_[w] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      w = w + 1 == words_.size() ? 0 : w + 1;
      bits = words_[w];
    }
    return static_cast<int>(w * 64) + std::countr_zero(bits);
  }

  // Calls f(port) for every member, ascending; f may change the set, the word under way excepted.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
        f(static_cast<int>(w * 64) + std::countr_zero(bits));
      }
    }
  }

 private:
  static std::size_t word(int port) { return static_cast<std::size_t>(port) / 64; }
  static std::uint64_t bit(int port) { return std::uint64_t{1} << (port % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace coppice::fabric

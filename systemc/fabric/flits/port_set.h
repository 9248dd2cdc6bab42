#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace coppice::fabric {

// The lowest set bit of a non-zero word, and the first set bit at or after `from`, wrapping around. Both
// functions compile to a few instructions without branches.
inline int lowest_bit(std::uint64_t bits) {
  return __builtin_ctzll(bits);
}
inline int first_bit_from(std::uint64_t bits, int from) {
  const auto place = static_cast<unsigned>(from) & 63U;
  const std::uint64_t rotated = bits >> place | bits << (-place & 63U);
  return static_cast<int>((static_cast<unsigned>(lowest_bit(rotated)) + place) & 63U);
}

// A set of ports numbered below 64, stored in one word.
class PortWord {
 public:
  void insert(int port) { bits_ |= std::uint64_t{1} << port; }
  void erase(int port) { bits_ &= ~(std::uint64_t{1} << port); }
  bool contains(int port) const { return (bits_ >> port & 1) != 0; }
  void clear() { bits_ = 0; }
  bool empty() const { return bits_ == 0; }
  // The first member at or after `from`, wrapping around; the set must not be empty.
  int first_from(int from) const { return first_bit_from(bits_, from); }
  // Calls f(port) for every member in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (std::uint64_t bits = bits_; bits != 0; bits &= bits - 1) f(lowest_bit(bits));
  }

 private:
  std::uint64_t bits_ = 0;
};

// A set of ports. The first 64 are stored in the object itself.
class PortSet {
 public:
  PortSet() = default;
  explicit PortSet(int ports)
      : more_(ports > kWordPorts ? static_cast<std::size_t>((ports - 1) / kWordPorts) : 0, 0) {}

  void insert(int port) { word(port) |= bit(port); }
  void erase(int port) { word(port) &= ~bit(port); }
  bool contains(int port) const { return (word(port) & bit(port)) != 0; }

  void clear() {
    first_ = 0;
    for (auto& w : more_) w = 0;
  }

  bool empty() const {
    if (first_ != 0) return false;
    for (const auto w : more_) {
      if (w != 0) return false;
    }
    return true;
  }

  // The first member at or after `from`, wrapping around; the set must not be empty.
  int first_from(int from) const {
    if (more_.empty()) {
      const std::uint64_t above = first_ & (~std::uint64_t{0} << from);
      return std::countr_zero(above != 0 ? above : first_);
    }
    const std::size_t words = more_.size() + 1;
    std::size_t w = static_cast<std::size_t>(from) / kWordPorts;
    std::uint64_t bits = word(from) & (~std::uint64_t{0} << (from % kWordPorts));
    for (std::size_t tried = 0; bits == 0 && tried <= words; ++tried) {
      w = w + 1 == words ? 0 : w + 1;
      bits = w == 0 ? first_ : more_[w - 1];
    }
    return static_cast<int>(w) * kWordPorts + std::countr_zero(bits);
  }

  // Calls f(port) for every member in ascending order. f may erase members but must not insert any.
  template <typename F>
  void for_each(F&& f) const {
    for (std::uint64_t bits = first_; bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
    for (std::size_t w = 0; w < more_.size(); ++w) {
      for (std::uint64_t bits = more_[w]; bits != 0; bits &= bits - 1) {
        f(static_cast<int>(w + 1) * kWordPorts + std::countr_zero(bits));
      }
    }
  }

 private:
  static constexpr int kWordPorts = 64;

  std::uint64_t& word(int port) {
    if (port < kWordPorts) return first_;
    return more_[static_cast<std::size_t>(port) / kWordPorts - 1];
  }
  const std::uint64_t& word(int port) const {
    if (port < kWordPorts) return first_;
    return more_[static_cast<std::size_t>(port) / kWordPorts - 1];
  }
  static std::uint64_t bit(int port) {
    return std::uint64_t{1} << (static_cast<unsigned>(port) % unsigned{kWordPorts});
  }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace coppice::fabric

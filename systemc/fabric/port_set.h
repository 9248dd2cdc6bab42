#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace coppice::fabric {

// A set of ports as bits. The first 64 lie in the object itself, so that all but the largest switches work
// without a second look at memory.
class PortSet {
 public:
  PortSet() = default;
  explicit PortSet(int ports) : more_(ports > 64 ? static_cast<std::size_t>((ports + 63) / 64 - 1) : 0, 0) {}

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
    if (more_.empty()) [[likely]] {
      const std::uint64_t above = first_ & (~std::uint64_t{0} << from);
      return std::countr_zero(above != 0 ? above : first_);
    }
    const std::size_t words = more_.size() + 1;
    std::size_t w = static_cast<std::size_t>(from) / 64;
    std::uint64_t bits = word(from) & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      w = w + 1 == words ? 0 : w + 1;
      bits = w == 0 ? first_ : more_[w - 1];
    }
    return static_cast<int>(w * 64) + std::countr_zero(bits);
  }

  // Calls f(port) for every member, ascending. f may erase members and must not insert any.
  template <typename F>
  void for_each(F&& f) const {
    for (std::uint64_t bits = first_; bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
    for (std::size_t w = 0; w < more_.size(); ++w) {
      for (std::uint64_t bits = more_[w]; bits != 0; bits &= bits - 1) {
        f(static_cast<int>(w * 64 + 64) + std::countr_zero(bits));
      }
    }
  }

 private:
  std::uint64_t& word(int port) {
    return port < 64 ? first_ : more_[static_cast<std::size_t>(port) / 64 - 1];
  }
  const std::uint64_t& word(int port) const {
    return port < 64 ? first_ : more_[static_cast<std::size_t>(port) / 64 - 1];
  }
  static std::uint64_t bit(int port) { return std::uint64_t{1} << (port % 64); }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace coppice::fabric

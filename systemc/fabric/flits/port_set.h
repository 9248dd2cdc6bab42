#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace coppice::fabric {

// A set of ports as bits. The first 64 lie in the object itself; kOneWord tells a method that there are no
// more, which all but the largest switches know of all their sets.
class PortSet {
 public:
  static constexpr int kWordPorts = 64;

  PortSet() = default;
  explicit PortSet(int ports)
      : more_(ports > kWordPorts ? static_cast<std::size_t>((ports - 1) / kWordPorts) : 0, 0) {}

  template <bool kOneWord = false>
  void insert(int port) {
    word<kOneWord>(port) |= bit(port);
  }
  template <bool kOneWord = false>
  void erase(int port) {
    word<kOneWord>(port) &= ~bit(port);
  }
  template <bool kOneWord = false>
  bool contains(int port) const {
    return (word<kOneWord>(port) & bit(port)) != 0;
  }

  template <bool kOneWord = false>
  void clear() {
    first_ = 0;
    if constexpr (!kOneWord) {
      for (auto& w : more_) w = 0;
    }
  }

  template <bool kOneWord = false>
  bool empty() const {
    if (kOneWord || first_ != 0) return first_ == 0;
    for (const auto w : more_) {
      if (w != 0) return false;
    }
    return true;
  }

  // The first member at or after `from`, wrapping around; the set must not be empty.
  template <bool kOneWord = false>
  int first_from(int from) const {
    if (kOneWord || more_.empty()) {
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

  // Calls f(port) for every member, ascending. f may erase members and must not insert any.
  template <bool kOneWord = false, typename F>
  void for_each(F&& f) const {
    for (std::uint64_t bits = first_; bits != 0; bits &= bits - 1) f(std::countr_zero(bits));
    if constexpr (kOneWord) return;
    for (std::size_t w = 0; w < more_.size(); ++w) {
      for (std::uint64_t bits = more_[w]; bits != 0; bits &= bits - 1) {
        f(static_cast<int>(w + 1) * kWordPorts + std::countr_zero(bits));
      }
    }
  }

 private:
  template <bool kOneWord = false>
  std::uint64_t& word(int port) {
    if (kOneWord || port < kWordPorts) return first_;
    return more_[static_cast<std::size_t>(port) / kWordPorts - 1];
  }
  template <bool kOneWord = false>
  const std::uint64_t& word(int port) const {
    if (kOneWord || port < kWordPorts) return first_;
    return more_[static_cast<std::size_t>(port) / kWordPorts - 1];
  }
  static std::uint64_t bit(int port) {
    return std::uint64_t{1} << (static_cast<unsigned>(port) % unsigned{kWordPorts});
  }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace coppice::fabric

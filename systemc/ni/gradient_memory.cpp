#include "ni/gradient_memory.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::ni {
namespace {

constexpr Bytes kValueBytes = sizeof(float);

}  // namespace

void ValueMemory::read(Bytes address, Bytes bytes, Payload& into) const {
  const auto first = values_.begin() + address / kValueBytes;
  into.values.assign(first, first + bytes / kValueBytes);
  into.contributions.clear();
}

void ValueMemory::reduce(Bytes address, Bytes bytes, const Payload& payload) {
  float* sum = values_.data() + address / kValueBytes;
  const float* add = payload.values.data();
  const Bytes count = bytes / kValueBytes;
  for (Bytes i = 0; i < count; ++i) sum[i] += add[i];
}

void ValueMemory::store(Bytes address, Bytes /*bytes*/, const Payload& payload) {
  std::copy(payload.values.begin(), payload.values.end(), values_.begin() + address / kValueBytes);
}

ContributionMemory::ContributionMemory(std::shared_ptr<const std::vector<Bytes>> addresses, int accelerators,
                                       NodeId self, Segments segments)
    : addresses_(std::move(addresses)),
      sampled_(segments == Segments::kSampledElements),
      accelerators_(accelerators),
      self_(self),
      words_((static_cast<std::size_t>(accelerators) + 63) / 64),
      bits_(this->segments() * words_, 0) {
  for (std::size_t segment = 0; segment < this->segments(); ++segment) {
    bits_[segment * words_ + static_cast<std::size_t>(self) / 64] = std::uint64_t{1} << (self % 64);
  }
}

std::pair<std::size_t, std::size_t> ContributionMemory::range(Bytes address, Bytes bytes) const {
  const auto find = [this](Bytes at) {
    const auto it = std::lower_bound(addresses_->begin(), addresses_->end(), at);
    if (!sampled_ && (it == addresses_->end() || *it != at)) {
      throw ModelError(fmt::format("gradient memory {}: address {} is no message boundary", self_, at));
    }
    return static_cast<std::size_t>(it - addresses_->begin());
  };
  return {find(address), find(address + bytes)};
}

void ContributionMemory::read(Bytes address, Bytes bytes, Payload& into) const {
  const auto [first, last] = range(address, bytes);
  const auto begin = bits_.begin() + static_cast<std::ptrdiff_t>(first * words_);
  into.contributions.assign(begin, begin + static_cast<std::ptrdiff_t>((last - first) * words_));
  into.values.clear();
}

void ContributionMemory::reduce(Bytes address, Bytes bytes, const Payload& payload) {
  const auto [first, last] = range(address, bytes);
  for (std::size_t i = 0; i < (last - first) * words_; ++i) {
    std::uint64_t& mine = bits_[first * words_ + i];
    const std::uint64_t twice = mine & payload.contributions[i];
    if (twice != 0) {
      throw WrongDataError(
          fmt::format("gradient memory {}: accelerator {}'s contribution to the bytes from {} is added twice",
                      self_, (i % words_) * 64 + static_cast<std::size_t>(std::countr_zero(twice)),
                      (*addresses_)[first + i / words_]));
    }
    mine |= payload.contributions[i];
  }
}

void ContributionMemory::store(Bytes address, Bytes bytes, const Payload& payload) {
  const auto [first, last] = range(address, bytes);
  std::copy_n(payload.contributions.begin(), (last - first) * words_,
              bits_.begin() + static_cast<std::ptrdiff_t>(first * words_));
}

void ContributionMemory::set_all(std::size_t segment) {
  for (int a = 0; a < accelerators_; ++a) {
    bits_[segment * words_ + static_cast<std::size_t>(a) / 64] |= std::uint64_t{1} << (a % 64);
  }
}

void ContributionMemory::clear(std::size_t segment) {
  std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(segment * words_), words_, 0);
}

}  // namespace coppice::ni

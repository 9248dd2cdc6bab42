#include "ni/memory/gradient_memory.h"

#include <algorithm>

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
      self_(self),
      spacing_(std::max<Bytes>(addresses_->back() / static_cast<Bytes>(addresses_->size()), 1)),
      sets_(addresses_->size() - (sampled_ ? 0 : 1), accelerators, self) {}

// The index of the first address at or after `at`. The search is fast because addresses are usually equally
// spaced.
std::size_t ContributionMemory::place_of(Bytes at) const {
  const std::vector<Bytes>& addresses = *addresses_;
  const auto expected = static_cast<std::size_t>(at / spacing_);
  for (std::size_t place = expected; place < std::min(expected + 2, addresses.size()); ++place) {
    if (addresses[place] >= at && (place == 0 || addresses[place - 1] < at)) return place;
  }
  return static_cast<std::size_t>(std::ranges::lower_bound(addresses, at) - addresses.begin());
}

std::pair<std::size_t, std::size_t> ContributionMemory::range(Bytes address, Bytes bytes) const {
  const auto find = [this](Bytes at) {
    const std::size_t place = place_of(at);
    if (!sampled_ && (place == addresses_->size() || (*addresses_)[place] != at)) {
      throw ModelError(fmt::format("gradient memory {}: address {} is not a message boundary", self_, at));
    }
    return place;
  };
  return {find(address), find(address + bytes)};
}

void ContributionMemory::read(Bytes address, Bytes bytes, Payload& into) const {
  const auto [first, last] = range(address, bytes);
  const std::size_t words = sets_.words();
  into.contributions.resize((last - first) * words);
  for (std::size_t i = first; i < last; ++i) sets_.read(i, &into.contributions[(i - first) * words]);
  into.values.clear();
}

void ContributionMemory::reduce(Bytes address, Bytes bytes, const Payload& payload) {
  const auto [first, last] = range(address, bytes);
  for (std::size_t i = first; i < last; ++i) {
    const std::ptrdiff_t twice = sets_.unite(i, &payload.contributions[(i - first) * sets_.words()]);
    if (twice < 0) continue;
    throw WrongDataError(
        fmt::format("gradient memory {}: accelerator {}'s contribution at address {} is added twice", self_,
                    twice, (*addresses_)[i]));
  }
}

void ContributionMemory::store(Bytes address, Bytes bytes, const Payload& payload) {
  const auto [first, last] = range(address, bytes);
  for (std::size_t i = first; i < last; ++i) {
    sets_.assign(i, &payload.contributions[(i - first) * sets_.words()]);
  }
}

std::vector<std::uint64_t> ContributionMemory::contributions(std::size_t segment) const {
  std::vector<std::uint64_t> set(sets_.words());
  sets_.read(segment, set.data());
  return set;
}

}  // namespace coppice::ni

#pragma once

#include <bit>
#include <cstdint>

namespace coppice {

// A generator of deterministic random numbers, which are identical on every platform and in every build type.
// The algorithm is xoshiro256++ seeded by SplitMix64 (Blackman and Vigna 2019); the distributions of the
// standard library are not portable. Different values of `stream` yield independent sequences for the same
// seed, for example one per node.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  // A uniformly distributed whole number in [0, bound), without modulo bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  // A uniformly distributed number in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Returns true with probability p.
  bool bernoulli(double p) { return uniform() < p; }

 private:
  std::uint64_t state_[4] = {};
};

}  // namespace coppice

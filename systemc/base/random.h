#pragma once

#include <cstdint>

namespace coppice {

// Deterministic random numbers, equal on every platform and build type (xoshiro256++ seeded by SplitMix64,
// Blackman and Vigna 2019; the standard library's distributions are not portable). `stream` gives
// independent sequences for one seed, for example one per node.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  // Uniform in [0, bound), bound >= 1, without modulo bias.
  std::uint64_t below(std::uint64_t bound);
  // Uniform in [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // True with probability p.
  bool bernoulli(double p) { return uniform() < p; }

 private:
  std::uint64_t state_[4] = {};
};

}  // namespace coppice

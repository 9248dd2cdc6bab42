// A driver that replaces libFuzzer: runs random inputs for SECONDS seconds, and prints each seed before it is
// used.
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "input.h"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::seconds length(argc > 1 ? std::stol(argv[1]) : 60);
  const std::uint64_t first = argc > 2 ? std::stoull(argv[2]) : std::random_device{}();
  std::cout << "fuzz: " << length.count() << " s from seed " << first << '\n' << std::flush;
  const auto end = Clock::now() + length;
  std::uint64_t seed = first;
  for (; Clock::now() < end; ++seed) {
    std::array<std::uint8_t, sizeof seed> input{};
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(seed >> 8 * i);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::cout << "fuzz: " << seed - first << " inputs\n";
  return 0;
}

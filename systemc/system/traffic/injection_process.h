#pragma once

#include <optional>

#include "base/random.h"
#include "system/traffic/traffic_options.h"

namespace coppice::system {

// Decides in each cycle whether a source creates a packet.
class InjectionProcess {
 public:
  // `probability`: mean number of packets per cycle.
  InjectionProcess(double probability, const std::optional<Bursts>& bursts);

  // Whether a packet is created in this cycle. The first call also draws whether a bursty source starts on or
  // off.
  bool creates(Random& random) { return bursts_ ? creates_in_burst(random) : random.bernoulli(probability_); }

  // The probability of a packet in a cycle in which a bursty source is on; may exceed 1.
  static double while_on(double probability, const Bursts& bursts);

 private:
  bool creates_in_burst(Random& random);

  double probability_;
  std::optional<Bursts> bursts_;
  std::optional<bool> on_;
};

}  // namespace coppice::system

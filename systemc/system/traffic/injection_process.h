#pragma once

#include <optional>

#include "base/random.h"
#include "system/traffic/traffic_options.h"

namespace coppice::system {

// Decides in which cycles a source creates packets.
class InjectionProcess {
 public:
  // `probability`: the mean number of packets per cycle.
  InjectionProcess(double probability, const std::optional<Bursts>& bursts);

  // Whether the source creates a packet in this cycle. The first call also decides at random whether a bursty
  // source starts on or off.
  bool creates(Random& random) { return bursts_ ? creates_in_burst(random) : random.bernoulli(probability_); }

  // The probability that a bursty source creates a packet in a cycle in which it is on; exceeds 1 if the
  // source cannot reach its average rate.
  static double while_on(double probability, const Bursts& bursts);

 private:
  bool creates_in_burst(Random& random);

  double probability_;
  std::optional<Bursts> bursts_;
  std::optional<bool> on_;
};

}  // namespace coppice::system

#include "system/traffic/injection_process.h"

namespace coppice::system {

double InjectionProcess::while_on(double probability, const Bursts& bursts) {
  return probability * (bursts.begin + bursts.end) / bursts.begin;
}

InjectionProcess::InjectionProcess(double probability, const std::optional<Bursts>& bursts)
    : probability_(bursts ? while_on(probability, *bursts) : probability), bursts_(bursts) {}

bool InjectionProcess::creates_in_burst(Random& random) {
  if (!on_) on_ = random.bernoulli(bursts_->begin / (bursts_->begin + bursts_->end));
  on_ = *on_ ? !random.bernoulli(bursts_->end) : random.bernoulli(bursts_->begin);
  return *on_ && random.bernoulli(probability_);
}

}  // namespace coppice::system

#include "fabric/trains/meetings.h"

#include <algorithm>
#include <utility>

namespace coppice::fabric {

void Meetings::set_size(std::size_t outputs, std::size_t ports) {
  users_.resize(outputs);
  wanted_.resize(outputs, 0);
  known_.resize(ports);
  flits_.resize(ports, false);
  flit_hops_.resize(ports, 0);
  for (const std::int32_t port : given_) want_port(port);
}

void Meetings::want_port(std::int32_t port) {
  if (flits_[static_cast<std::size_t>(port)]) return;
  flits_[static_cast<std::size_t>(port)] = true;
  ++flit_ports_;
}

void Meetings::passes(std::int32_t port, const topology::Hop* route, std::span<const std::int32_t> outputs) {
  auto& known = known_[static_cast<std::size_t>(port)];
  if (std::find(known.rbegin(), known.rend(), route) != known.rend()) return;
  if (known.empty()) ++sending_;
  known.push_back(route);
  std::int32_t feeder = -1;
  for (const std::int32_t output : outputs) {
    const auto o = static_cast<std::size_t>(output);
    users_[o].push_back({port, feeder});
    if (wanted_[o] > 0) want_port(port);
    if (wanted_[o] > 1 && feeder >= 0) want(feeder, 1);
    feeder = output;
  }
}

void Meetings::want(std::int32_t output, int level) {
  const auto o = static_cast<std::size_t>(output);
  if (wanted_[o] >= level) return;
  wanted_[o] = static_cast<std::uint8_t>(level);
  for (std::size_t i = 0; i < users_[o].size(); ++i) {
    const User user = users_[o][i];
    want_port(user.port);
    if (level > 1 && user.feeder >= 0) want(user.feeder, 1);
  }
}

void Meetings::set_reason(Cycles at, std::string reason) {
  if (!earlier(at)) return;
  at_ = at;
  reason_ = std::move(reason);
}

double Meetings::share() const {
  return sending_ == 0 ? 0.0 : static_cast<double>(flit_ports_) / static_cast<double>(sending_);
}

bool Meetings::too_many() const {
  constexpr std::int64_t kMessagesOfPort = 4;
  return messages >= kMessagesOfPort * static_cast<std::int64_t>(known_.size()) && share() > most_;
}

// A run with leaps simulates a few hundred cycles for every message that starts or ends, up to the total
// number of cycles.
bool Meetings::pays() const {
  constexpr double kCyclesOfMessage = 500;
  double all = 0;
  double flits = 0;
  for (std::size_t port = 0; port < flits_.size(); ++port) {
    all += static_cast<double>(flit_hops_[port]);
    if (flits_[port]) flits += static_cast<double>(flit_hops_[port]);
  }
  const double cycles = static_cast<double>(std::max<Cycles>(last_start_, 1));
  const double simulated = std::min(1.0, kCyclesOfMessage * static_cast<double>(messages) / cycles);
  return flits <= most_ * simulated * all;
}

std::vector<std::int32_t> Meetings::flit_ports() const {
  std::vector<std::int32_t> ports;
  for (std::size_t port = 0; port < flits_.size(); ++port) {
    if (flits_[port]) ports.push_back(static_cast<std::int32_t>(port));
  }
  return ports;
}

}  // namespace coppice::fabric

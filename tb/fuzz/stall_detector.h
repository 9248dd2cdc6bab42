#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "system/machine/build.h"

namespace coppice::fuzz {

// Finds the first flit in a flit fabric that waits for a credit or for another message. Delays of router
// stages, of a channel's rate and of flits of the same message do not count.
class StallDetector final : public fabric::FabricObserver {
 public:
  StallDetector(const topology::Topology& topology, const config::SystemConfig& system);

  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;

  // The cycle in which the first waiting flit could have moved, or -1 if no flit waited.
  Cycles cycle() const { return cycle_; }
  const std::string& place() const { return place_; }

 private:
  struct Injection {
    Cycles start = 0;
    std::int64_t flits = 0;
  };
  void injected(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now);
  void require(Cycles due, Cycles now, const std::string& place);
  Cycles cycles(Femtoseconds time) const { return (time + period_ - 1) / period_; }

  const topology::Topology& topology_;
  const config::SystemConfig& system_;
  Femtoseconds period_;
  // The number of the message, of the packet within it and of the flit within the packet. Packet IDs are not
  // used, because they depend on the execution order.
  using FlitName = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;
  std::map<FlitName, Cycles> arrivals_;  // the cycle in which a flit arrives in the next buffer
  std::map<std::tuple<topology::NodeId, int, std::uint64_t>, Cycles>
      last_sent_;  // the cycle of the last flit, by output and message
  std::unordered_map<std::uint64_t, Injection> messages_;  // the message in flight at each NI port
  Cycles cycle_ = -1;
  std::string place_;
};

}  // namespace coppice::fuzz

#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "system/output/dimension_activity.h"
#include "topology/topology.h"

namespace coppice::system {

// A run's activity over time, for reports: the use of every channel, in total and in windows, and what every
// port of a network interface waited for and sent.
class RunProfile final : public ni::MessageObserver, public fabric::FabricObserver {
 public:
  // Messages beyond these are counted only: a page has to hold them.
  static constexpr std::size_t kMostMessages = 40'000;
  // Channels beyond these have no windows.
  static constexpr std::size_t kMostWindowed = 8'192;

  // References outlive it.
  RunProfile(const topology::Topology& topology, const config::SystemConfig& system);

  void message_completed(const ni::MessageRecord& message) override;
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;

  // The profile of a run of `cycles`: busy ([channel], share of the time), windows (length_ns, and busy:
  // [channel][window] in percent), messages ([source, port, free, data, issued, head, tail, done, flow, op,
  // step, destination], in cycles, ops 0 reduce and 1 gather), messages_in_all, cycle_ns, time_ns. Without
  // busy and windows if the fabric reported no channels.
  nlohmann::ordered_json to_json(Cycles cycles) const;

 private:
  void add_busy(topology::ChannelId channel, Femtoseconds begin, Femtoseconds end, Femtoseconds used);

  const topology::Topology* topology_;
  Femtoseconds period_;
  std::vector<Femtoseconds> flit_time_;  // [channel]
  std::vector<Femtoseconds> busy_;       // [channel]
  bool channels_seen_ = false;
  TimeWindows windows_;  // [channel]
  nlohmann::ordered_json messages_ = nlohmann::ordered_json::array();
  std::int64_t in_all_ = 0;
};

// The graph as the report draws it: name, kind, dims, accelerators, nodes, channels ([src, dst, GB/s]).
nlohmann::ordered_json drawing_of(const topology::Topology& topology);

}  // namespace coppice::system

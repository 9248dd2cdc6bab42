#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "system/output/result_file.h"
#include "topology/topology.h"

namespace coppice::system {

// Chrome trace events (the JSON array format, for Perfetto and chrome://tracing): one track per
// network-interface port with its table entries and waiting times (and the rates of its flows, if the fabric
// is fluid), and one track per channel with its busy intervals. Times are simulated; the file's microseconds
// are written with nanosecond (and finer) decimals.
//
// The complete file appears in finish(); an unfinished trace leaves none.
class TraceWriter final : public ni::MessageObserver, public fabric::FabricObserver {
 public:
  // Throws ConfigError if `path` cannot be written.
  TraceWriter(const std::string& path, const topology::Topology& topology, const config::SystemConfig& system,
              int ni_ports);

  void message_completed(const ni::MessageRecord& message) override;
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;

  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;
  // A counter per port, in GB/s.
  void flow_rate(topology::NodeId node, int ni_port, double bytes_per_second, Femtoseconds at) override;

  // Names actors outside the machine (training jobs and their controller), each with its own track.
  void name_actors(const std::string& all) { actors_ = all; }
  void name_actor(int actor, const std::string& name);
  void actor_phase(int actor, const std::string& name, Femtoseconds begin, Femtoseconds end);
  void actor_event(int actor, const std::string& name, const nlohmann::ordered_json& details,
                   Femtoseconds at);

  // Closes open intervals and renames the file to its final name. Throws ModelError if it cannot be written.
  void finish();

 private:
  struct Interval {
    Cycles begin = -1;       // -1: no interval is open
    Cycles end = 0;          // of the last flit, exclusive
    Cycles flit_cycles = 1;  // cycles for which a flit holds the channel
  };

  void name_tracks();
  void name(const char* kind, int process, std::int64_t track, const std::string& text);
  void slice(int process, std::int64_t track, const std::string& name, Cycles begin, Cycles end);
  void close_interval(topology::ChannelId channel);
  void event(const std::string& json);

  ResultFile output_;
  bool first_ = true;
  bool has_actors_ = false;
  std::string actors_ = "jobs and controller";
  const topology::Topology& topology_;
  int ni_ports_;
  Femtoseconds period_;
  std::vector<Interval> intervals_;  // [channel]
};

}  // namespace coppice::system

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "system/output/buffer_levels.h"
#include "system/output/perfetto_file.h"
#include "topology/topology.h"

namespace coppice::system {

// Writes a trace for Perfetto (ui.perfetto.dev). For each network interface, the trace has a track per port
// with table entries and waiting times, a track of arrivals with arrows from their senders and, at fluid
// fidelity, a counter of each port's rate. For each channel, it has a counter of the channel's use and, if
// flits are simulated, a counter of the flits in the buffer at its end. Times are simulated times, rounded to
// nanoseconds. finish() creates the complete file; if it is never called, there is no file.
class TraceWriter final : public ni::MessageObserver, public fabric::FabricObserver {
 public:
  // Throws ConfigError if `path` cannot be written. The topology must outlive this object.
  TraceWriter(const std::string& path, const topology::Topology& topology, const config::SystemConfig& system,
              int ni_ports);

  void message_completed(const ni::MessageRecord& message) override;
  void flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) override;

  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;
  // Sets the counter of a port's rate.
  void flow_rate(topology::NodeId node, int ni_port, double bytes_per_second, Femtoseconds at) override;

  // Names the group of actors outside the machine, such as training jobs and their controller. Each actor has
  // its own track.
  void name_actors(const std::string& all) { actors_name_ = all; }
  void name_actor(int actor, const std::string& name);
  void actor_phase(int actor, const std::string& name, Femtoseconds begin, Femtoseconds end);
  void actor_event(int actor, const std::string& name, const nlohmann::ordered_json& details,
                   Femtoseconds at);

  // Closes open intervals and renames the file to its final name. Throws ModelError if it cannot be written.
  void finish();

 private:
  struct Interval {
    Cycles begin;
    Cycles end;  // end of the last flit in the interval, exclusive
    double use;  // the fraction of the interval for which the channel is used
  };

  void add_interfaces();
  PerfettoFile::Track port_track(topology::NodeId node, int port) const;
  PerfettoFile::Track rate_track(topology::NodeId node, int port) const;
  PerfettoFile::Track arrivals_track(topology::NodeId node) const;
  void add_wait(PerfettoFile::Track track, const char* name, Cycles begin, Cycles end);
  void write_use(topology::ChannelId channel, PerfettoFile::Track group);
  void write_levels(topology::ChannelId channel, PerfettoFile::Track group);

  PerfettoFile file_;
  const topology::Topology& topology_;
  std::size_t ni_ports_;
  Femtoseconds period_;
  BufferLevels buffers_;
  PerfettoFile::Track first_interface_ = 0;
  std::optional<PerfettoFile::Track> actors_;  // track group of the actors
  std::string actors_name_ = "jobs and controller";
  std::vector<PerfettoFile::Track> actor_tracks_;
  std::uint64_t messages_ = 0;
  std::vector<Cycles> flit_cycles_;               // [channel]: number of cycles for which a flit occupies it
  std::vector<std::vector<Interval>> intervals_;  // [channel]: when it was used
};

}  // namespace coppice::system

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "ni/memory/message_record.h"
#include "system/output/count_samples.h"
#include "system/output/dimension_activity.h"
#include "topology/topology.h"

namespace coppice::system {

// A run's activity over time, for reports: every channel's use in time windows, the messages and waiting
// times of every network-interface port, and the trees of a schedule. Its size is bounded: whenever there are
// more than kMostMessages messages, it halves the number of accelerators whose messages it keeps. If it
// observes a fabric of trains or fluid flows, windows are exact for the first kMostExact passages. Later, or
// if it does not observe the fabric, it samples the fabric's counters when messages complete.
class RunProfile final : public ni::MessageObserver, public fabric::FabricObserver {
 public:
  static constexpr std::size_t kMostMessages = 5'000;
  static constexpr std::int64_t kMostExact = 65'536;
  // Channels beyond this number have no windows.
  static constexpr std::size_t kMostWindowed = 8'192;
  // Limits on the flows whose trees are kept and on the edges of all these trees.
  static constexpr std::size_t kMostTrees = 32;
  static constexpr std::size_t kMostEdges = 8'192;

  // References must outlive this object. `trees` states whether all flows belong to one schedule.
  RunProfile(const topology::Topology& topology, const config::SystemConfig& system,
             const fabric::Fabric& fabric, bool trees);

  void message_completed(const ni::MessageRecord& message) override;
  void flit_sent(const fabric::FlitEvent& /*event*/, const fabric::Packet& /*packet*/,
                 Cycles /*now*/) override {}
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;

  // Starts sampling the fabric's counters in cycle `now`.
  void sample_from(Cycles now);
  // Takes a sample if sampling has started and a sample is due. Call this between slices of the run.
  void sample_if_due(Cycles now);

  // The profile of a run of `cycles`:
  //   cycle_ns, time_ns
  //   windows: length_ns; sampled_from_ns if it sampled; and busy: per channel a string with a digit per
  //     window, 0-9A-Za-z for 0 to 1
  //   messages: packed (packed_numbers.h), twelve numbers each: source, port, free, data, issued, head, tail,
  //     done, flow, op, step, destination. Times are in cycles, all but the first as the difference to the
  //     previous one; op 0 reduces, 1 gathers.
  //   messages_in_all, messages_kept, messages_of: the accelerators from 0 on whose messages are kept
  //   trees: packed, five numbers per edge: flow, op, source, destination, step
  // There are no windows if nothing was observed.
  nlohmann::ordered_json to_json(Cycles cycles);

 private:
  using Line = std::array<Cycles, 12>;

  void add_edge(const ni::MessageRecord& message);
  std::string levels_of(std::size_t channel, Femtoseconds end) const;

  const topology::Topology* topology_;
  const fabric::Fabric* fabric_;
  Femtoseconds period_;
  std::vector<Femtoseconds> flit_time_;  // [channel]
  TimeWindows windows_;                  // [channel]
  std::int64_t exact_ = 0;               // number of passages in exact windows
  CountSamples samples_;                 // flits by channel
  Cycles sampled_from_ = 0;
  std::vector<Line> messages_;
  // Messages of lower-numbered nodes are kept.
  topology::NodeId kept_ = std::numeric_limits<topology::NodeId>::max();
  std::int64_t in_all_ = 0;
  bool trees_;
  std::vector<Cycles> flows_;
  std::vector<bool> has_parent_;  // [index in flows_][op][node]
  std::vector<std::array<Cycles, 5>> edges_;
};

// Describes the network for drawings in reports: name, accelerators, nodes, channels ([src, dst, GB/s,
// dimension]), and for a grid, dims and wraps. A graph that is isomorphic to a grid has that grid's dims, and
// `places`, its nodes' positions in the grid.
nlohmann::ordered_json drawing_of(const topology::Topology& topology);

}  // namespace coppice::system

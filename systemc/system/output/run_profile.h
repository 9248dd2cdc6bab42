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

// A run's activity over time, for reports: the use of every channel in time windows, the messages and waiting
// times of every network-interface port, and the trees of a schedule. Its size is limited: whenever there are
// more than kMostMessages messages, it halves the number of accelerators whose messages it keeps. If it
// observes a fabric of trains or fluid flows, the first kMostExact passages are counted exactly. After that,
// or if it does not observe the fabric, it samples the fabric's counters whenever a message completes.
class RunProfile final : public ni::MessageObserver, public fabric::FabricObserver {
 public:
  static constexpr std::size_t kMostMessages = 5'000;
  static constexpr std::int64_t kMostExact = 65'536;
  // Channels with this number or a higher one have no windows.
  static constexpr std::size_t kMostWindowed = 8'192;
  // The maximum number of flows whose trees are kept, and of edges in all these trees.
  static constexpr std::size_t kMostTrees = 32;
  static constexpr std::size_t kMostEdges = 8'192;

  // References must outlive this object. `trees`: whether all flows belong to a single schedule, so that flow
  // numbers identify trees.
  RunProfile(const topology::Topology& topology, const config::SystemConfig& system,
             const fabric::Fabric& fabric, bool trees);

  void message_completed(const ni::MessageRecord& message) override;
  void flit_sent(const fabric::FlitEvent& /*event*/, const fabric::Packet& /*packet*/,
                 Cycles /*now*/) override {}
  void channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) override;

  // Starts to sample the fabric's counters in cycle `now`.
  void sample_from(Cycles now);
  // Takes a sample if sampling has started and a sample is due. Call this between slices of the run.
  void sample_if_due(Cycles now);

  // Returns the profile of a run of `cycles`:
  //   cycle_ns, time_ns
  //   windows, unless nothing was observed: length_ns; sampled_from_ns, if counters were sampled; and busy, a
  //     string per channel with one digit per window, 0-9A-Za-z for 0 to 1
  //   messages, packed (packed_numbers.h), twelve numbers each: source, port, free, data, issued, head, tail,
  //     done, flow, op, step, destination. Times are in cycles; each except the first is stored as the
  //     difference from the previous one. op is 0 to reduce and 1 to gather.
  //   messages_in_all and messages_kept, numbers of messages; messages_of, the number of accelerators, from 0
  //     on, whose messages are kept
  //   trees, packed, five numbers per edge: flow, op, source, destination, step
  nlohmann::ordered_json to_json(Cycles cycles);

 private:
  using Line = std::array<Cycles, 12>;

  void add_edge(const ni::MessageRecord& message);
  std::string levels_of(std::size_t channel, Femtoseconds end) const;

  const topology::Topology* topology_;
  const fabric::Fabric* fabric_;
  Femtoseconds period_;
  std::vector<Femtoseconds> flit_time_;  // [channel]: the time that a flit occupies it
  TimeWindows windows_;                  // one series per channel
  std::int64_t exact_ = 0;               // the number of passages that were counted exactly
  CountSamples samples_;                 // the number of flits on each channel
  Cycles sampled_from_ = 0;
  std::vector<Line> messages_;
  // Messages of nodes with lower numbers are kept.
  topology::NodeId kept_ = std::numeric_limits<topology::NodeId>::max();
  std::int64_t in_all_ = 0;
  bool trees_;
  std::vector<Cycles> flows_;
  std::vector<bool> has_parent_;  // [index in flows_][op][node]: whether an edge has been recorded
  std::vector<std::array<Cycles, 5>> edges_;
};

// Describes the network for drawings in reports: name, accelerators, nodes, channels ([src, dst, GB/s,
// dimension]), and for a grid, dims and wraps. For a graph that is isomorphic to a grid, writes that grid's
// dims and, as `places`, the nodes' positions in the grid.
nlohmann::ordered_json drawing_of(const topology::Topology& topology);

}  // namespace coppice::system

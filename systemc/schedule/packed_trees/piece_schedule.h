#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "schedule/compile/channel_paths.h"
#include "schedule/compile/compiler.h"
#include "schedule/packed_trees/message_timing.h"
#include "schedule/packed_trees/timetable.h"
#include "schedule/tables/table.h"
#include "topology/topology.h"

namespace coppice::schedule {

// An edge of a tree. It carries one message per piece: a partial sum on the way up, or a final value on the
// way down.
struct TreeHop {
  Op op = Op::kGather;
  topology::NodeId src = topology::kNoNode;
  topology::NodeId dst = topology::kNoNode;
  ChannelPath path;
};

// A tree that carries one share of the data, or several equal shares. Its hops lead up to `root`, down from
// it, or both.
struct PackedTree {
  topology::NodeId root = topology::kNoNode;
  std::vector<TreeHop> hops;
};

// The message of one piece over one hop of a tree, and its estimated start.
struct TimedPiece {
  std::int32_t tree = 0;
  std::int32_t hop = 0;  // index in PackedTree::hops
  std::int32_t piece = 0;
  Femtoseconds start = 0;
  std::int32_t step = 0;  // the message's timestep, from 1; 0: as early as the order allows
};

// An order of all messages, and the time at which the last message arrives.
struct PieceSchedule {
  std::vector<TimedPiece> messages;  // sorted by start
  Femtoseconds finish = 0;
  bool in_steps = false;  // whether messages have timesteps, which the lockstep enforces
  // The number of timesteps between the messages of consecutive pieces over a hop; 0: the order does not
  // repeat.
  std::int32_t period_steps = 0;
  // The length of a timestep if ports must start each message in its timestep; otherwise 0.
  Femtoseconds step_time = 0;
};

// The priority of messages at a port. The message with the lowest key goes first: the number of its piece,
// minus `urgency` times the work that remains for the piece. Work is measured in periods; a period is the
// time for which one piece of every tree occupies the busiest port or channel.
struct PieceOrder {
  int pieces = 1;
  double urgency = 1;
};

// Orders the messages of all pieces by list scheduling: every message is sent as soon as its data has arrived
// and its port is free, the most urgent message first. Behind switches, where several ports send over the
// same channel, messages of equal length are sent in timesteps in which no two collide; messages of different
// lengths are sent when the channels on their paths are expected to be free. Empty pieces are not sent.
class PieceScheduler {
 public:
  PieceScheduler(const topology::Topology& topology, const CompileRequest& request,
                 std::span<const PackedTree> trees);

  // Orders the messages of pieces with lengths `bytes` [piece * trees + tree].
  PieceSchedule schedule(std::span<const Bytes> bytes, const PieceOrder& order) const;
  // An order that is the same for every piece, with timesteps that repeat (modulo scheduling). Returns the
  // order of schedule() instead if messages need timesteps that keep them apart, or if the repeating order
  // would take longer (more than 25% longer if the number of pieces is given).
  PieceSchedule schedule_repeating(std::span<const Bytes> bytes, const PieceOrder& order, bool given) const;
  // A timetable of one period, which all pieces follow, so that no message ever blocks another on a channel
  // shared by several ports. Returns nullopt if no timetable is found, if messages differ in length, or if
  // path latencies differ by more than the time of a message.
  std::optional<PieceSchedule> schedule_periodic(std::span<const Bytes> bytes, int pieces) const;
  // The finish of schedule_periodic() for pieces of equal length; does not list the messages.
  struct Periodic {
    Femtoseconds finish = std::numeric_limits<Femtoseconds>::max();  // the maximum if there is no timetable
    double period = 1;  // length of a period, as a multiple of the busiest channel's time
    double fill = 0;    // time until all accelerators have the first piece, in the same unit
  };
  Periodic finish_periodic(Bytes bytes, int pieces) const;
  // A steady-state order, which is the same in every period. Each hop sends a piece one period after the
  // previous piece, and at least `spare` periods after the piece's data is due, so that waiting in routers
  // does not delay the hop. All pieces except the last have equal lengths. Returns nullopt if there are too
  // many hops.
  std::optional<PieceSchedule> schedule_steady(std::span<const Bytes> bytes, int pieces, double spare) const;
  // The finish of schedule_steady() if all pieces have `bytes` bytes; nullopt if no such order exists.
  std::optional<Femtoseconds> finish_steady(Bytes bytes, int pieces, double spare) const;
  // The finish of schedule(); does not list the messages.
  Femtoseconds finish(std::span<const Bytes> bytes, const PieceOrder& order) const;

  // The number of messages for one piece of every tree.
  std::size_t hops() const { return hops_.size(); }
  // Whether any channel is shared by messages from several ports.
  bool shares_channels() const { return shares_channels_; }
  // Whether hops differ in the bandwidth of the slowest channel on their path.
  bool unlike_paces() const { return paces_.size() > 1; }
  // Whether messages of `bytes` bytes are sent in timesteps.
  bool in_steps(Bytes bytes) const;
  // Whether messages of `bytes` bytes may wait in router buffers, so that they occupy each channel only for
  // as long as that channel needs. This applies to short messages over shared channels, without timesteps.
  bool buffered(Bytes bytes) const;
  // The length of the longest message for which buffered() holds.
  Bytes longest_buffered() const { return longest_buffered_; }

  // The time for which one piece of `bytes` bytes of every tree occupies the busiest port or channel.
  Femtoseconds period(Bytes bytes) const;
  // The time from the first message of a piece of `bytes` bytes until its last message arrives, on the
  // slowest tree, if all ports are free.
  Femtoseconds latency(Bytes bytes) const;

 private:
  struct Hop {
    std::int32_t tree = 0;
    std::int32_t hop = 0;
    std::int32_t server = 0;  // NI port that sends the hop's messages
    std::int32_t awaits = 0;  // number of arrivals for which a message waits
    std::int32_t pace = 0;    // index into paces_ of the path's slowest channel
    std::int32_t first_offset = 0;
    std::int32_t first_next = 0;
    std::int32_t end_next = 0;
    Femtoseconds delay = 0;
    std::span<const topology::ChannelId> path;
  };

  // Parameters for placing hops in a period. The hop with the lowest key is placed first. The key is the time
  // at which the hop's data is ready, minus `weight` times its remaining work, plus a random part of up to
  // `chance` periods.
  struct Placing {
    double weight;
    double chance;
  };

  struct Slots {
    Timetable timetable;
    Femtoseconds time = 0;  // length of a slot
  };

  void connect(std::span<const PackedTree> trees);
  // The result of steady_for(): the time at which each hop sends the first piece, the period, and the time at
  // which every node has the first piece.
  struct Steady {
    std::vector<Femtoseconds> starts;  // [hop]: when it sends the first piece
    Femtoseconds period = 0;
    Femtoseconds last = 0;
  };
  std::optional<Steady> steady_for(Bytes bytes, double spare) const;
  // [hop]: the time within a period at which the hop sends, regardless of dependencies.
  std::vector<Femtoseconds> places_in_period(Bytes bytes) const;
  // The timetable for pieces of `bytes` bytes.
  std::optional<Slots> slots_for(Bytes bytes) const;
  // The hops in the form that make_timetable() requires, with slots of length `slot`.
  std::vector<TimetableHop> hops_in_slots(Femtoseconds slot) const;
  Femtoseconds finish_of(const Slots& slots, int pieces) const;
  // The index in paces_ of the lowest bandwidth on the path; adds the bandwidth if it is new.
  std::int32_t pace_of(std::span<const topology::ChannelId> path);
  // [hop]: the time at which the hop sends the first piece; another piece follows every period.
  std::vector<Femtoseconds> place_in_period(Bytes bytes, const Placing& placing, Random& random) const;
  // All messages in the order of `starts`, period by period, each sent as early as possible. Stops early if
  // the messages take longer than `limit`; `finish` then exceeds `limit`.
  PieceSchedule repeat(std::span<const Bytes> bytes, std::span<const Femtoseconds> starts, int pieces,
                       Femtoseconds limit) const;
  // [hop]: the timestep in which the hop sends the first piece, from 1, if a period has `period_steps`
  // timesteps; empty if no timesteps are found.
  std::vector<std::int32_t> steps_of(std::span<const Femtoseconds> starts, Femtoseconds period,
                                     std::int32_t period_steps) const;
  // The time from a message's start until it reaches channel i of its path.
  Femtoseconds offset(const Hop& hop, std::size_t i) const {
    return offsets_[static_cast<std::size_t>(hop.first_offset) + i];
  }
  std::vector<Femtoseconds> remaining(std::span<const Bytes> bytes) const;
  // Sets the timesteps of a repeating order; returns false if none are found.
  bool set_steps(PieceSchedule& order, std::span<const Femtoseconds> starts, Femtoseconds period) const;
  template <typename Visit>
  Femtoseconds run_steps(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const;
  template <typename Visit>
  Femtoseconds run(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const;

  const topology::Topology& topology_;
  MessageTiming timing_;
  Femtoseconds cycle_ = 1;
  Bytes longest_buffered_ = 0;
  bool shares_channels_ = false;  // whether any channel is shared by several ports (behind switches)
  std::int32_t trees_ = 0;
  std::int32_t servers_ = 0;
  std::vector<Hop> hops_;                    // tree by tree, predecessors before the hops that wait for them
  std::vector<Femtoseconds> offsets_;        // see offset()
  std::vector<std::int32_t> next_;           // hops that wait for a hop, from first_next to end_next - 1
  std::vector<std::int32_t> channel_paces_;  // [channel]: index into paces_; -1: not used
  // [pace]: a channel with this bandwidth. There is one pace for each bandwidth that is the lowest on some
  // path.
  std::vector<topology::ChannelId> paces_;
};

}  // namespace coppice::schedule

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

// One message for every piece of a tree's data: a sum moving up or a final value moving down.
struct TreeHop {
  Op op = Op::kGather;
  topology::NodeId src = topology::kNoNode;
  topology::NodeId dst = topology::kNoNode;
  ChannelPath path;
};

// The tree of one share of the data (or of several equal shares): up to `root`, down from it, or both.
struct PackedTree {
  topology::NodeId root = topology::kNoNode;
  std::vector<TreeHop> hops;
};

// A hop of one of the trees with one of its pieces, and its estimated start.
struct TimedPiece {
  std::int32_t tree = 0;
  std::int32_t hop = 0;  // index in the tree
  std::int32_t piece = 0;
  Femtoseconds start = 0;
  std::int32_t step = 0;  // its timestep, from 1; 0: as early as the order allows
};

// An order of all messages, and the time at which the last has arrived.
struct PieceSchedule {
  std::vector<TimedPiece> messages;  // by start
  Femtoseconds finish = 0;
  bool in_steps = false;  // messages have timesteps, and the lockstep keeps them
  // Timesteps between messages of consecutive pieces over the same hop; 0: the order does not repeat.
  std::int32_t period_steps = 0;
  // The length of a timestep if ports start each message at its time; 0 if they need not.
  Femtoseconds step_time = 0;
};

// The priority of pieces at a port: the lowest value of the piece's number minus `urgency` times the work
// that remains for it after this message. A period is the time of all pieces with one number at the busiest
// port.
struct PieceOrder {
  int pieces = 1;
  double urgency = 1;
};

// Sends every piece as early as its data and its port allow, the most urgent first (list scheduling). Behind
// switches, where several ports send over one channel, messages of one length go in timesteps in which no two
// meet; messages of several lengths go when the channels of their path are expected to be free. A piece for
// which `bytes(tree, piece)` is 0 is not sent.
class PieceScheduler {
 public:
  PieceScheduler(const topology::Topology& topology, const CompileRequest& request,
                 std::span<const PackedTree> trees);

  // `bytes` [piece * trees + tree].
  PieceSchedule schedule(std::span<const Bytes> bytes, const PieceOrder& order) const;
  // An order that is the same for every piece, with timesteps that repeat (modulo scheduling). Returns the
  // order of schedule() instead if messages need timesteps that keep them apart, or if the repeating order
  // would take longer (more than 25% longer if the number of pieces is given).
  PieceSchedule schedule_repeating(std::span<const Bytes> bytes, const PieceOrder& order, bool given) const;
  // A timetable of one period that all pieces keep, over channels shared by several ports: no message ever
  // obstructs another. Returns nullopt if none is found, if messages have several lengths, or if path
  // latencies differ by more than the length of a message.
  std::optional<PieceSchedule> schedule_periodic(std::span<const Bytes> bytes, int pieces) const;
  // The finish of schedule_periodic() without its messages, for pieces of equal length.
  struct Periodic {
    Femtoseconds finish = std::numeric_limits<Femtoseconds>::max();  // the maximum: no timetable exists
    double period = 1;  // relative to the time of the busiest channel
    double fill = 0;    // time until the first piece is everywhere, relative like `period`
  };
  Periodic finish_periodic(Bytes bytes, int pieces) const;
  // An order that is the same in every period, with slack between hops (steady state): each hop sends piece p
  // one period after piece p - 1, and late enough after its data that waiting in routers does not matter.
  // Pieces are equal except for the last. Returns nullopt if there are too many hops.
  std::optional<PieceSchedule> schedule_steady(std::span<const Bytes> bytes, int pieces, double spare) const;
  // The finish of schedule_steady() if all pieces have `bytes`; nullopt if no such order exists.
  std::optional<Femtoseconds> finish_steady(Bytes bytes, int pieces, double spare) const;
  // The finish of schedule(), without its messages.
  Femtoseconds finish(std::span<const Bytes> bytes, const PieceOrder& order) const;

  // The number of messages of one piece.
  std::size_t hops() const { return hops_.size(); }
  // Whether several ports send over one channel.
  bool shares_channels() const { return shares_channels_; }
  // Whether the slowest channels of the hops' paths have different bandwidths.
  bool unlike_paces() const { return paces_.size() > 1; }
  // Whether messages of these lengths go in timesteps.
  bool in_steps(Bytes bytes) const;
  // Whether messages of these lengths wait in routers' buffers, with each channel busy for its own pace:
  // short messages over shared channels without timesteps.
  bool buffered(Bytes bytes) const;
  // The longest buffered message.
  Bytes longest_buffered() const { return longest_buffered_; }

  // The time for which one piece of `bytes` on every tree occupies the busiest port or channel.
  Femtoseconds period(Bytes bytes) const;
  // The time from the first message of such a piece until its last arrives, on the slowest tree, if all ports
  // are free.
  Femtoseconds latency(Bytes bytes) const;

 private:
  struct Hop {
    std::int32_t tree = 0;
    std::int32_t hop = 0;
    std::int32_t server = 0;  // NI port that sends it
    std::int32_t awaits = 0;  // number of arrivals it waits for
    std::int32_t pace = 0;    // index into paces_: its slowest channel
    std::int32_t first_offset = 0;
    std::int32_t first_next = 0;
    std::int32_t end_next = 0;
    Femtoseconds delay = 0;
    std::span<const topology::ChannelId> path;
  };

  // Parameters for placing hops in a period: those with the most remaining work (times `weight`) go first,
  // less a random part of a period.
  struct Placing {
    double weight;
    double chance;
  };

  struct Slots {
    Timetable timetable;
    Femtoseconds time = 0;  // of one of them
  };

  void connect(std::span<const PackedTree> trees);
  // The time at which each hop sends the first piece, the period, and the time at which every node has that
  // piece.
  struct Steady {
    std::vector<Femtoseconds> starts;  // [hop]
    Femtoseconds period = 0;
    Femtoseconds last = 0;
  };
  std::optional<Steady> steady_for(Bytes bytes, double spare) const;
  // Per hop, the time in a period at which it sends, regardless of dependencies.
  std::vector<Femtoseconds> places_in_period(Bytes bytes) const;
  // The timetable of pieces of `bytes`.
  std::optional<Slots> slots_for(Bytes bytes) const;
  // The hops in the form of a timetable with slots of length `slot`.
  std::vector<TimetableHop> hops_in_slots(Femtoseconds slot) const;
  Femtoseconds finish_of(const Slots& slots, int pieces) const;
  // The index of a path's slowest bandwidth in paces_.
  std::int32_t pace_of(std::span<const topology::ChannelId> path);
  // Per hop, the time at which it sends the first piece; it sends another every period.
  std::vector<Femtoseconds> place_in_period(Bytes bytes, const Placing& placing, Random& random) const;
  // All messages in the order of `starts` over all periods, each as early as possible. If they take longer
  // than `limit`, it stops early and returns a time beyond `limit`.
  PieceSchedule repeat(std::span<const Bytes> bytes, std::span<const Femtoseconds> starts, int pieces,
                       Femtoseconds limit) const;
  // Per hop, its timestep with the first piece, from 1, with `period_steps` timesteps per period; empty if
  // there is none.
  std::vector<std::int32_t> steps_of(std::span<const Femtoseconds> starts, Femtoseconds period,
                                     std::int32_t period_steps) const;
  // The time from a message's start until it reaches channel i of its path.
  Femtoseconds offset(const Hop& hop, std::size_t i) const {
    return offsets_[static_cast<std::size_t>(hop.first_offset) + i];
  }
  std::vector<Femtoseconds> remaining(std::span<const Bytes> bytes) const;
  // Sets the timesteps of an order that repeats; returns whether it has any.
  bool set_steps(PieceSchedule& order, std::span<const Femtoseconds> starts, Femtoseconds period) const;
  template <typename Visit>
  Femtoseconds run_steps(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const;
  template <typename Visit>
  Femtoseconds run(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const;

  const topology::Topology& topology_;
  MessageTiming timing_;
  Femtoseconds cycle_ = 1;
  Bytes longest_buffered_ = 0;
  bool shares_channels_ = false;  // several ports send over one channel, behind switches
  std::int32_t trees_ = 0;
  std::int32_t servers_ = 0;
  std::vector<Hop> hops_;                    // per tree, predecessors before the hops that wait for them
  std::vector<Femtoseconds> offsets_;        // [first_offset of the hop + i of its path]
  std::vector<std::int32_t> next_;           // successors: the hops that wait for a hop
  std::vector<std::int32_t> channel_paces_;  // [channel]
  // For each bandwidth that is some path's slowest, one channel that has it.
  std::vector<topology::ChannelId> paces_;
};

}  // namespace coppice::schedule

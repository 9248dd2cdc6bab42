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

// A message for every piece of a tree's data: a sum moving up or a final value moving down.
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

// A hop of `trees` with one of its pieces, and when it begins by estimate.
struct TimedPiece {
  std::int32_t tree = 0;
  std::int32_t hop = 0;  // of the tree
  std::int32_t piece = 0;
  Femtoseconds start = 0;
  std::int32_t step = 0;  // its timestep, from 1; 0: as early as order allows
};

// An order of all messages, and when the last has arrived.
struct PieceSchedule {
  std::vector<TimedPiece> messages;  // by start
  Femtoseconds finish = 0;
  bool in_steps = false;  // messages have timesteps, which the lockstep keeps
  // Timesteps between messages of consecutive pieces over the same hop; 0: the order does not repeat.
  std::int32_t period_steps = 0;
  // How long a timestep is where ports start each message at its time; 0: they need not.
  Femtoseconds step_time = 0;
};

// How pieces are ordered at a port: lower numbers first, less `urgency` times the work that remains for a
// piece after this message. A period is the time of all pieces with one number at the busiest port.
struct PieceOrder {
  int pieces = 1;
  double urgency = 1;
};

// Sends every piece as early as its data and its port allow, the most urgent first (list scheduling). Behind
// switches, where several ports send over one channel, messages of one length go in timesteps in which no two
// meet; those of several lengths when the channels of their path are expected to be free. `bytes(tree,
// piece)` of none sends nothing.
class PieceScheduler {
 public:
  PieceScheduler(const topology::Topology& topology, const CompileRequest& request,
                 std::span<const PackedTree> trees);

  // `bytes` [piece * trees + tree].
  PieceSchedule schedule(std::span<const Bytes> bytes, const PieceOrder& order) const;
  // An order that is the same for every piece, with timesteps that repeat (modulo scheduling). If messages
  // need timesteps that keep them apart, or such an order would take longer (25% longer if the number of
  // pieces is given), returns the order of schedule() instead.
  PieceSchedule schedule_repeating(std::span<const Bytes> bytes, const PieceOrder& order, bool given) const;
  // A timetable of one period that all pieces keep, over channels shared by several ports: no message ever
  // obstructs another. Returns nullopt if none is found, if messages have several lengths, or if path
  // latencies differ by more than a message.
  std::optional<PieceSchedule> schedule_periodic(std::span<const Bytes> bytes, int pieces) const;
  // The same without the messages, for pieces that are all alike.
  struct Periodic {
    Femtoseconds finish = std::numeric_limits<Femtoseconds>::max();  // never: there is none
    double period = 1;                                               // of what the busiest channel takes
    double fill = 0;  // until the first piece is everywhere, in the same
  };
  Periodic finish_periodic(Bytes bytes, int pieces) const;
  // The same order in every period, with time to spare between hops (steady state): each hop sends piece p
  // one period after piece p - 1, and so long after its data that waiting in routers does not matter. Pieces
  // are alike except for the last. Nothing if there are too many hops.
  std::optional<PieceSchedule> schedule_steady(std::span<const Bytes> bytes, int pieces, double spare) const;
  // The finish of that order if all pieces have `bytes`; nullopt if no such order exists.
  std::optional<Femtoseconds> finish_steady(Bytes bytes, int pieces, double spare) const;
  // Without the messages.
  Femtoseconds finish(std::span<const Bytes> bytes, const PieceOrder& order) const;

  // Messages of one piece.
  std::size_t hops() const { return hops_.size(); }
  // Whether several ports send over a channel.
  bool shares_channels() const { return shares_channels_; }
  // Whether the slowest channels of the hops' ways are of several bandwidths.
  bool unlike_paces() const { return paces_.size() > 1; }
  // Whether messages of such lengths go in timesteps.
  bool in_steps(Bytes bytes) const;
  // Whether messages of these lengths wait in routers' buffers, each channel being free after its own pace:
  // short messages over shared channels without timesteps.
  bool buffered(Bytes bytes) const;
  // The longest buffered message.
  Bytes longest_buffered() const { return longest_buffered_; }

  // The time that one piece of `bytes` on every tree occupies the busiest port or channel.
  Femtoseconds period(Bytes bytes) const;
  // From the first message of one such piece until its last arrives, on the slowest tree, all ports free.
  Femtoseconds latency(Bytes bytes) const;

 private:
  struct Hop {
    std::int32_t tree = 0;
    std::int32_t hop = 0;
    std::int32_t server = 0;  // NI port that sends it
    std::int32_t awaits = 0;  // arrivals
    std::int32_t pace = 0;    // of its slowest channel
    std::int32_t first_offset = 0;
    std::int32_t first_next = 0;
    std::int32_t end_next = 0;
    Femtoseconds delay = 0;
    std::span<const topology::ChannelId> path;
  };

  // How hops are placed in a period: those with the most remaining work first, weighted, less a random part
  // of a period.
  struct Placing {
    double weight;
    double chance;
  };

  struct Slots {
    Timetable timetable;
    Femtoseconds time = 0;  // of one
  };

  void connect(std::span<const PackedTree> trees);
  // When hops send the first piece, the period, and the time at which every node has that piece.
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
  // The hops as a timetable has them, in slots of `slot`.
  std::vector<TimetableHop> hops_in_slots(Femtoseconds slot) const;
  Femtoseconds finish_of(const Slots& slots, int pieces) const;
  // The number of a path's slowest bandwidth in paces_.
  std::int32_t pace_of(std::span<const topology::ChannelId> path);
  // Per hop, the time at which it sends the first piece; it sends another every period.
  std::vector<Femtoseconds> place_in_period(Bytes bytes, const Placing& placing, Random& random) const;
  // All messages in the order of `starts` over all periods, each as early as possible; stops early, with a
  // time beyond `limit`, if they take longer than that.
  PieceSchedule repeat(std::span<const Bytes> bytes, std::span<const Femtoseconds> starts, int pieces,
                       Femtoseconds limit) const;
  // Per hop, its timestep with the first piece, from 1, of `period_steps` a period; empty: there is none.
  std::vector<std::int32_t> steps_of(std::span<const Femtoseconds> starts, Femtoseconds period,
                                     std::int32_t period_steps) const;
  // The time from a message's start until it reaches channel i of its path.
  Femtoseconds offset(const Hop& hop, std::size_t i) const {
    return offsets_[static_cast<std::size_t>(hop.first_offset) + i];
  }
  std::vector<Femtoseconds> remaining(std::span<const Bytes> bytes) const;
  // Gives the messages of an order that repeats their timesteps; whether there are some.
  bool set_steps(PieceSchedule& order, std::span<const Femtoseconds> starts, Femtoseconds period) const;
  template <typename Visit>
  Femtoseconds run_steps(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const;
  template <typename Visit>
  Femtoseconds run(std::span<const Bytes> bytes, const PieceOrder& order, Visit visit) const;

  const topology::Topology& topology_;
  MessageTiming timing_;
  Femtoseconds cycle_ = 1;
  Bytes longest_buffered_ = 0;
  bool shares_channels_ = false;  // of several ports, behind switches
  std::int32_t trees_ = 0;
  std::int32_t servers_ = 0;
  std::vector<Hop> hops_;                    // those of a tree: what is waited for comes first
  std::vector<Femtoseconds> offsets_;        // [first_offset + i of its path]
  std::vector<std::int32_t> next_;           // hops that wait for a hop
  std::vector<std::int32_t> channel_paces_;  // [channel]
  std::vector<topology::ChannelId> paces_;   // a channel of each bandwidth that is some path's slowest
};

}  // namespace coppice::schedule

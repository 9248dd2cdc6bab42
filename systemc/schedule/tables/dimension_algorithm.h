#pragma once

#include <array>
#include <optional>

#include "schedule/tables/dimension_method.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

inline constexpr std::array kDimensionMethods{DimensionMethod::kRing, DimensionMethod::kDirect,
                                              DimensionMethod::kHalvingDoubling};

// How a chunk's data moves within one dimension of a hierarchical system: the contention-free algorithm of
// the dimension's network (Themis, Table 1). A ring runs the ring algorithm both ways with half of the data
// each, or the one way that it goes, a fully connected group the direct one, a switch recursive halving
// (reduce-scatter) and doubling (all-gather). A fully connected group or a switch may run a ring instead, one
// way around, and a switch the direct algorithm, its messages after one another.
//
// Data that an accelerator holds when a reduce-scatter begins, or has when an all-gather ends, is in `size`
// parts; part x belongs to coordinate x of the dimension. At every step all accelerators send alike.
class DimensionAlgorithm {
 public:
  // Throws UnsupportedError, naming the alternatives, for halving and doubling among a number that is no
  // power of two, and for a `method` that the dimension's network does not serve. Switches that add
  // (`in_network`) take any size: a phase is one step there, which ChunkProgram spells out.
  DimensionAlgorithm(std::size_t dimension, topology::DimensionKind kind, int size, bool in_network = false,
                     std::optional<DimensionMethod> method = std::nullopt);

  int steps() const;     // of either phase
  int messages() const;  // of an accelerator in each step
  // Whether a message carries one half of each part it names: the first half if its number is even.
  bool sends_halves() const { return kind_ == topology::DimensionKind::kRing; }

  // Whether accelerators exchange with those whose coordinate differs in a bit, not with those further on.
  bool exchanges() const { return kind_ == topology::DimensionKind::kSwitch; }

  struct Move {
    int peer = 0;        // coordinate of the destination
    int port = 0;        // out-port, counted from the dimension's first
    int first_part = 0;  // parts that go
    int parts = 1;
  };
  // The message of number `message` that coordinate `self` sends in step `step`; both count from 0.
  Move move(Op op, int step, int message, int self) const;

 private:
  topology::DimensionKind kind_;  // whose algorithm it runs
  bool one_port_;                 // all messages leave by the dimension's first
  int size_;
  bool in_network_;
};

}  // namespace coppice::schedule

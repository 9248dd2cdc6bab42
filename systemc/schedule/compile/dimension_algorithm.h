#pragma once

#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// How a chunk's data moves within one dimension of a hierarchical system: the contention-free algorithm of
// the dimension's network (Themis, Table 1). A ring runs the ring algorithm both ways with half of the data
// each, or the one way that it goes, a fully connected group the direct one, a switch recursive halving
// (reduce-scatter) and doubling (all-gather).
//
// Data that an accelerator holds when a reduce-scatter begins, or has when an all-gather ends, is in `size`
// parts; part x belongs to coordinate x of the dimension. At every step all accelerators send alike.
class DimensionAlgorithm {
 public:
  // Throws UnsupportedError, naming the alternatives, for a switch whose size is no power of two. Switches
  // that add (`in_network`) take any size: a phase is one step there, which offload.h spells out.
  DimensionAlgorithm(std::size_t dimension, topology::DimensionKind kind, int size, bool in_network = false);

  int steps() const;     // of either phase
  int messages() const;  // of an accelerator in each step
  // Whether a message carries one half of each part it names: the first half if its number is even.
  bool sends_halves() const { return kind_ == topology::DimensionKind::kRing; }

  struct Move {
    int peer = 0;        // coordinate of the destination
    int port = 0;        // out-port, counted from the dimension's first
    int first_part = 0;  // parts that go
    int parts = 1;
  };
  // The message of number `message` that coordinate `self` sends in step `step`; both count from 0.
  Move move(Op op, int step, int message, int self) const;

 private:
  topology::DimensionKind kind_;
  int size_;
  bool in_network_;
};

}  // namespace coppice::schedule

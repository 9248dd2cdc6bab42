#pragma once

#include <array>
#include <optional>

#include "schedule/tables/dimension_method.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

inline constexpr std::array kDimensionMethods{DimensionMethod::kRing, DimensionMethod::kDirect,
                                              DimensionMethod::kHalvingDoubling};

// How a chunk's data moves within one dimension of a hierarchical system: by the contention-free algorithm
// for the dimension's network (Themis, Table 1). A bidirectional ring runs the ring algorithm in both
// directions, each with half of the data; a unidirectional ring runs it in its only direction. A fully
// connected group runs the direct algorithm; a switch runs recursive halving (reduce-scatter) and doubling
// (all-gather) if its size is a power of two. A fully connected group or a switch can run a one-directional
// ring instead, and a switch can run the direct algorithm by sending its messages one after another, as it
// does by default if its size is not a power of two. If it is, peers differ in their bits, and the highest
// bit changes with every message: if the switch stands for a fabric, messages to near and far accelerators
// thus alternate and do not meet.
//
// The data that an accelerator holds at the start of a reduce-scatter or the end of an all-gather is divided
// into `size` parts; part x belongs to coordinate x of the dimension. All accelerators send symmetrically.
class DimensionAlgorithm {
 public:
  // Throws UnsupportedError, which names the alternatives, if the dimension's network does not support
  // `method`, which includes halving and doubling on a size that is not a power of two. Reducing switches
  // (`in_network`) may have any size; each of their phases is one step, which ChunkProgram defines.
  DimensionAlgorithm(std::size_t dimension, topology::DimensionKind kind, int size, bool in_network = false,
                     std::optional<DimensionMethod> method = std::nullopt);

  int steps() const;     // number of steps per phase
  int messages() const;  // number of messages per accelerator per step
  int ports() const;     // number of ports over which an accelerator sends the messages of a step
  // Whether a message carries half of each part: the first half if the message number is even.
  bool sends_halves() const { return kind_ == topology::DimensionKind::kRing; }

  // Whether an accelerator's peer differs from it in one bit of the coordinate, rather than by a fixed
  // distance.
  bool exchanges() const;

  struct Move {
    int peer = 0;        // coordinate of the destination
    int port = 0;        // out-port, counted from the first port of the dimension
    int first_part = 0;  // index of the first part that is sent
    int parts = 1;
  };
  // Message `message` of the accelerator at coordinate `self` in step `step`; both count from 0.
  Move move(Op op, int step, int message, int self) const;

 private:
  topology::DimensionKind kind_;  // kind of network whose algorithm the dimension runs
  bool one_port_;                 // whether all messages leave by the dimension's first port
  int size_;
  bool in_network_;
};

}  // namespace coppice::schedule

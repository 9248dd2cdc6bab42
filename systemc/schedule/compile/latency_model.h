#pragma once

#include <vector>

#include "schedule/tables/dimension_algorithm.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The facts that a scheduler of chunks knows of one dimension of a hierarchy (Themis, Table 2 and Sec. 4.4).
struct DimensionModel {
  topology::DimensionKind kind = topology::DimensionKind::kSwitch;
  int size = 2;                                          // accelerators of a group
  Bandwidth bandwidth;                                   // of one accelerator, all links together, each way
  Femtoseconds step_latency = 0;                         // from accelerator to accelerator
  bool in_network = false;                               // its switches add (ChunkProgram)
  std::optional<DimensionMethod> method = std::nullopt;  // what it runs; none: what its network suits
  bool operator==(const DimensionModel&) const = default;
};

// The time that a machine adds to the bytes and links of a step: whole flits, head flits, routers and network
// interfaces. Without flits, nothing.
struct StepTiming {
  Bytes flit = 0;
  Bytes payload = 0;                // of a packet, each behind a head flit; 0: a head flit per message
  Femtoseconds router = 0;          // of every router on the way
  Femtoseconds interface_time = 0;  // of both ends together
  Femtoseconds cycle = 0;           // no channel takes a flit faster
  Femtoseconds message_setup = 0;   // of an accelerator's port, for every message
  double efficiency = 1;            // bytes of data per byte that is sent (Protocol)
  Femtoseconds memory = 0;          // until a message's data has been read
  Femtoseconds reduction = 0;       // until a partial sum is in memory
  Bandwidth adder{};                // that a port of a switch adds; none: as fast as its channel
  Bytes buffer = 0;                 // flits that a router's virtual channel holds, which a message waits in
};

// Sets the methods of the dimensions; a ring in a fully connected group uses one link of each accelerator.
// Throws UnsupportedError unless there is one per dimension.
void set_methods(std::vector<DimensionModel>& dimensions, const std::vector<DimensionMethod>& methods);

// The dimensions of a hierarchical topology. Throws UnsupportedError for other topologies.
std::vector<DimensionModel> dimension_models(const topology::Topology& topology);

// Predicts the time of a reduce-scatter or an all-gather of a chunk in each dimension (Themis, Sec. 4.4):
// A_K, a fixed delay, plus n_K x B_K, the bytes that an accelerator sends over its bandwidth. Sizes are what
// an accelerator holds of the chunk before the operation.
class LatencyModel {
 public:
  // Throws UnsupportedError for a dimension that no algorithm of DimensionAlgorithm serves. Data is cut at
  // elements of `element` bytes.
  explicit LatencyModel(std::vector<DimensionModel> dimensions, Bytes element = 4,
                        const StepTiming& timing = {});

  std::size_t dimensions() const { return dimensions_.size(); }
  const std::vector<DimensionModel>& all_dimensions() const { return dimensions_; }
  const DimensionModel& dimension(std::size_t d) const { return dimensions_[d]; }

  // A_K of a reduce-scatter or an all-gather: the dimension's steps, each with its latency.
  Femtoseconds fixed_delay(std::size_t d) const { return fixed_delays_[d]; }
  // n_K: a reduce-scatter sends all but its own part, an all-gather its part to all others, or once to a
  // switch that adds.
  Bytes sent(std::size_t d, Op op, Bytes before) const;
  // The bytes received meanwhile.
  Bytes received(std::size_t d, Op op, Bytes before) const;
  bool in_network(std::size_t d) const { return dimensions_[d].in_network; }
  // n_K x B_K.
  Femtoseconds transfer(std::size_t d, Op op, Bytes before) const;
  // The bytes that an accelerator holds after the operation.
  Bytes after(std::size_t d, Op op, Bytes before) const;

  // The steps of either phase.
  int steps(std::size_t d) const { return algorithms_[d].steps(); }
  // From the end of a message at its sender to its arrival; where switches add, up to them or down.
  Femtoseconds step_latency(std::size_t d) const;
  // How long a message keeps its link busy.
  Femtoseconds serialization(std::size_t d, Bytes bytes) const;
  // How long the messages of a step take at their links, as the tables of hierarchical.h have them: an
  // accelerator holds `shares` of a chunk of `chunk` bytes, of as many as there are accelerators, when the
  // operation begins, and messages are as long as the longest of their step.
  Femtoseconds step_transfer(std::size_t d, Op op, Bytes chunk, Bytes shares, int step) const;
  // The time of a message with this many shares at its link.
  Femtoseconds shares_transfer(std::size_t d, Bytes chunk, Bytes shares) const;

  // Bandwidth of an accelerator over all dimensions.
  Bandwidth total_bandwidth() const;
  // Accelerators of the whole hierarchy.
  int accelerators() const { return accelerators_; }
  // Whether a dimension sends the halves of shares both ways around (pieces_of_a_chunk()).
  bool rings() const { return rings_; }
  // Whether switches of some dimension add.
  bool adds_in_network() const;

 private:
  std::vector<DimensionModel> dimensions_;
  Bytes element_;
  StepTiming timing_;
  std::vector<Femtoseconds> fixed_delays_;
  std::vector<DimensionAlgorithm> algorithms_;
  int accelerators_ = 1;
  bool rings_ = false;
};

// How many pieces each chunk is cut into: one per accelerator, or one per accelerator and way around where
// some dimension is a ring. Every piece has an element at least.
Bytes pieces_of_a_chunk(int accelerators, bool rings);

// The time a collective would take if all dimensions were busy throughout (Themis, Table 3): the bytes that
// an accelerator must send, 2 (P - 1) / P of the data for an all-reduce and half of that for a reduce-scatter
// or all-gather, over the bandwidth of all dimensions. Where switches add, an all-reduce needs all of the
// data once at least. The bandwidth-weighted mean of the dimensions' utilization (Themis, Sec. 3) is this
// over the time taken.
Femtoseconds ideal_time(const LatencyModel& model, Collective collective, Bytes size);

}  // namespace coppice::schedule

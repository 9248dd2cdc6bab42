#pragma once

#include <vector>

#include "schedule/tables/dimension_algorithm.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The parameters of one dimension of a hierarchy that a chunk scheduler uses (Themis, Table 2 and Sec. 4.4).
struct DimensionModel {
  topology::DimensionKind kind = topology::DimensionKind::kSwitch;
  int size = 2;                   // accelerators per group
  Bandwidth bandwidth;            // per accelerator and direction, all links together
  Femtoseconds step_latency = 0;  // from accelerator to accelerator
  bool in_network = false;        // its switches reduce data (ChunkProgram)
  // The dimension's algorithm; nullopt: the default for its network.
  std::optional<DimensionMethod> method = std::nullopt;
  bool operator==(const DimensionModel&) const = default;
};

// The time that a machine adds to a step's transfer time and link latencies: rounding to whole flits, head
// flits, routers and network interfaces. All zero if the machine does not use flits.
struct StepTiming {
  Bytes flit = 0;
  Bytes payload = 0;        // payload of a packet, which follows a head flit; 0: one head flit per message
  Femtoseconds router = 0;  // latency of every router on the path
  Femtoseconds interface_time = 0;  // latency of both ends together
  Femtoseconds cycle = 0;           // clock period: the minimum time of a flit on a channel
  Femtoseconds message_setup = 0;   // time an accelerator's port spends before every message
  double efficiency = 1;            // bytes of data per byte sent (Protocol)
  Femtoseconds memory = 0;          // time until a message's data has been read
  Femtoseconds reduction = 0;       // time until a partial sum is in memory
  Bandwidth adder{};                // bandwidth of the adder at a switch port; none: as fast as its channel
  Bytes buffer = 0;                 // capacity of a router's virtual channel, in which a message waits
};

// Sets the methods of the dimensions; a ring in a fully connected group uses one link of each accelerator.
// Throws UnsupportedError unless there is one method per dimension.
void set_methods(std::vector<DimensionModel>& dimensions, const std::vector<DimensionMethod>& methods);

// The dimensions of a hierarchical topology. Throws UnsupportedError for other topologies.
std::vector<DimensionModel> dimension_models(const topology::Topology& topology);

// Predicts the time of a reduce-scatter or an all-gather of a chunk in each dimension (Themis, Sec. 4.4):
// A_K, a fixed delay, plus n_K x B_K, the transfer time of the bytes that an accelerator sends. Sizes are the
// bytes of the chunk that an accelerator holds before the operation.
class LatencyModel {
 public:
  // Throws UnsupportedError for a dimension that DimensionAlgorithm does not support. Data is cut at elements
  // of `element` bytes.
  explicit LatencyModel(std::vector<DimensionModel> dimensions, Bytes element = 4,
                        const StepTiming& timing = {});

  std::size_t dimensions() const { return dimensions_.size(); }
  const std::vector<DimensionModel>& all_dimensions() const { return dimensions_; }
  const DimensionModel& dimension(std::size_t d) const { return dimensions_[d]; }

  // A_K of a reduce-scatter or an all-gather: the dimension's steps, each with its latency.
  Femtoseconds fixed_delay(std::size_t d) const { return fixed_delays_[d]; }
  // n_K: a reduce-scatter sends everything but the accelerator's own part. An all-gather sends that part to
  // all others, or once to a reducing switch.
  Bytes sent(std::size_t d, Op op, Bytes before) const;
  // The bytes that an accelerator receives in the operation.
  Bytes received(std::size_t d, Op op, Bytes before) const;
  bool in_network(std::size_t d) const { return dimensions_[d].in_network; }
  // n_K x B_K.
  Femtoseconds transfer(std::size_t d, Op op, Bytes before) const;
  // The bytes that an accelerator holds after the operation.
  Bytes after(std::size_t d, Op op, Bytes before) const;

  // The number of steps of one phase.
  int steps(std::size_t d) const { return algorithms_[d].steps(); }
  // The time from the end of a message at its sender to its arrival; with in-network reduction, the time to
  // or from the switch.
  Femtoseconds step_latency(std::size_t d) const;
  // The time for which a message keeps its link busy.
  Femtoseconds serialization(std::size_t d, Bytes bytes) const;
  // The time of a step's messages on their links, as in the tables of hierarchical.h. The accelerator holds
  // `shares` of the chunk's shares (one per accelerator) when the operation begins, and every message is as
  // long as the longest of its step.
  Femtoseconds step_transfer(std::size_t d, Op op, Bytes chunk, Bytes shares, int step) const;
  // The time for which a message of `shares` shares occupies its link.
  Femtoseconds shares_transfer(std::size_t d, Bytes chunk, Bytes shares) const;

  // An accelerator's total bandwidth in all dimensions.
  Bandwidth total_bandwidth() const;
  int accelerators() const { return accelerators_; }
  // Whether a dimension sends the halves of shares in both directions around a ring (pieces_of_a_chunk()).
  bool rings() const { return rings_; }
  // Whether the switches of any dimension reduce data (in-network reduction).
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

// The number of pieces of a chunk: one per accelerator, or two (one per direction) if some dimension is a
// ring. Every piece has at least one element.
Bytes pieces_of_a_chunk(int accelerators, bool rings);

// The time a collective would take if all dimensions were busy throughout (Themis, Table 3): the bytes that
// an accelerator must send, 2 (P - 1) / P of the data for an all-reduce and half of that for a reduce-scatter
// or all-gather, divided by the bandwidth of all dimensions. With in-network reduction, an all-reduce sends
// all data at least once. The bandwidth-weighted mean utilization of the dimensions (Themis, Sec. 3) is this
// time divided by the actual time.
Femtoseconds ideal_time(const LatencyModel& model, Collective collective, Bytes size);

}  // namespace coppice::schedule

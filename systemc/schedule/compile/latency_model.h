#pragma once

#include <vector>

#include "schedule/tables/dimension_algorithm.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::schedule {

// The parameters of one dimension of a hierarchy, as used by chunk schedulers (Themis, Table 2 and Sec. 4.4).
struct DimensionModel {
  topology::DimensionKind kind = topology::DimensionKind::kSwitch;
  int size = 2;                   // accelerators per group
  Bandwidth bandwidth;            // per accelerator per direction, summed over all links
  Femtoseconds step_latency = 0;  // latency from one accelerator to the next
  bool in_network = false;        // whether the dimension's switches reduce data (ChunkProgram)
  int lanes = 1;                  // number of equal links, each of which carries whole chunks (Lane)
  // The dimension's algorithm; nullopt: the default algorithm of its network.
  std::optional<DimensionMethod> method = std::nullopt;
  bool operator==(const DimensionModel&) const = default;
};

// The delays and limits of a machine that determine a step's time in addition to bandwidths and link
// latencies: flits and packets, routers and network interfaces. All values are zero if the machine does not
// use flits.
struct StepTiming {
  Bytes flit = 0;
  Bytes payload = 0;                // data per packet, each with one head flit; 0: one head flit per message
  Femtoseconds router = 0;          // latency of every router on the path
  Femtoseconds interface_time = 0;  // sum of the latencies at both ends
  Femtoseconds cycle = 0;           // clock period, which is the minimum time of a flit on a channel
  Femtoseconds message_setup = 0;   // time that an accelerator's port spends before every message
  double efficiency = 1;            // fraction of the sent bytes that is data (Protocol)
  Femtoseconds memory = 0;          // time from a memory request to its first flit
  Femtoseconds reduction = 0;       // latency of the adder
  // bandwidth of the adder at a switch port; 0: as fast as the port's channel
  Bandwidth adder{};
  Bytes buffer = 0;  // number of flits that a virtual channel of a router can buffer
};

// Sets the methods of the dimensions. In a fully connected group, a ring uses only one link of each
// accelerator, so the dimension's bandwidth is reduced. Throws UnsupportedError unless there is one method
// per dimension.
void set_methods(std::vector<DimensionModel>& dimensions, const std::vector<DimensionMethod>& methods);

// The methods of a hierarchy's dimensions if every switch runs the direct algorithm. Empty if no switch would
// otherwise run halving and doubling.
std::vector<DimensionMethod> direct_in_switches(const topology::Topology& topology);

// The dimensions of a hierarchical topology. Throws UnsupportedError for other topologies.
std::vector<DimensionModel> dimension_models(const topology::Topology& topology);

// Predicts the time of a reduce-scatter or an all-gather of a chunk in each dimension (Themis, Sec. 4.4). The
// time is A_K + n_K x B_K: a fixed delay, plus the number of bytes that an accelerator sends times the time
// per byte. Sizes are the bytes of the chunk that an accelerator holds before the operation.
class LatencyModel {
 public:
  // Throws UnsupportedError if DimensionAlgorithm does not support a dimension. Data is cut into elements of
  // `element` bytes.
  explicit LatencyModel(std::vector<DimensionModel> dimensions, Bytes element = 4,
                        const StepTiming& timing = {});

  std::size_t dimensions() const { return dimensions_.size(); }
  const std::vector<DimensionModel>& all_dimensions() const { return dimensions_; }
  const DimensionModel& dimension(std::size_t d) const { return dimensions_[d]; }

  // A_K of a reduce-scatter or an all-gather: the number of the dimension's steps times the latency of a
  // step.
  Femtoseconds fixed_delay(std::size_t d) const { return fixed_delays_[d]; }
  // n_K, the bytes that an accelerator sends. A reduce-scatter sends everything except the accelerator's own
  // part. An all-gather sends that part to all other accelerators, or once to a reducing switch.
  Bytes sent(std::size_t d, Op op, Bytes before) const;
  // The bytes that an accelerator receives in the operation.
  Bytes received(std::size_t d, Op op, Bytes before) const;
  bool in_network(std::size_t d) const { return dimensions_[d].in_network; }
  // n_K x B_K, the time to send these bytes.
  Femtoseconds transfer(std::size_t d, Op op, Bytes before) const;
  // The bytes that an accelerator holds after the operation.
  Bytes after(std::size_t d, Op op, Bytes before) const;

  // The number of steps of one phase.
  int steps(std::size_t d) const { return algorithms_[d].steps(); }
  // The time from when a message has left its sender until it arrives. With in-network reduction, this is the
  // time to or from the switch.
  Femtoseconds step_latency(std::size_t d) const;
  // The time for which a message keeps its link, one of the dimension's lanes, busy.
  Femtoseconds serialization(std::size_t d, Bytes bytes) const;
  // The transfer time of a step's messages, as in the tables of hierarchical.h. A chunk has one share per
  // accelerator; an accelerator holds `shares` of them when the operation begins. Every message is as long as
  // the longest message of its step.
  Femtoseconds step_transfer(std::size_t d, Op op, Bytes chunk, Bytes shares, int step) const;
  // The time for which a message of `shares` shares occupies its link.
  Femtoseconds shares_transfer(std::size_t d, Bytes chunk, Bytes shares) const;

  // An accelerator's total bandwidth in all dimensions.
  Bandwidth total_bandwidth() const;
  int accelerators() const { return accelerators_; }
  // The bandwidth of the link that carries a message.
  Bandwidth link_bandwidth(std::size_t d) const;
  // Whether any dimension is a ring, around which half of each share travels in each direction
  // (pieces_of_a_chunk()).
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
// ring.
Bytes pieces_of_a_chunk(int accelerators, bool rings);

// The time that a collective would take if all dimensions were always busy (Themis, Table 3). It is the
// number of bytes that an accelerator must send, divided by the bandwidth of all dimensions together. With P
// accelerators, an all-reduce sends 2 (P - 1) / P of the data, and a reduce-scatter or all-gather half of
// that; with in-network reduction, an all-reduce sends all data once. The bandwidth-weighted mean utilization
// of the dimensions (Themis, Sec. 3) is this time divided by the actual time.
Femtoseconds ideal_time(const LatencyModel& model, Collective collective, Bytes size);

}  // namespace coppice::schedule

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/wires/cycle_mask.h"

namespace coppice::fabric {

// The switch requests of one input VC, which owns an output VC throughout the stretch.
struct SwitchFlow {
  std::int32_t input_vc = 0;
  std::int32_t output_vc = 0;
  int in_port = 0;
  int vc = 0;
  int out_port = 0;
  Cycles flits = 0;    // number of flits in the buffer when the stretch begins
  Cycles credits = 0;  // number of downstream slots that are known to be free
  CycleMask arrivals;  // arrivals of flits; a flit may leave in the cycle of its arrival
  CycleMask returns;   // arrivals of credits; a credit is usable in the cycle of its arrival
  CycleMask sent{};    // the result: the cycles in which a flit leaves
  Flit first{};        // the flit that leaves first
  Cycles middles = 0;  // the number of body flits that leave before the next head or tail
};

// The arbitration pointers of a port at the start of a stretch and, for an output, the state of the channel's
// pacing.
struct SwitchInput {
  int port = 0;
  int vc_pointer = 0;
  int accept_pointer = 0;
};
struct SwitchOutput {
  int port = 0;
  int grant_pointer = 0;
  Femtoseconds flit_time = 0;  // flit time of a channel slower than one flit per cycle; otherwise 0
  Femtoseconds next_free = 0;
};

// A set of ports of a switch whose flows interact only with each other. Ports are in ascending order; flows
// are ordered by input port and virtual channel.
struct SwitchPart {
  std::vector<SwitchFlow*> flows;
  std::vector<SwitchInput> inputs;
  std::vector<SwitchOutput> outputs;
};

// Simulates a switch during a stretch in which only body flits pass through it. It arbitrates like
// Router::allocate_switch(), but on numbers of flits. Results are cached, because two parts of a switch
// with equal states and equal arrivals behave identically, regardless of their packets, ports and virtual
// channels.
class SwitchStretch {
 public:
  static constexpr std::size_t kMostFlows = 64;

  explicit SwitchStretch(Femtoseconds period) : period_(period), known_(kKnown) {}

  // Computes the cycles in which the flows of `part`, at most kMostFlows, send during the first `cycles`
  // cycles if nothing else changes. The result for a smaller number of cycles is a prefix of this result.
  void run(const SwitchPart& part, Cycles cycles);

  std::int64_t asked() const { return asked_; }
  std::int64_t found() const { return found_; }

 private:
  using Words = std::vector<std::uint64_t>;
  static constexpr std::size_t kKnown = std::size_t{1} << 14;
  struct Known {
    Words key;
    std::vector<CycleMask> sent;  // [flow]
  };
  struct Index {
    std::uint32_t in = 0;
    std::uint32_t out = 0;
  };

  // The number of flits, or of credits, of a flow during a simulation.
  struct Level {
    Cycles now = 0;
    Cycles then = 0;     // level at the reference
    Cycles least = 0;    // the minimum since the reference
    bool lasts = false;  // whether the level suffices for the whole stretch without any arrivals
  };
  // A cycle and the state at its beginning. Later states are compared with it to find a period.
  struct Reference {
    Cycles cycle = 0;
    Cycles window = 0;  // number of cycles until the next reference
    std::uint64_t ready = 0;
    Words pointers;
  };

  bool run_alone(const SwitchPart& part, Cycles cycles) const;
  void look_up_indices(const SwitchPart& part);
  void write_key(const SwitchPart& part, Cycles cycles);
  void begin(const SwitchPart& part, Cycles cycles);
  void arbitrate(const SwitchPart& part, Cycles cycles);
  void receive_arrivals(Cycles cycle);
  void grant(const SwitchPart& part, Cycles cycle);
  void accept(const SwitchPart& part, Cycles cycle);
  void refer_to(Cycles cycle, Cycles window);
  bool repeats() const { return ready_ == reference_.ready && pointers_ == reference_.pointers; }
  Cycles repeat(const SwitchPart& part, Cycles cycle, Cycles cycles);
  void occupy(const SwitchPart& part, std::size_t output, Cycles cycle);

  // Arbitration pointers. Each pointer is stored as the set of requesters at or after it: flows for an
  // output's pointer, and outputs or flows for an input's pointers.
  std::uint64_t& granting(std::size_t output) { return pointers_[output]; }
  std::uint64_t& accepting(std::size_t input) { return pointers_[to_out_.size() + input]; }
  std::uint64_t& next_vcs(std::size_t input) { return pointers_[to_out_.size() + from_in_.size() + input]; }

  Femtoseconds period_;
  std::vector<Known> known_;  // [hash]: the last result with this hash
  Words key_;
  // State of the current part. Sets of flows or outputs are stored as bits.
  std::vector<Index> index_;  // [flow]: its input and output
  Words from_in_;             // [input]: flows
  Words to_out_;              // [output]: flows
  Words pointers_;
  bool paced_ = false;  // whether an output has a slow channel
  // State of the current cycle.
  std::uint64_t ready_ = 0;                // flows that may send
  Words granted_;                          // [input]: outputs
  std::array<Level, kMostFlows> flits_;    // [flow]
  std::array<Level, kMostFlows> credits_;  // [flow]
  // [cycle]: flows that receive flits (or credits) in the cycle and might otherwise run out of them.
  std::array<std::uint64_t, CycleMask::kMost> flits_come_{};
  std::array<std::uint64_t, CycleMask::kMost> credits_come_{};
  std::vector<Femtoseconds> next_free_;  // [output]
  Reference reference_;
  std::int64_t asked_ = 0;
  std::int64_t found_ = 0;
};

}  // namespace coppice::fabric

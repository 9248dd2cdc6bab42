#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "fabric/flits/cycle_mask.h"

namespace coppice::fabric {

// What of a router's switch one virtual channel of an input asks for in a stretch of cycles: it owns a
// virtual channel of an output, and neither heads nor tails come to its front.
struct SwitchFlow {
  std::int32_t input_vc = 0;
  std::int32_t output_vc = 0;
  int in_port = 0;
  int vc = 0;
  int out_port = 0;
  Cycles flits = 0;    // in its buffer when the stretch begins,
  Cycles credits = 0;  // and places that it knows to be free
  CycleMask arrivals;  // of flits: each may leave in its cycle
  CycleMask returns;   // of credits, likewise
  CycleMask sent{};    // the answer: the cycles in which a flit leaves
};

// The pointers of a port, before and after a stretch. An output counts its channel's time from the beginning
// of the stretch.
struct SwitchInput {
  int port = 0;
  int vc_pointer = 0;
  int accept_pointer = 0;
};
struct SwitchOutput {
  int port = 0;
  int grant_pointer = 0;
  Femtoseconds flit_time = 0;  // of a channel slower than one flit per cycle; else 0
  Femtoseconds next_free = 0;
};

// Ports of a switch whose flows have to do with each other and with no others: all in ascending order, flows
// by input port and virtual channel.
struct SwitchPart {
  std::vector<SwitchFlow> flows;
  std::vector<SwitchInput> inputs;
  std::vector<SwitchOutput> outputs;
};

// What a switch does in a stretch in which only the middles of packets move through it: the arbitration of
// Router::allocate_switch(), on nothing but counts. It remembers what it has found: parts that are in the
// same state and get the same do the same, whatever packets, ports and virtual channels they are.
class SwitchStretch {
 public:
  // Of a router with so many ports and virtual channels.
  struct Size {
    int ports;
    int vcs;
  };
  static constexpr std::size_t kMostFlows = 64;

  explicit SwitchStretch(Femtoseconds period) : period_(period), known_(kKnown) {}

  // Fills in when the flows of `part` send in the first `cycles` cycles, and moves its pointers. A part has
  // no more than kMostFlows flows.
  void run(SwitchPart& part, Cycles cycles, const Size& size);

  std::int64_t asked() const { return asked_; }
  std::int64_t found() const { return found_; }

 private:
  using Words = std::vector<std::uint64_t>;
  static constexpr std::size_t kKnown = std::size_t{1} << 14;
  struct Known {
    Words key;
    Words answer;
  };
  struct Index {
    std::uint32_t in = 0;
    std::uint32_t out = 0;
  };

  bool run_alone(SwitchPart& part, Cycles cycles);
  void look_up_indices(const SwitchPart& part);
  void write_key(const SwitchPart& part, Cycles cycles);
  void arbitrate(SwitchPart& part, Cycles cycles);
  void write_answer(const SwitchPart& part, Words& answer) const;
  void read_answer(const Words& answer, SwitchPart& part);
  void move_pointers(SwitchPart& part, const Size& size) const;

  Femtoseconds period_;
  std::vector<Known> known_;  // [hash], the last of each
  Words key_;
  // Of the part at hand: sets of its flows or outputs as bits.
  std::vector<Index> index_;            // [flow] its input and output
  std::vector<std::uint64_t> from_in_;  // [input] flows that may send,
  std::vector<std::uint64_t> to_out_;   // [output] likewise
  std::vector<std::uint64_t> grant_;    // [output] flows from its pointer on
  std::vector<std::uint64_t> accept_;   // [input] outputs from its pointer on
  std::vector<std::uint64_t> next_vc_;  // [input] flows from its pointer on
  std::vector<std::int32_t> last_in_;   // [output] the flow that came last; -1: none
  std::vector<std::int32_t> last_out_;  // [input]
  std::int64_t asked_ = 0;
  std::int64_t found_ = 0;
};

}  // namespace coppice::fabric

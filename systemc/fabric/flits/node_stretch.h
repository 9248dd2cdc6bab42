#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/router_module.h"
#include "fabric/flits/stretch_judge.h"
#include "fabric/flits/switch_stretch.h"
#include "fabric/flits/terminal_stretch.h"

namespace coppice::fabric {

// Simulates a stretch of a node in one step. During a stretch, only body flits pass through the node: no head
// is routed, no tail leaves, and no clocked event occurs. The outcome therefore depends only on numbers of
// flits (SwitchStretch), and flits arrive and leave in runs. The result is the same as if the cycles had been
// simulated one by one.
class NodeStretch {
 public:
  // Prepares stretches of the node that consists of these modules. able() is true if the modules include one
  // SystemCRouter, at most one PacketTerminal, and otherwise only modules without channels. All arguments
  // must outlive this object. `context` and `switches` are shared by the nodes of a thread.
  NodeStretch(const std::vector<FlitModule*>& modules, ArrivalCalendar& arrivals, FlitContext& context,
              SwitchStretch& switches);
  bool able() const { return able_; }

  // Advances the node from cycle `now` to at most cycle `until`, and returns the cycle reached. Returns `now`
  // if no stretch that saves time begins there.
  Cycles run(Cycles now, Cycles until);
  // The first cycle in which another attempt may save time.
  Cycles resume() const { return resume_; }
  // The number of cycles simulated in stretches.
  std::int64_t cycles() const { return cycles_; }
  // Returns the number of attempts since the last call and the work that they saved. The saving is negative
  // if simulating single flits would have cost less.
  StretchGain collect_gain() { return std::exchange(gain_, {}); }
  // Prevents stretches from beginning before cycle `until`.
  void rest(Cycles until) { resume_ = std::max(resume_, until); }

 private:
  // The maximum number of virtual channels of all inputs together, and of all outputs together.
  static constexpr std::size_t kMostVcs = 64;
  // The arrivals on a virtual channel during the stretch: flits at an input, or credits at an output.
  struct Coming {
    CycleMask flits;    // at an input: the cycles in which its flits arrive
    Flit first;         // the first flit that arrives
    Cycles at = 0;      // the cycle in which `first` arrives
    CycleMask credits;  // at an output: the cycles in which its credits arrive
  };

  PacketPool& packets() const { return context_->packets; }
  Cycles foresee(Cycles now, Cycles end);
  Cycles undisturbed(Cycles now, Cycles end) const;
  Cycles gather(Cycles now, Cycles end);
  Cycles gather_flits(int port, Cycles now, Cycles end);
  void come(std::size_t input_vc, const CycleMask& cycles, Flit first);
  void find_flows(Cycles cycles);
  void run_switch(Cycles now, Cycles cycles);
  void fill_part(std::uint64_t inputs, std::uint64_t outputs, Cycles now);
  Cycles first_to_leave(Cycles now, Cycles end) const;

  std::int64_t move(Cycles now, Cycles end);
  void move_pointers(Cycles now);
  int pass_on(const SwitchFlow& flow, Cycles now);
  void report(const SwitchFlow& flow, Cycles now);
  void collect_flits(int port, Cycles now, Cycles end);
  void buffer(std::size_t input_vc, Flit first, int flits);
  void collect_credits(Cycles now, Cycles end);
  void notify_observers();

  bool able_ = true;
  SystemCRouter* module_ = nullptr;
  PacketTerminal* terminal_ = nullptr;
  std::vector<FlitModule*> others_;
  std::unique_ptr<TerminalStretch> local_;  // nullptr if the node has no terminal
  ArrivalCalendar* arrivals_;
  FlitContext* context_;
  SwitchStretch* switches_;
  Cycles pause_ = 8;
  Cycles resume_ = 0;
  std::int64_t cycles_ = 0;
  StretchGain gain_;

  // State of the current stretch. Sets of virtual channels are stored as bits.
  std::array<Coming, kMostVcs> coming_;
  std::uint64_t flits_come_ = 0;    // input VCs at which flits arrive
  std::uint64_t credits_come_ = 0;  // output VCs at which credits arrive
  std::vector<SwitchFlow> flows_;
  SwitchPart part_;
  // [input VC]: number of flits that arrive and leave within the stretch.
  std::array<int, kMostVcs> passed_{};
  std::vector<TerminalStretch::FlitReport> reports_;
};

}  // namespace coppice::fabric

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_module.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/stretch_judge.h"
#include "fabric/wires/arrival_calendar.h"

namespace coppice::fabric {

struct FlitContext;
class NodeStretch;
class SwitchStretch;

// A node of the network, in which a router and its terminals are clocked together. The node runs only the
// cycles in which something arrives or a module has requested a step.
//
// In each cycle, the node first delivers all arrivals and then steps the modules in the order in which they
// were added.
class FlitNode : public sc_core::sc_module {
 public:
  // A callback that creates more modules inside the node during its construction.
  using Populate = std::function<void(FlitNode& node)>;

  // Creates a node that is clocked by `clock`, which must outlive the node.
  FlitNode(const sc_core::sc_module_name& name, NodeClock& clock, const Populate& populate = {});
  ~FlitNode() override;

  // Adds a module, which the node does not own; call this before the end of elaboration.
  void add(FlitModule& module);

  // Runs the cycles in [from, until) that have work. Returns the next cycle with work, or kNever if there is
  // none.
  Cycles run(Cycles from, Cycles until);
  // Requests that the modules be stepped in cycle `at`.
  void wake(Cycles at) { clock_->wake(index_, at); }
  // Reports that the activity of a module is not periodic, so that leaps are delayed.
  void disturb() { clock_->disturb(index_); }
  const std::vector<FlitModule*>& modules() const { return modules_; }
  // Postpones all arrivals at the node by `by` cycles. Call this after a leap has advanced the node's modules
  // by the same number of cycles. Returns the next cycle with work.
  Cycles shift(Cycles by);
  // Allows the node to simulate stretches in one step (NodeStretch) and to accept runs of flits from other
  // nodes.
  void stretch(FlitContext& context, SwitchStretch& switches);
  // The number of cycles simulated in stretches.
  std::int64_t stretched() const;
  // Returns the gain from stretches since the last call, for StretchJudge.
  StretchGain collect_stretch_gain();
  // Prevents new stretches before cycle `until`. Called by StretchJudge.
  void rest_from_stretches(Cycles until);

 private:
  // The module and the wire that use a calendar line, in nodes whose lines do not fit into one word.
  struct Line {
    Wire* wire;
    FlitModule* module;
    std::int32_t port;
    bool credits;
  };

  // A module and the bits of its calendar lines, in nodes whose lines fit into one word.
  struct Stand {
    FlitModule* module;
    std::uint64_t lines;
    int first;
  };

  void end_of_elaboration() override;
  void hand_over(Cycles now);
  void hand_over_by_line(Cycles now);
  Cycles wanted_by_modules() const;
  // Converts the flits and credits of runs that arrive before cycle `end` into individual arrivals.
  void spread(Cycles end);
  Cycles run_one_by_one(Cycles from, Cycles until);

  NodeClock* clock_;
  std::size_t index_;
  std::vector<FlitModule*> modules_;
  std::vector<Line> lines_;
  std::vector<Stand> stands_;
  ArrivalCalendar arrivals_;
  std::unique_ptr<NodeStretch> stretch_;
  bool runs_come_ = false;  // whether other nodes may send runs to this node
};

}  // namespace coppice::fabric

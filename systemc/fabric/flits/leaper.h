#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/repeating.h"

namespace coppice::fabric {

// Leaps over periods of a repeating network state. At the end of a quantum, compares the network with a
// reference, an earlier state. If both are equal except for times and for the progress of long messages, they
// have the same future: the network advances by all whole periods that end before the next event (the last
// flits of a message, an alarm of a network interface, a kernel event).
//
// The reference is renewed at increasing intervals, so that a period is found however long the state takes to
// become periodic (Brent's algorithm). Nodes are compared one by one, beginning with the nodes that differed
// last, so a comparison that fails usually costs only one node. The number of comparisons is limited so that
// they take only a small part of the simulation's time.
class Leaper {
 public:
  // `contexts`: the contexts of the network, one per thread; all their reports are gathered in the first.
  // They and `clock` must outlive this object, and all nodes must exist.
  Leaper(NodeClock& clock, std::vector<FlitContext*> contexts);

  // Call this at the beginning of cycle `now`. Advances the modules if possible; returns the number of cycles
  // leapt over, 0 if there was no leap.
  Cycles look(Cycles now);

  Cycles leapt() const { return leapt_; }

 private:
  // The part of a message that is transferred within a period.
  struct Progress {
    std::int64_t flits = 0;
    std::int64_t packets = 0;
  };

  std::int64_t simulated(Cycles now) const;
  void wait(Cycles now);
  void refer_to(Cycles now);
  void forget();
  void record(std::size_t node, Cycles now, StateRecord& record) const;
  bool repeats(Cycles now);
  bool same(const StateRecord& before, const StateRecord& after) const;
  bool same_packets() const;
  std::unordered_map<std::uint64_t, Progress> progress() const;
  std::int64_t periods(Cycles now) const;
  void move(Cycles now, std::int64_t periods);
  void move_packets(std::int64_t periods);
  void report_again(Cycles period, std::int64_t periods);

  NodeClock* clock_;
  std::vector<FlitContext*> contexts_;
  FlitContext* context_;  // the first context
  Femtoseconds period_;
  std::vector<std::vector<Repeating*>> modules_;  // [node]; empty if one of its modules is not Repeating
  bool able_ = true;

  std::int64_t disturbances_ = 0;  // total at the last call of look()
  Cycles patience_ = 0;            // cycles to wait after a disturbance
  Cycles resume_ = 0;              // look() compares nothing before this cycle
  std::int64_t looks_ = 0;         // number of nodes compared
  bool referring_ = false;
  Cycles reference_ = 0;
  Cycles window_ = 0;                // cycles until the reference is renewed
  std::vector<StateRecord> before_;  // [node]: state at the reference
  std::vector<StateRecord> after_;
  std::unordered_map<PacketId, Packet> packets_;  // at the reference
  std::vector<std::size_t> order_;                // nodes, beginning with those that differed last
  Cycles leapt_ = 0;
};

}  // namespace coppice::fabric

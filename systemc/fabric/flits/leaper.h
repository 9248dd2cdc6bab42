#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/repeating.h"

namespace coppice::fabric {

// Leaps over intervals in which everything that moves repeats its state. At the end of a quantum it compares
// the network with a reference, an earlier state. If both are equal except for times and for the data handed
// over of long messages, they have the same future: the network advances by the whole periods that end before
// the next event (the last flits of a message, an alarm of a network interface, a kernel event).
//
// The reference is moved up after ever longer times, so that a period is found whatever its length, after
// whatever came before it (Brent's algorithm). Nodes are compared one by one, those that differed last first:
// where nothing repeats, that costs the look at one node. It looks no more often than a small part of what is
// simulated pays for.
class Leaper {
 public:
  // The network's contexts, one per thread; the reports of the others are gathered in the first. All outlive
  // it, and all nodes exist.
  Leaper(NodeClock& clock, std::vector<FlitContext*> contexts);

  // At the beginning of cycle `now`: moves the modules on and returns by how many cycles; 0: it stays.
  Cycles look(Cycles now);

  Cycles leapt() const { return leapt_; }

 private:
  // The progress of the messages being handed over, within a period.
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
  void tell_again(Cycles period, std::int64_t periods);

  NodeClock* clock_;
  std::vector<FlitContext*> contexts_;
  FlitContext* context_;  // the first
  Femtoseconds period_;
  std::vector<std::vector<Repeating*>> modules_;  // [node]; empty where one is not Repeating
  bool able_ = true;

  std::int64_t disturbances_ = 0;  // when it looked last
  Cycles patience_ = 0;            // after a disturbance
  Cycles resume_ = 0;              // looks at nothing before
  std::int64_t looks_ = 0;         // at nodes
  bool referring_ = false;
  Cycles reference_ = 0;
  Cycles window_ = 0;                // until the reference moves up
  std::vector<StateRecord> before_;  // [node], of the reference
  std::vector<StateRecord> after_;
  std::unordered_map<PacketId, Packet> packets_;  // of the reference
  std::vector<std::size_t> order_;                // of nodes, those that differed last first
  Cycles leapt_ = 0;
};

}  // namespace coppice::fabric

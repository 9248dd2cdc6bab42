#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "fabric/flits/flit_context.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/repeating.h"

namespace coppice::fabric {

// Leaps over periods in which the state of the network repeats. At the end of a quantum, it compares the
// network's state with an earlier state, the reference. If the two states differ only in absolute times and
// in the progress of long messages, the network would repeat the period between them. It is therefore
// advanced by all whole periods that end before the next event: the last flits of a message, an alarm of a
// network interface, or a kernel event.
//
// The reference is renewed at increasing intervals (Brent's algorithm), so that a period is found regardless
// of how long the state takes to become periodic. Nodes are compared one by one, beginning with the nodes
// that differed in the last comparison, so most failed comparisons examine only one node. The number of
// comparisons is limited so that they take only a small part of the simulation's run time.
class Leaper {
 public:
  // `contexts` contains the network's contexts, one per thread; the first one collects the reports of all
  // threads. The contexts and `clock` must outlive this object. All nodes must already exist.
  Leaper(NodeClock& clock, std::vector<FlitContext*> contexts);

  // Compares the network with the reference and leaps if possible. Call this at the beginning of cycle `now`.
  // Returns the number of cycles leapt over; 0 if there was no leap.
  Cycles look(Cycles now);

  Cycles leapt() const { return leapt_; }

 private:
  // The number of flits and packets of a message that are transferred in one period.
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
  FlitContext* context_;  // context of the first thread
  Femtoseconds period_;
  std::vector<std::vector<Repeating*>> modules_;  // [node]; empty if one of its modules is not Repeating
  bool able_ = true;

  std::int64_t disturbances_ = 0;  // number of disturbances at the last call of look()
  Cycles patience_ = 0;            // number of cycles to wait after a disturbance
  Cycles resume_ = 0;              // look() compares nothing before this cycle
  std::int64_t looks_ = 0;         // number of nodes compared
  bool referring_ = false;
  Cycles reference_ = 0;
  Cycles window_ = 0;                // number of cycles until the reference is renewed
  std::vector<StateRecord> before_;  // [node]: state of the node at the reference
  std::vector<StateRecord> after_;
  std::unordered_map<PacketId, Packet> packets_;  // packets in flight at the reference
  std::vector<std::size_t> order_;                // nodes, beginning with those that differed last
  Cycles leapt_ = 0;
};

}  // namespace coppice::fabric

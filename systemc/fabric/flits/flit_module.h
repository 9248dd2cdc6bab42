#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "base/units.h"
#include "fabric/flit.h"
#include "fabric/flits/port_set.h"
#include "fabric/wires/channel.h"

namespace coppice::fabric {

class FlitNode;

// A module that receives and sends flits: a router or a terminal, in SystemC or Verilog, or your own. It is
// clocked by the node to which it is added (FlitNode::add()).
//
// In a cycle, the node calls receive_flit() and receive_credit() for everything that arrives, and then step()
// unless next() is later. The module sends with wire_out(port).send(flit, vc, leaves) and frees slots with
// wire_in(port).return_credit(vc, leaves), where `leaves` is the current cycle plus the module's own delay.
class FlitModule : public sc_core::sc_module {
 public:
  // An input receives flits and returns credits; an output sends flits and receives credits. Each is bound to
  // one end of a Channel.
  template <typename Interface>
  using Port = sc_core::sc_port<Interface, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  sc_core::sc_vector<Port<FlitReceiveIf>> in;
  sc_core::sc_vector<Port<FlitSendIf>> out;

  FlitModule(const sc_core::sc_module_name& name, int inputs, int outputs);

  // In cycle `now`, a flit arrived from the channel at in[port], or a credit from the channel at out[port].
  virtual void receive_flit(int port, int vc, Flit flit, Cycles now) = 0;
  virtual void receive_credit(int port, int vc, Cycles now) = 0;
  // Processes all arrivals of cycle `now` if the node has at most 64 calendar lines. Bit i of `lines` is
  // in[i]; credit bits follow, one per output or, if reported separately, per output and virtual channel. To
  // save virtual calls, override this function and call receive_arrivals() with the module's own class.
  virtual void arrive(std::uint64_t lines, Cycles now) { receive_arrivals(*this, lines, now); }
  // Runs one cycle after all its arrivals; calls set_next().
  virtual void step(Cycles now) = 0;

  // The next cycle in which the module must be stepped even if nothing arrives; kNever if there is none.
  Cycles next() const { return next_; }
  // The last cycle in which the module moved a flit.
  Cycles last_movement() const { return last_movement_; }

  // Called by the node that clocks this module. The first function sets that node; the second, called at the
  // end of elaboration, fetches the wires behind the ports. Throws ModelError naming an unbound port.
  void join(FlitNode& node) { node_ = &node; }
  void fetch_wires();
  // The number of calendar lines that the module needs. `waiting`: whether flits and credits on short wires
  // wait in the calendar, where each virtual channel's credits have their own line.
  int lines(bool waiting) const;
  int columns() const;  // number of columns for waiting flits
  void attach(ArrivalCalendar& calendar, int first_line, int first_column, Cycles& due, bool waiting);
  Wire& wire_in(int port) { return *in_wires_[static_cast<std::size_t>(port)]; }
  Wire& wire_out(int port) { return *out_wires_[static_cast<std::size_t>(port)]; }
  // The wires of all outputs, by port; empty until they are fetched.
  const std::vector<Wire*>& wires_out() const { return out_wires_; }

  // For leaps (repeating.h): the next step and the last movement.
  template <typename Visitor>
  void visit_clocking(Visitor& visitor) {
    visitor.time(next_);
    visitor.counter(last_movement_);
  }

 protected:
  // Passes the arrivals on `lines`, at least one on each, to receive_flit() and receive_credit() of `module`.
  template <typename Module>
  void receive_arrivals(Module& module, std::uint64_t lines, Cycles now) {
    for (std::uint64_t left = lines & flit_lines_; left != 0; left &= left - 1) {
      const int port = lowest_bit(left);
      const int column = columns_[static_cast<std::size_t>(port)];
      if (column >= 0) {
        const ArrivingFlits::Arrival arrival = arrivals_->flit(now, column);
        module.receive_flit(port, static_cast<int>(arrival.vc), ArrivingFlits::flit_of(arrival), now);
        continue;
      }
      Wire& wire = wire_in(port);
      do {
        const TimedFlit arrival = wire.pop_flit();
        module.receive_flit(port, arrival.stamp.vc(), arrival.flit, now);
      } while (wire.has_flit(now));
    }
    const std::uint64_t credits = lines & ~flit_lines_;
    if (credits == 0) return;
    for (std::uint64_t left = credits >> in_wires_.size(); left != 0; left &= left - 1) {
      const CreditLine line = credit_lines_[static_cast<std::size_t>(lowest_bit(left))];
      if (line.vc >= 0) {
        module.receive_credit(line.port, line.vc, now);
        continue;
      }
      Wire& wire = wire_out(line.port);
      do {
        module.receive_credit(line.port, wire.pop_credit(), now);
      } while (wire.has_credit(now));
    }
  }
  void set_next(Cycles at) { next_ = at; }
  // Requests a step in cycle `at`, which must not have ended.
  void want(Cycles at) {
    if (at < next_) next_ = at;
  }
  // Like want(), but for calls from outside the node's cycles: from a process, or before the simulation.
  void wake(Cycles at);
  void moved(Cycles now) { last_movement_ = now; }
  // Marks this cycle's activity as not periodic, which delays leaps.
  void disturb();

 private:
  struct CreditLine {
    std::int16_t port;
    std::int16_t vc;  // -1: all virtual channels
  };

  void start_of_simulation() override;

  Cycles next_ = kNever;
  Cycles last_movement_ = 0;
  FlitNode* node_ = nullptr;
  std::uint64_t flit_lines_ = 0;  // one bit per input
  std::vector<Wire*> in_wires_;
  std::vector<Wire*> out_wires_;
  ArrivalCalendar* arrivals_ = nullptr;
  std::vector<std::int16_t> columns_;  // [in]: -1 if flits do not wait in the calendar
  std::vector<CreditLine> credit_lines_;
};

}  // namespace coppice::fabric

#pragma once

#include <string>
#include <systemc>

#include "base/statistics.h"
#include "base/units.h"
#include "fabric/wires/wire.h"

namespace coppice::fabric {

// The sender's view of a channel: it sends flits and receives credits.
class FlitSendIf : public virtual sc_core::sc_interface {
 public:
  // Called once, at the end of elaboration, to obtain the wire; later accesses bypass the channel.
  virtual Wire& wire() = 0;
};

// The receiver's view of a channel: it receives flits and returns credits.
class FlitReceiveIf : public virtual sc_core::sc_interface {
 public:
  virtual Wire& wire() = 0;
};

// A channel from one module to another. The sender's port must be bound to `sender` and the receiver's port
// to `receiver`. A flit that leaves in cycle c has completely arrived in cycle c + flit_latency. A credit
// takes the channel's latency plus the time that its receiver needs to count it. Throws ModelError at the
// start of simulation unless each end is bound to exactly one module.
class Channel final : public sc_core::sc_module, public StatisticsOwner {
 public:
  sc_core::sc_export<FlitSendIf> sender{"sender"};
  sc_core::sc_export<FlitReceiveIf> receiver{"receiver"};

  // The latencies of flits and credits are in cycles; `vcs` has the same meaning as for Wire.
  Channel(const sc_core::sc_module_name& name, Cycles flit_latency, Cycles credit_latency, int vcs = 0);

  Wire& wire() { return wire_; }
  const Wire& wire() const { return wire_; }
  void read_statistics(const Reader& read) const override {
    read({"channel", "flits", "", "Flits sent on the channel; injection and ejection channels are included."},
         static_cast<double>(wire_.flits_sent()));
  }

 private:
  // An end of the channel, to which one port can be bound.
  template <typename Interface>
  class End final : public Interface {
   public:
    End(const Channel& channel, Wire& wire, const char* name)
        : channel_(&channel), wire_(&wire), name_(name) {}
    Wire& wire() override { return *wire_; }
    void register_port(sc_core::sc_port_base& port, const char* /*type*/) override {
      channel_->bind_end(first_, port.name(), name_);
    }
    const std::string& bound_to() const { return first_; }

   private:
    const Channel* channel_;
    Wire* wire_;
    const char* name_;
    std::string first_;
  };

  void bind_end(std::string& first, const char* port, const char* end) const;
  void start_of_simulation() override;

  Wire wire_;
  End<FlitSendIf> sending_{*this, wire_, "sender"};
  End<FlitReceiveIf> receiving_{*this, wire_, "receiver"};
};

}  // namespace coppice::fabric

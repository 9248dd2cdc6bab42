#pragma once

#include <string>

#include "ni/command_decoder.h"
#include "topology/topology.h"

namespace coppice::ni {

// The side that the rest of a system sees of a network interface, in SystemC or in Verilog.
class Interface {
 public:
  virtual ~Interface() = default;

  virtual topology::NodeId node() const = 0;
  virtual int num_ports() const = 0;
  // Every entry has issued.
  virtual bool finished() const = 0;
  // Per unfinished port: the entry at its head and what it waits for. For deadlock reports.
  virtual std::string describe_waiting(Cycles now) const = 0;
  // For when all has arrived, before memory is read: writes what still waits for an adder. Verilog is clocked
  // until nothing does.
  virtual void settle() {}

  // The state that an observer sees of a port in cycle `now`.
  struct PortView {
    DecoderState state;
    std::int32_t timestep;
    Cycles lockstep;
    std::int64_t issued;
  };
  virtual PortView view(int port, Cycles now) const = 0;
};

}  // namespace coppice::ni

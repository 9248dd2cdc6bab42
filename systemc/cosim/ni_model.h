#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cosim/ni_signals.h"

namespace coppice::cosim {

// rtl/ni/network_interface.v, Verilated with one context. The plain C++ interface is necessary because a
// translation unit cannot include both SystemC and Verilator headers.
class NiModel {
 public:
  NiModel() = default;
  virtual ~NiModel() = default;
  NiModel(const NiModel&) = delete;
  NiModel& operator=(const NiModel&) = delete;

  // Loads the tables and then starts them with start(). Call these functions before the first cycle.
  virtual void load(int port, std::uint32_t index, const NiLine& line) = 0;
  virtual void start(std::span<const NiTableSize> sizes) = 0;

  // Sets the inputs of the next cycle.
  virtual void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) = 0;
  virtual void put_credit(int port, int vc) = 0;

  // The outputs of a cycle.
  struct Outcome : NiOutcome {
    unsigned issued = 0;   // one bit per port, set if an entry has issued
    unsigned holding = 0;  // one bit per port, set if an entry waits for its lockstep
    // The release time of each port's lockstep, modulo 2^32, if the port is holding or has issued.
    std::array<std::uint32_t, kPorts> release{};
  };
  virtual Outcome step(std::int64_t now) = 0;

  // The counters of a port after the last cycle.
  struct PortView {
    std::uint32_t state;
    std::uint32_t timestep;
    std::uint32_t issued;
    std::uint32_t release;  // in cycles, modulo 2^32
  };
  virtual PortView view(int port) const = 0;
};

}  // namespace coppice::cosim

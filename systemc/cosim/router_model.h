#pragma once

#include <cstdint>

#include "cosim/ni_signals.h"

namespace coppice::cosim {

// The widths and capacities of the Verilated router.
struct RouterLimits {
  static constexpr int kPorts = 8;
  static constexpr int kVcs = 4;
  static constexpr int kMostDepth = 512;
};

// rtl/router/router.v, Verilated. Like NiModel, it has a plain C++ interface.
class RouterModel {
 public:
  RouterModel() = default;
  virtual ~RouterModel() = default;
  RouterModel(const RouterModel&) = delete;
  RouterModel& operator=(const RouterModel&) = delete;

  // Sets the inputs of the next cycle.
  virtual void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) = 0;
  virtual void put_credit(int port, int vc) = 0;

  // The outputs of a cycle.
  struct Outcome {
    // Bit port * kVcs + virtual channel is set if a slot of this input buffer was freed.
    std::uint32_t freed = 0;
    std::uint32_t sent = 0;  // one bit per output port, set if it sent a flit
  };
  virtual Outcome step() = 0;
  // The flit that output `port` sent in the last step().
  struct Flit {
    int vc;
    bool head;
    bool tail;
    FlitBits bits;
  };
  virtual const Flit& flit(int port) const = 0;
};

}  // namespace coppice::cosim

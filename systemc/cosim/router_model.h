#pragma once

#include <cstdint>
#include <memory>

#include "cosim/ni_model.h"

// rtl/router/router.v, Verilated, behind plain C++, as NiModel is.
namespace coppice::cosim {

// Widths and capacities of the Verilated instance.
struct RouterLimits {
  static constexpr int kPorts = 8;
  static constexpr int kVcs = 4;
  static constexpr int kMostDepth = 512;
};

class RouterModel {
 public:
  // `credits`: places of every virtual channel downstream.
  explicit RouterModel(int credits);
  ~RouterModel();
  RouterModel(const RouterModel&) = delete;
  RouterModel& operator=(const RouterModel&) = delete;

  // Inputs of the cycle to come.
  void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits);
  void put_credit(int port, int vc);

  // What a cycle did.
  struct Outcome {
    std::uint32_t freed = 0;  // bit per port * kVcs + virtual channel: a place of the input is free
    std::uint32_t sent = 0;   // bit per output port
  };
  Outcome step();
  // What output port `port` sent in the last step().
  struct Flit {
    int vc;
    bool head;
    bool tail;
    FlitBits bits;
  };
  const Flit& flit(int port) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::cosim

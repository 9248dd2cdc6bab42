#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "cosim/ni_signals.h"

// rtl/ni/network_interface.v, Verilated, behind plain C++: neither SystemC nor Verilator's headers are needed
// to use it, which must not meet in one translation unit.
namespace coppice::cosim {

// What a head flit has of a collective and of its flow: with one context there is no collective's id.
struct HeadLayout {
  int flow_bits;
  int id_bits;
};
inline constexpr HeadLayout kOneContext{NiLimits::kFlowBits, 0};

// A head flit's fields.
struct NiHead {
  bool add = false;
  std::uint32_t flow = 0;
  std::uint32_t id = 0;
  std::uint32_t address = 0;
  std::uint32_t words = 0;
  std::uint32_t source = 0;    // node * ports + port
  std::uint32_t sequence = 0;  // of the message, at its source port
  std::uint32_t packets = 0;
  std::uint64_t route = 0;
};
FlitBits encode(const NiHead& head, const HeadLayout& layout = kOneContext);
NiHead decode(const FlitBits& flit, const HeadLayout& layout = kOneContext);

// Of one context.
class NiModel {
 public:
  // `wave_path`: an FST of every signal is written there; empty: none.
  NiModel(const NiSettings& settings, WordMemory& memory, const std::string& wave_path);
  ~NiModel();
  NiModel(const NiModel&) = delete;
  NiModel& operator=(const NiModel&) = delete;

  // Before the first cycle: the tables, then start().
  void load(int port, std::uint32_t index, const NiLine& line);
  void start(std::span<const NiTableSize> sizes);

  // Inputs of the cycle to come.
  void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits);
  void put_credit(int port, int vc);

  // What a cycle did.
  struct Outcome : NiOutcome {
    unsigned issued = 0;                          // bit per port: an entry issued
    unsigned holding = 0;                         // bit per port: waits for its lockstep
    std::array<std::uint32_t, kPorts> release{};  // of the lockstep, modulo 2^32, where it holds or issued
  };
  Outcome step(std::int64_t now);

  // As the last cycle left them.
  struct PortView {
    std::uint32_t state;
    std::uint32_t timestep;
    std::uint32_t issued;
    std::uint32_t release;  // cycle, modulo 2^32
  };
  PortView view(int port) const;

 private:
  class Impl;
  // Of the network interface as it has been Verilated for waves, or, faster, without.
  template <typename Rtl>
  class ImplOf;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::cosim

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cosim/ni_head.h"
#include "cosim/ni_model.h"

namespace coppice::cosim {

// Limits of the Verilated instance with several contexts; only those that differ from NiLimits are listed.
// The flow field of a head flit holds both the flow and the ID of the collective.
struct NiContextsLimits {
  static constexpr int kContexts = 8;
  static constexpr int kLines = 256;  // lines of each port's table in a context
  static constexpr int kFlows = 64;
  static constexpr int kFlowBits = 8;
  static constexpr int kIdBits = 7;
  static constexpr int kArrivalBits = 16;
  static constexpr int kPriorityBits = 8;
};
inline constexpr HeadLayout kSeveralContexts{NiContextsLimits::kFlowBits, NiContextsLimits::kIdBits};

// A collective for which a context is opened.
struct NiCollective {
  std::uint32_t id = 0;
  std::uint32_t base = 0;  // start of the collective's buffer, in words
  std::uint32_t arrivals = 0;
  int priority = 0;
  // The differences between one iteration of the tables and the next iteration.
  std::uint32_t flow_stride = 0;
  std::uint32_t address_stride = 0;  // words
  std::uint32_t step_stride = 0;
};

enum class NiOrder : std::uint8_t { kInTurns, kByPriority, kFirstToStart };

// rtl/ni/network_interface.v, Verilated with several contexts. It corresponds to NiModel. Inputs take effect
// in the next cycle, which step() or clock() simulates.
class NiContextsModel {
 public:
  static constexpr int kContexts = NiContextsLimits::kContexts;

  NiContextsModel() = default;
  virtual ~NiContextsModel() = default;
  NiContextsModel(const NiContextsModel&) = delete;
  NiContextsModel& operator=(const NiContextsModel&) = delete;

  // In each cycle, load() may be called once, and commit() for one context. If the tables of all contexts are
  // empty, commit() may be called for several contexts.
  virtual void load(int context, int port, std::uint32_t index, const NiLine& line) = 0;
  virtual void commit(int context, std::span<const NiTableSize> sizes) = 0;
  virtual void open(int context, const NiCollective& collective) = 0;
  // Takes effect in the next step(). Several contexts start in the order in which this function is called.
  virtual void start(int context) = 0;
  virtual void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) = 0;
  virtual void put_credit(int port, int vc) = 0;

  // Simulates a cycle before the start of the simulation.
  virtual void clock() = 0;

  struct Outcome : NiOutcome {
    std::array<int, kPorts> issued{-1, -1, -1, -1};  // [port]: context whose entry issued; -1 if none did
    // The release time of that context's lockstep as it was before the issue, modulo 2^32.
    std::array<std::uint32_t, kPorts> release{};
    unsigned done = 0;  // one bit per context, set when the context has ended
    bool stray = false;
    bool holding = false;            // whether an entry waits for its lockstep release
    std::uint32_t next_release = 0;  // the earliest release time of such an entry, modulo 2^32
  };
  virtual Outcome step(std::int64_t now) = 0;

  // Returns the counters of a port after the last cycle.
  virtual NiModel::PortView view(int port, int context) const = 0;
};

}  // namespace coppice::cosim

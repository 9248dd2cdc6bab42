#pragma once

#include <array>
#include <cstdint>

// The inputs and outputs of a Verilated network interface, as plain C++ types.
namespace coppice::cosim {

inline constexpr int kPorts = 4;
inline constexpr int kVcs = 4;
inline constexpr int kLanes = 4;  // number of 4-byte words in a flit

using FlitBits = std::array<std::uint32_t, kLanes>;

// The widths and capacities of the Verilated instance: the defaults of network_interface.v, but with larger
// tables.
struct NiLimits {
  static constexpr int kLines = 1024;        // lines of each port's table
  static constexpr int kIterationBits = 10;  // number of iterations of a table
  static constexpr int kTotalBits = 16;      // number of entries in all iterations together
  static constexpr int kFlows = 256;
  static constexpr int kFlowBits = 10;
  static constexpr int kCountBits = 10;
  static constexpr int kStepBits = 16;
  static constexpr int kAddressBits = 24;  // addresses in words
  static constexpr int kLengthBits = 20;   // lengths in words
  static constexpr int kFlitsBits = 24;
  static constexpr int kPacketsBits = 14;
  static constexpr int kSourceBits = 10;
  static constexpr int kHops = 6;
  static constexpr int kHopPortBits = 3;
  static constexpr int kHopVcBits = 2;
  static constexpr int kRouteBits = kHops * (kHopPortBits + 2 * kHopVcBits);
  static constexpr int kSequenceBits = 2;
  static constexpr int kCreditBits = 10;
  static constexpr int kBuffer = 16;  // number of flits between DMA and injection
  static constexpr int kReductionLatency = 4;
};

// A line of a port's table in the form that the RTL uses. It represents an entry in iterations `first` to
// `end` - 1. Flow, step and address are truncated to the widths of their fields.
struct NiLine {
  std::uint32_t op = 0;  // 0: store at the receiver, 1: reduce, 2: nop
  std::uint32_t flow = 0;
  std::uint32_t dependencies = 0;
  std::uint32_t step = 0;
  std::uint32_t address = 0;  // words
  std::uint32_t words = 0;    // words of data
  std::uint32_t total = 0;    // number of words including padding
  std::uint32_t flits = 0;
  std::uint32_t packets = 0;
  std::uint64_t route = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 1;
};

// The size of a port's table: the number of lines per iteration, and the number of entries in all iterations
// together.
struct NiTableSize {
  std::uint32_t lines = 0;
  std::uint32_t entries = 0;
};

// The gradient buffer of an accelerator, which is accessed in flits of kLanes words that begin with the word
// at `address`. Bit i of `lanes` enables writing word i.
class WordMemory {
 public:
  virtual FlitBits read(std::uint32_t address) = 0;
  virtual void write(std::uint32_t address, unsigned lanes, const FlitBits& words) = 0;

 protected:
  ~WordMemory() = default;
};

struct NiSettings {
  bool lockstep = true;
  std::uint32_t absorbs = 0;        // number of flits
  std::uint32_t dma_latency = 4;    // number of cycles
  std::uint32_t payload_words = 0;  // 0 selects message-based flow control
  std::uint32_t source = 0;         // number of port 0; the numbers of the following ports are consecutive
  std::uint32_t credits = 0;        // credits of each virtual channel
  int vcs = kVcs;
  // The differences between one iteration of the tables and the next iteration.
  std::uint32_t flow_stride = 0;
  std::uint32_t address_stride = 0;  // words
  std::uint32_t step_stride = 0;
};

struct NiFlit {
  int port;
  int vc;
  bool head;
  bool tail;
  FlitBits bits;
};
// The outputs of a cycle that are common to network interfaces with any number of contexts.
struct NiOutcome {
  std::array<NiFlit, kPorts> flits;
  int num_flits = 0;
  unsigned arrived = 0;  // one bit per port, set if the last tail of a message arrived
  bool busy = false;     // whether the next cycle must be simulated
  bool overflow = false;
  bool credits_as_taken = true;  // whether exactly one credit was returned for each flit that arrived
};

}  // namespace coppice::cosim

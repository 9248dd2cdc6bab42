#pragma once

#include <array>
#include <cstdint>

// The inputs and outputs of a Verilated network interface, in plain C++.
namespace coppice::cosim {

inline constexpr int kPorts = 4;
inline constexpr int kVcs = 4;
inline constexpr int kLanes = 4;  // words of 4 bytes in a flit

using FlitBits = std::array<std::uint32_t, kLanes>;

// Widths and capacities of the Verilated instance: the defaults of network_interface.v, with larger tables.
struct NiLimits {
  static constexpr int kLines = 1024;        // of a port's table
  static constexpr int kIterationBits = 10;  // per table
  static constexpr int kTotalBits = 16;      // entries of all iterations together
  static constexpr int kFlows = 256;
  static constexpr int kFlowBits = 10;
  static constexpr int kCountBits = 10;
  static constexpr int kStepBits = 16;
  static constexpr int kAddressBits = 24;  // words
  static constexpr int kLengthBits = 20;   // words
  static constexpr int kFlitsBits = 24;
  static constexpr int kPacketsBits = 14;
  static constexpr int kSourceBits = 10;
  static constexpr int kHops = 6;
  static constexpr int kHopPortBits = 3;
  static constexpr int kHopVcBits = 2;
  static constexpr int kRouteBits = kHops * (kHopPortBits + 2 * kHopVcBits);
  static constexpr int kSequenceBits = 2;
  static constexpr int kCreditBits = 10;
  static constexpr int kBuffer = 16;  // flits between DMA and injection
  static constexpr int kReductionLatency = 4;
};

// A line of a port's table in the RTL's form: an entry in iterations `first` to `end` - 1, with its flow,
// step and address modulo their fields' widths.
struct NiLine {
  std::uint32_t op = 0;  // 0: store at the receiver, 1: reduce, 2: nop
  std::uint32_t flow = 0;
  std::uint32_t dependencies = 0;
  std::uint32_t step = 0;
  std::uint32_t address = 0;  // words
  std::uint32_t words = 0;    // words of data
  std::uint32_t total = 0;    // words including padding
  std::uint32_t flits = 0;
  std::uint32_t packets = 0;
  std::uint64_t route = 0;
  std::uint32_t first = 0;
  std::uint32_t end = 1;
};

// The size of a port's table: lines per iteration, and entries of all iterations together.
struct NiTableSize {
  std::uint32_t lines = 0;
  std::uint32_t entries = 0;
};

// An accelerator's gradient buffer, accessed in flits of kLanes words, beginning with the word at `address`;
// bit i of `lanes` enables the write of word i.
class WordMemory {
 public:
  virtual FlitBits read(std::uint32_t address) = 0;
  virtual void write(std::uint32_t address, unsigned lanes, const FlitBits& words) = 0;

 protected:
  ~WordMemory() = default;
};

struct NiSettings {
  bool lockstep = true;
  std::uint32_t absorbs = 0;        // flits
  std::uint32_t dma_latency = 4;    // cycles
  std::uint32_t payload_words = 0;  // 0: message-based
  std::uint32_t source = 0;         // number of port 0; the other ports have the following numbers
  std::uint32_t credits = 0;        // for each virtual channel that exists
  int vcs = kVcs;
  // The differences between one iteration of the tables and the next.
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
// The outputs of a cycle, for any number of contexts.
struct NiOutcome {
  std::array<NiFlit, kPorts> flits;
  int num_flits = 0;
  unsigned arrived = 0;  // one bit per port: a message's last tail arrived
  bool busy = false;     // whether the next cycle must be run
  bool overflow = false;
  bool credits_as_taken = true;  // whether credits were returned for exactly the flits that arrived
};

}  // namespace coppice::cosim

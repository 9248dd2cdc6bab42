#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include <verilated.h>
#include <verilated_fst_c.h>

#include "cosim/bit_fields.h"
#include "cosim/ni_signals.h"
#include "cosim/verilated/coverage.h"

namespace coppice::cosim {

inline constexpr unsigned kWaitLockstep = 1;  // a state of the decoder

// Writes every signal of a block to an FST file if `path` is not empty. The block must have been Verilated
// for waveforms: in newer versions of Verilator, trace() aborts for any other block.
template <typename Rtl>
class Wave {
 public:
  void open(VerilatedContext& /*context*/, Rtl& /*rtl*/, const std::string& /*path*/) {}
  void dump(std::int64_t /*time*/) {}
};
template <typename Rtl>
requires requires(Rtl& rtl, VerilatedFstC& file) {
  rtl.trace(&file, 1);
}
class Wave<Rtl> {
 public:
  void open(VerilatedContext& context, Rtl& rtl, const std::string& path) {
    if (path.empty()) return;
    constexpr int kAllLevels = 99;
    context.traceEverOn(true);
    rtl.trace(&file_, kAllLevels);
    file_.open(path.c_str());
  }
  void dump(std::int64_t time) {
    if (file_.isOpen()) file_.dump(static_cast<std::uint64_t>(time));
  }

 private:
  VerilatedFstC file_;
};

// The environment of a Verilated network interface with one or more contexts: its clock, the gradient buffers
// with their DMA latency, and the flits and credits of its ports. Do not include this file together with
// SystemC.
template <typename Rtl>
class NiHarness {
 public:
  // `wave_path` names the FST file; used only if the block was Verilated for waveforms.
  NiHarness(const NiSettings& settings, WordMemory& memory, const std::string& wave_path)
      : settings_(settings), memory_(&memory), rtl_(&context_, "ni") {
    wave_.open(context_, rtl_, wave_path);
    rtl_.clk_i = 0;
    rtl_.now_i = 0;
    rtl_.load_valid_i = 0;
    rtl_.start_i = 0;
    rtl_.flit_valid_i = 0;
    rtl_.credit_i = 0;
    rtl_.dma_data_valid_i = 0;
    rtl_.lockstep_i = settings.lockstep;
    rtl_.absorbs_i = settings.absorbs;
    rtl_.dma_latency_i = settings.dma_latency;
    rtl_.payload_words_i =
        settings.payload_words == 0 ? (1U << NiLimits::kLengthBits) - kLanes : settings.payload_words;
    rtl_.source_i = 0;
    for (unsigned port = 0; port < kPorts; ++port) {
      rtl_.source_i |= std::uint64_t{settings.source + port} << (port * NiLimits::kSourceBits);
    }
    rtl_.credits_i = 0;
    for (int vc = 0; vc < settings.vcs; ++vc) {
      rtl_.credits_i |= std::uint64_t{settings.credits} << (vc * NiLimits::kCreditBits);
    }
  }
  NiHarness(const NiHarness&) = delete;
  NiHarness& operator=(const NiHarness&) = delete;
  ~NiHarness() {
    rtl_.final();
    write_coverage(context_);
  }

  Rtl& rtl() { return rtl_; }
  const Rtl& rtl() const { return rtl_; }

  // Call this after setting all other inputs.
  void reset() {
    rtl_.rst_ni = 0;
    clock();
    rtl_.rst_ni = 1;
  }
  // Simulates a cycle before the start of the simulation.
  void clock() {
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.clk_i = 0;
    rtl_.eval();
  }

  void put_line(const NiLine& line, int flow_bits) {
    Fields fields(rtl_.load_line_i);
    fields.put(line.op, 2);
    fields.put(line.flow, static_cast<unsigned>(flow_bits));
    fields.put(line.dependencies, NiLimits::kCountBits);
    fields.put(line.step, NiLimits::kStepBits);
    fields.put(line.address, NiLimits::kAddressBits);
    fields.put(line.words, NiLimits::kLengthBits);
    fields.put(line.total, NiLimits::kLengthBits);
    fields.put(line.flits, NiLimits::kFlitsBits);
    fields.put(line.packets, NiLimits::kPacketsBits);
    fields.put(line.route, NiLimits::kRouteBits);
    fields.put(line.first, NiLimits::kIterationBits);
    fields.put(line.end, NiLimits::kIterationBits);
  }
  void put_sizes(std::span<const NiTableSize> sizes, int lines_bits) {
    rtl_.lines_i = 0;
    rtl_.count_i = 0;
    for (std::size_t port = 0; port < sizes.size(); ++port) {
      rtl_.lines_i |= std::uint64_t{sizes[port].lines} << (port * static_cast<unsigned>(lines_bits));
      rtl_.count_i |= std::uint64_t{sizes[port].entries} << (port * NiLimits::kTotalBits);
    }
  }

  void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) {
    const auto bit = static_cast<CData>(1U << port);
    rtl_.flit_valid_i |= bit;
    rtl_.flit_head_i = static_cast<CData>(head ? rtl_.flit_head_i | bit : rtl_.flit_head_i & ~bit);
    rtl_.flit_tail_i = static_cast<CData>(tail ? rtl_.flit_tail_i | bit : rtl_.flit_tail_i & ~bit);
    const int at = 2 * port;
    rtl_.flit_vc_i = static_cast<CData>((rtl_.flit_vc_i & ~(3U << at)) | (static_cast<unsigned>(vc) << at));
    for (int lane = 0; lane < kLanes; ++lane)
      rtl_.flit_i[static_cast<std::size_t>(port * kLanes + lane)] = bits[static_cast<std::size_t>(lane)];
    taken_ |= 1U << (port * kVcs + vc);
  }
  void put_credit(int port, int vc) { rtl_.credit_i |= static_cast<SData>(1U << (port * kVcs + vc)); }

  // Begins a cycle. Afterwards, the outputs of the cycle are available. `outcome` receives those that
  // are common to all kinds of network interfaces.
  void begin(std::int64_t now, NiOutcome& outcome) {
    rtl_.now_i = static_cast<IData>(now);
    send_dma_data(now);
    rtl_.clk_i = 1;
    rtl_.eval();
    wave_.dump(2 * now);
    collect_flits(outcome);
    outcome.arrived = rtl_.arrived_o;
    outcome.busy = rtl_.busy_o;
    outcome.overflow = rtl_.overflow_o != 0;
    outcome.credits_as_taken = rtl_.credit_o == taken_;
    taken_ = 0;
  }
  // Ends the cycle. Call this after reading the outputs and before setting inputs for the next cycle.
  void end(std::int64_t now) {
    access_memory(now);
    rtl_.clk_i = 0;
    rtl_.eval();
    wave_.dump(2 * now + 1);
    rtl_.flit_valid_i = 0;
    rtl_.credit_i = 0;
    rtl_.dma_data_valid_i = 0;
  }

 private:
  struct Response {
    std::int64_t at;
    unsigned port;
    FlitBits words;
  };

  void send_dma_data(std::int64_t now) {
    while (!responses_.empty() && responses_.front().at <= now) {
      const Response& response = responses_.front();
      rtl_.dma_data_valid_i |= static_cast<CData>(1U << response.port);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        rtl_.dma_data_i[response.port * kLanes + lane] = response.words[lane];
      }
      responses_.pop_front();
    }
  }

  void collect_flits(NiOutcome& outcome) {
    for_each_bit(rtl_.flit_valid_o, [&](unsigned port) {
      NiFlit& flit = outcome.flits[static_cast<std::size_t>(outcome.num_flits++)];
      flit.port = static_cast<int>(port);
      flit.vc = (rtl_.flit_vc_o >> (2 * port)) & 3;
      flit.head = (rtl_.flit_head_o >> port) & 1;
      flit.tail = (rtl_.flit_tail_o >> port) & 1;
      for (unsigned lane = 0; lane < kLanes; ++lane) flit.bits[lane] = rtl_.flit_o[port * kLanes + lane];
    });
  }

  // Reads return data that was written in earlier cycles.
  void access_memory(std::int64_t now) {
    for_each_bit(rtl_.dma_valid_o, [&](unsigned port) {
      responses_.push_back(
          {now + settings_.dma_latency - 1, port, memory_->read(address(rtl_.dma_address_o, port))});
    });
    for_each_bit(rtl_.read_valid_o, [&](unsigned port) {
      const FlitBits words = memory_->read(address(rtl_.read_address_o, port));
      for (unsigned lane = 0; lane < kLanes; ++lane) rtl_.read_data_i[port * kLanes + lane] = words[lane];
    });
    // If a port both adds and stores, the sum is written first because it is older.
    for_each_bit(rtl_.sum_valid_o | rtl_.store_valid_o, [&](unsigned port) {
      if ((rtl_.sum_valid_o >> port) & 1) write(port, rtl_.sum_address_o, rtl_.sum_lanes_o, rtl_.sum_data_o);
      if ((rtl_.store_valid_o >> port) & 1) {
        write(port, rtl_.store_address_o, rtl_.store_lanes_o, rtl_.store_data_o);
      }
    });
  }
  static std::uint32_t address(const VlWide<3>& addresses, unsigned port) {
    return field(addresses.data(), port * NiLimits::kAddressBits, NiLimits::kAddressBits);
  }
  void write(unsigned port, const VlWide<3>& addresses, unsigned lanes, const VlWide<16>& data) {
    FlitBits words;
    for (unsigned lane = 0; lane < kLanes; ++lane) words[lane] = data[port * kLanes + lane];
    memory_->write(address(addresses, port), (lanes >> (port * kLanes)) & ((1U << kLanes) - 1), words);
  }

  NiSettings settings_;
  WordMemory* memory_;
  VerilatedContext context_;
  Rtl rtl_;
  Wave<Rtl> wave_;
  std::deque<Response> responses_;  // in ascending order of cycles
  unsigned taken_ = 0;  // bit port * kVcs + virtual channel is set if a flit arrives in this cycle
};

}  // namespace coppice::cosim

#include "cosim/ni_model.h"

#include <bit>
#include <deque>

#include <Vclocked_network_interface.h>
#include <verilated.h>
#include <verilated_fst_c.h>

#include "cosim/coverage.h"

namespace coppice::cosim {
namespace {

using Limits = NiLimits;

// Writes and reads bit fields one after another.
template <typename Words>
class Fields {
 public:
  explicit Fields(Words& words) : words_(&words) {}
  void put(std::uint64_t value, unsigned width) {
    for (unsigned done = 0; done < width;) {
      const unsigned bit = at_ % 32;
      const unsigned part = std::min(width - done, 32 - bit);
      const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << part) - 1) << bit);
      std::uint32_t& word = (*words_)[at_ / 32];
      word = (word & ~mask) | (static_cast<std::uint32_t>((value >> done) << bit) & mask);
      done += part;
      at_ += part;
    }
  }
  std::uint64_t get(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
      const unsigned bit = at_ % 32;
      const unsigned part = std::min(width - done, 32 - bit);
      const std::uint64_t bits = ((*words_)[at_ / 32] >> bit) & ((std::uint64_t{1} << part) - 1);
      value |= bits << done;
      done += part;
      at_ += part;
    }
    return value;
  }

 private:
  Words* words_;
  unsigned at_ = 0;
};

constexpr unsigned kWaitLockstep = 1;  // of the decoder's states
constexpr unsigned kRouteBits = Limits::kHops * (Limits::kHopPortBits + 2 * Limits::kHopVcBits);

std::uint32_t field(const std::uint32_t* words, unsigned at, unsigned width) {
  const std::uint64_t low = words[at / 32] >> (at % 32);
  const std::uint64_t both =
      at % 32 + width > 32 ? low | (std::uint64_t{words[at / 32 + 1]} << (32 - at % 32)) : low;
  return static_cast<std::uint32_t>(both & ((std::uint64_t{1} << width) - 1));
}

}  // namespace

FlitBits encode(const NiHead& head) {
  FlitBits flit{};
  Fields fields(flit);
  fields.put(head.add ? 1 : 0, 1);
  fields.put(head.flow, Limits::kFlowBits);
  fields.put(head.address, Limits::kAddressBits);
  fields.put(head.words, Limits::kLengthBits);
  fields.put(head.source, Limits::kSourceBits);
  fields.put(head.sequence, Limits::kSequenceBits);
  fields.put(head.packets, Limits::kPacketsBits);
  fields.put(head.route, kRouteBits);
  return flit;
}

NiHead decode(const FlitBits& flit) {
  Fields fields(flit);
  NiHead head;
  const auto next = [&](unsigned width) { return static_cast<std::uint32_t>(fields.get(width)); };
  head.add = next(1) != 0;
  head.flow = next(Limits::kFlowBits);
  head.address = next(Limits::kAddressBits);
  head.words = next(Limits::kLengthBits);
  head.source = next(Limits::kSourceBits);
  head.sequence = next(Limits::kSequenceBits);
  head.packets = next(Limits::kPacketsBits);
  head.route = fields.get(kRouteBits);
  return head;
}

class NiModel::Impl {
 public:
  Impl(const NiSettings& settings, WordMemory& memory, const std::string& wave_path)
      : settings_(settings), memory_(&memory), rtl_(&context_, "ni") {
    if (!wave_path.empty()) {
      context_.traceEverOn(true);
      rtl_.trace(&wave_, 99);
      wave_.open(wave_path.c_str());
    }
    rtl_.clk_i = 0;
    rtl_.now_i = 0;
    rtl_.load_valid_i = 0;
    rtl_.start_i = 0;
    rtl_.flit_valid_i = 0;
    rtl_.credit_i = 0;
    rtl_.dma_data_valid_i = 0;
    rtl_.type_i = 0;
    rtl_.lockstep_i = settings.lockstep;
    rtl_.absorbs_i = settings.absorbs;
    rtl_.dma_latency_i = settings.dma_latency;
    rtl_.payload_words_i =
        settings.payload_words == 0 ? (1U << Limits::kLengthBits) - kLanes : settings.payload_words;
    constexpr auto kept = [](std::uint32_t value, int bits) { return value & ((1U << bits) - 1); };
    rtl_.flow_stride_i = static_cast<SData>(kept(settings.flow_stride, Limits::kFlowBits));
    rtl_.address_stride_i = kept(settings.address_stride, Limits::kAddressBits);
    rtl_.step_stride_i = static_cast<SData>(kept(settings.step_stride, Limits::kStepBits));
    rtl_.source_i = 0;
    for (unsigned port = 0; port < kPorts; ++port) {
      rtl_.source_i |= std::uint64_t{settings.source + port} << (port * Limits::kSourceBits);
    }
    rtl_.credits_i = 0;
    for (int vc = 0; vc < settings.vcs; ++vc) {
      rtl_.credits_i |= std::uint64_t{settings.credits} << (vc * Limits::kCreditBits);
    }
    rtl_.rst_ni = 0;
    clock();
    rtl_.rst_ni = 1;
  }
  ~Impl() {
    if (wave_.isOpen()) wave_.close();
    rtl_.final();
    write_coverage(context_);
  }

  void load(int port, std::uint32_t index, const NiLine& line) {
    rtl_.load_valid_i = static_cast<CData>(1U << port);
    rtl_.load_index_i = static_cast<SData>(index);
    Fields fields(rtl_.load_line_i);
    fields.put(line.op, 2);
    fields.put(line.flow, Limits::kFlowBits);
    fields.put(line.dependencies, Limits::kCountBits);
    fields.put(line.step, Limits::kStepBits);
    fields.put(line.address, Limits::kAddressBits);
    fields.put(line.words, Limits::kLengthBits);
    fields.put(line.total, Limits::kLengthBits);
    fields.put(line.flits, Limits::kFlitsBits);
    fields.put(line.packets, Limits::kPacketsBits);
    fields.put(line.route, kRouteBits);
    fields.put(line.first, Limits::kIterationBits);
    fields.put(line.end, Limits::kIterationBits);
    clock();
    rtl_.load_valid_i = 0;
  }

  void start(std::span<const NiTableSize> sizes) {
    constexpr unsigned kLinesBits = 11;
    rtl_.lines_i = 0;
    rtl_.count_i = 0;
    for (unsigned port = 0; port < sizes.size(); ++port) {
      rtl_.lines_i |= std::uint64_t{sizes[port].lines} << (port * kLinesBits);
      rtl_.count_i |= std::uint64_t{sizes[port].entries} << (port * Limits::kTotalBits);
    }
    rtl_.start_i = 1;
    clock();
    rtl_.start_i = 0;
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

  Outcome step(std::int64_t now) {
    rtl_.now_i = static_cast<IData>(now);
    give_dma_data(now);
    rtl_.clk_i = 1;
    rtl_.eval();
    if (wave_.isOpen()) wave_.dump(static_cast<std::uint64_t>(2 * now));

    Outcome outcome;
    take_flits(outcome);
    outcome.issued = rtl_.issue_o;
    outcome.arrived = rtl_.arrived_o;
    outcome.busy = rtl_.busy_o;
    outcome.overflow = rtl_.overflow_o != 0;
    outcome.credits_as_taken = rtl_.credit_o == taken_;
    taken_ = 0;
    // Only where a port holds or issues is its release looked at.
    for (unsigned port = 0, states = rtl_.state_o; states != 0; ++port, states >>= 3) {
      if ((states & 7) == kWaitLockstep) outcome.holding |= 1U << port;
    }
    for_each_port(outcome.holding | outcome.issued,
                  [&](unsigned port) { outcome.release[port] = rtl_.release_o[port]; });
    access_memory(now);

    rtl_.clk_i = 0;
    rtl_.eval();
    if (wave_.isOpen()) wave_.dump(static_cast<std::uint64_t>(2 * now + 1));
    rtl_.flit_valid_i = 0;
    rtl_.credit_i = 0;
    rtl_.dma_data_valid_i = 0;
    return outcome;
  }

  PortView view(int port) const {
    const auto at = static_cast<unsigned>(port);
    return {(static_cast<std::uint32_t>(rtl_.state_o) >> (3 * at)) & 7,
            static_cast<std::uint32_t>(rtl_.timestep_o >> (Limits::kStepBits * at)) & 0xffff,
            static_cast<std::uint32_t>(rtl_.issued_o >> (Limits::kTotalBits * at)) & 0xffff,
            rtl_.release_o[at]};
  }

 private:
  struct Response {
    std::int64_t at;
    unsigned port;
    FlitBits words;
  };

  void clock() {
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.clk_i = 0;
    rtl_.eval();
  }

  void give_dma_data(std::int64_t now) {
    while (!responses_.empty() && responses_.front().at <= now) {
      const Response& response = responses_.front();
      rtl_.dma_data_valid_i |= static_cast<CData>(1U << response.port);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        rtl_.dma_data_i[response.port * kLanes + lane] = response.words[lane];
      }
      responses_.pop_front();
    }
  }

  void take_flits(Outcome& outcome) {
    for_each_port(rtl_.flit_valid_o, [&](unsigned port) {
      Flit& flit = outcome.flits[static_cast<std::size_t>(outcome.num_flits++)];
      flit.port = static_cast<int>(port);
      flit.vc = (rtl_.flit_vc_o >> (2 * port)) & 3;
      flit.head = (rtl_.flit_head_o >> port) & 1;
      flit.tail = (rtl_.flit_tail_o >> port) & 1;
      for (unsigned lane = 0; lane < kLanes; ++lane) flit.bits[lane] = rtl_.flit_o[port * kLanes + lane];
    });
  }

  // Reads see what was written in cycles before.
  void access_memory(std::int64_t now) {
    for_each_port(rtl_.dma_valid_o, [&](unsigned port) {
      responses_.push_back(
          {now + settings_.dma_latency - 1, port, memory_->read(address(rtl_.dma_address_o, port))});
    });
    for_each_port(rtl_.read_valid_o, [&](unsigned port) {
      const FlitBits words = memory_->read(address(rtl_.read_address_o, port));
      for (unsigned lane = 0; lane < kLanes; ++lane) rtl_.read_data_i[port * kLanes + lane] = words[lane];
    });
    // A port's sum is older than what it stores.
    for_each_port(rtl_.sum_valid_o | rtl_.store_valid_o, [&](unsigned port) {
      if ((rtl_.sum_valid_o >> port) & 1) write(port, rtl_.sum_address_o, rtl_.sum_lanes_o, rtl_.sum_data_o);
      if ((rtl_.store_valid_o >> port) & 1) {
        write(port, rtl_.store_address_o, rtl_.store_lanes_o, rtl_.store_data_o);
      }
    });
  }
  template <typename Visit>
  static void for_each_port(unsigned ports, const Visit& visit) {
    for (; ports != 0; ports &= ports - 1) visit(static_cast<unsigned>(std::countr_zero(ports)));
  }
  static std::uint32_t address(const VlWide<3>& addresses, unsigned port) {
    return field(addresses.data(), port * Limits::kAddressBits, Limits::kAddressBits);
  }
  void write(unsigned port, const VlWide<3>& addresses, unsigned lanes, const VlWide<16>& data) {
    FlitBits words;
    for (unsigned lane = 0; lane < kLanes; ++lane) words[lane] = data[port * kLanes + lane];
    memory_->write(address(addresses, port), (lanes >> (port * kLanes)) & ((1U << kLanes) - 1), words);
  }

  NiSettings settings_;
  WordMemory* memory_;
  VerilatedContext context_;
  Vclocked_network_interface rtl_;
  VerilatedFstC wave_;
  std::deque<Response> responses_;  // by cycle
  unsigned taken_ = 0;              // bit per port * kVcs + virtual channel: a flit comes in this cycle
};

NiModel::NiModel(const NiSettings& settings, WordMemory& memory, const std::string& wave_path)
    : impl_(std::make_unique<Impl>(settings, memory, wave_path)) {}
NiModel::~NiModel() = default;
void NiModel::load(int port, std::uint32_t index, const NiLine& line) {
  impl_->load(port, index, line);
}
void NiModel::start(std::span<const NiTableSize> sizes) {
  impl_->start(sizes);
}
void NiModel::put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) {
  impl_->put_flit(port, vc, head, tail, bits);
}
void NiModel::put_credit(int port, int vc) {
  impl_->put_credit(port, vc);
}
NiModel::Outcome NiModel::step(std::int64_t now) {
  return impl_->step(now);
}
NiModel::PortView NiModel::view(int port) const {
  return impl_->view(port);
}

}  // namespace coppice::cosim

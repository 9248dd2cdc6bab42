#include <utility>

#include <Vclocked_network_interface_contexts.h>

#include "cosim/verilated/models.h"
#include "cosim/verilated/ni_harness.h"

namespace coppice::cosim {
namespace {

using Limits = NiContextsLimits;

constexpr unsigned kContexts = Limits::kContexts;
constexpr unsigned kContextBits = 3;
constexpr unsigned kStateBits = 3;

// Sets the part of an input (of up to 64 bits) that belongs to a context.
template <typename Port>
void put_part(Port& port, int context, int bits, std::uint32_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << (context * bits);
  const std::uint64_t part = std::uint64_t{kept(value, bits)} << (context * bits);
  port = static_cast<Port>((port & ~mask) | part);
}
template <typename Words>
void put_wide_part(Words& words, int context, int bits, std::uint32_t value) {
  set_field(words, static_cast<unsigned>(context * bits), static_cast<unsigned>(bits), value);
}

class Model final : public NiContextsModel {
 public:
  Model(const NiSettings& settings, NiOrder order, WordMemory& memory)
      : harness_(settings, memory, {}), rtl_(harness_.rtl()) {
    rtl_.order_i = static_cast<CData>(order);
    nothing_new();
    harness_.reset();
  }

  void load(int context, int port, std::uint32_t index, const NiLine& line) override {
    rtl_.load_valid_i = 1U << (static_cast<unsigned>(port) * kContexts + static_cast<unsigned>(context));
    rtl_.load_index_i = static_cast<CData>(index);
    harness_.put_line(line, Limits::kFlowBits);
  }

  void commit(int context, std::span<const NiTableSize> sizes) override {
    constexpr int kLinesBits = 9;
    harness_.put_sizes(sizes, kLinesBits);
    rtl_.commit_i |= static_cast<CData>(1U << context);
  }

  void open(int context, const NiCollective& collective) override {
    rtl_.open_i |= static_cast<CData>(1U << context);
    put_part(rtl_.id_i, context, Limits::kIdBits, collective.id);
    put_wide_part(rtl_.base_i, context, NiLimits::kAddressBits, collective.base);
    put_wide_part(rtl_.arrivals_i, context, Limits::kArrivalBits, collective.arrivals);
    put_part(rtl_.priority_i, context, Limits::kPriorityBits,
             static_cast<std::uint32_t>(collective.priority));
    put_part(rtl_.flow_stride_i, context, Limits::kFlowBits, collective.flow_stride);
    put_wide_part(rtl_.address_stride_i, context, NiLimits::kAddressBits, collective.address_stride);
    put_wide_part(rtl_.step_stride_i, context, NiLimits::kStepBits, collective.step_stride);
  }

  void start(int context) override {
    const auto turn = static_cast<std::uint32_t>(std::popcount(starting_));
    starting_ |= 1U << context;
    put_part(rtl_.turn_i, context, kContextBits, turn);
  }

  void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) override {
    harness_.put_flit(port, vc, head, tail, bits);
  }
  void put_credit(int port, int vc) override { harness_.put_credit(port, vc); }

  void clock() override {
    harness_.clock();
    nothing_new();
  }

  Outcome step(std::int64_t now) override {
    rtl_.start_i = static_cast<CData>(std::exchange(starting_, 0));
    Outcome outcome;
    harness_.begin(now, outcome);
    outcome.done = rtl_.done_o;
    outcome.stray = rtl_.stray_o != 0;
    for_each_bit(rtl_.issue_o, [&](unsigned at) {
      outcome.issued[at / kContexts] = static_cast<int>(at % kContexts);
      outcome.release[at / kContexts] = rtl_.release_o[at];
    });
    find_release(outcome, now);
    harness_.end(now);
    nothing_new();
    return outcome;
  }

  NiModel::PortView view(int port, int context) const override {
    const unsigned at = static_cast<unsigned>(port) * kContexts + static_cast<unsigned>(context);
    return {field(rtl_.state_o.data(), at * kStateBits, kStateBits),
            field(rtl_.timestep_o.data(), at * NiLimits::kStepBits, NiLimits::kStepBits),
            field(rtl_.issued_o.data(), at * NiLimits::kTotalBits, NiLimits::kTotalBits), rtl_.release_o[at]};
  }

 private:
  void nothing_new() {
    rtl_.load_valid_i = 0;
    rtl_.commit_i = 0;
    rtl_.open_i = 0;
    rtl_.start_i = 0;
  }

  // The release time of a port that waits for its lockstep is always in the future.
  void find_release(Outcome& outcome, std::int64_t now) const {
    const auto present = static_cast<std::uint32_t>(now);
    for (unsigned at = 0; at < kPorts * kContexts; ++at) {
      if (field(rtl_.state_o.data(), at * kStateBits, kStateBits) != kWaitLockstep) continue;
      const std::uint32_t release = rtl_.release_o[at];
      if (outcome.holding && release - present >= outcome.next_release - present) continue;
      outcome.holding = true;
      outcome.next_release = release;
    }
  }

  NiHarness<Vclocked_network_interface_contexts> harness_;
  Vclocked_network_interface_contexts& rtl_;
  unsigned starting_ = 0;  // one bit per context, set if it starts in the next step
};

}  // namespace

std::unique_ptr<NiContextsModel> make_ni_contexts_model(const NiSettings& settings, NiOrder order,
                                                        WordMemory& memory) {
  return std::make_unique<Model>(settings, order, memory);
}

}  // namespace coppice::cosim

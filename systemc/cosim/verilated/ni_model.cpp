#include <Vclocked_network_interface.h>
#include <Vclocked_network_interface_waves.h>

#include "cosim/verilated/models.h"
#include "cosim/verilated/ni_harness.h"

namespace coppice::cosim {
namespace {

using Limits = NiLimits;

// The Verilated network interface, either with waveforms or, for speed, without.
template <typename Rtl>
class Model final : public NiModel {
 public:
  Model(const NiSettings& settings, WordMemory& memory, const std::string& wave_path)
      : harness_(settings, memory, wave_path), rtl_(harness_.rtl()) {
    rtl_.flow_stride_i = static_cast<SData>(kept(settings.flow_stride, Limits::kFlowBits));
    rtl_.address_stride_i = kept(settings.address_stride, Limits::kAddressBits);
    rtl_.step_stride_i = static_cast<SData>(kept(settings.step_stride, Limits::kStepBits));
    harness_.reset();
  }

  void load(int port, std::uint32_t index, const NiLine& line) override {
    rtl_.load_valid_i = static_cast<CData>(1U << port);
    rtl_.load_index_i = static_cast<SData>(index);
    harness_.put_line(line, Limits::kFlowBits);
    harness_.clock();
    rtl_.load_valid_i = 0;
  }

  void start(std::span<const NiTableSize> sizes) override {
    constexpr int kLinesBits = 11;
    harness_.put_sizes(sizes, kLinesBits);
    rtl_.start_i = 1;
    harness_.clock();
    rtl_.start_i = 0;
  }

  void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) override {
    harness_.put_flit(port, vc, head, tail, bits);
  }
  void put_credit(int port, int vc) override { harness_.put_credit(port, vc); }

  Outcome step(std::int64_t now) override {
    Outcome outcome;
    harness_.begin(now, outcome);
    outcome.issued = rtl_.issue_o;
    // The release time of a port is used only if the port is holding or has issued.
    for (unsigned port = 0, states = rtl_.state_o; states != 0; ++port, states >>= 3) {
      if ((states & 7) == kWaitLockstep) outcome.holding |= 1U << port;
    }
    for_each_bit(outcome.holding | outcome.issued,
                 [&](unsigned port) { outcome.release[port] = rtl_.release_o[port]; });
    harness_.end(now);
    return outcome;
  }

  PortView view(int port) const override {
    const auto at = static_cast<unsigned>(port);
    return {(static_cast<std::uint32_t>(rtl_.state_o) >> (3 * at)) & 7,
            static_cast<std::uint32_t>(rtl_.timestep_o >> (Limits::kStepBits * at)) & 0xffff,
            static_cast<std::uint32_t>(rtl_.issued_o >> (Limits::kTotalBits * at)) & 0xffff,
            rtl_.release_o[at]};
  }

 private:
  NiHarness<Rtl> harness_;
  Rtl& rtl_;
};

}  // namespace

std::unique_ptr<NiModel> make_ni_model(const NiSettings& settings, WordMemory& memory,
                                       const std::string& wave_path) {
  if (wave_path.empty()) {
    return std::make_unique<Model<Vclocked_network_interface>>(settings, memory, wave_path);
  }
  return std::make_unique<Model<Vclocked_network_interface_waves>>(settings, memory, wave_path);
}

}  // namespace coppice::cosim

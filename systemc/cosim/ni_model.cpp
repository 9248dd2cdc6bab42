#include "cosim/ni_model.h"

#include <Vclocked_network_interface.h>
#include <Vclocked_network_interface_waves.h>

#include "cosim/ni_harness.h"

namespace coppice::cosim {
namespace {

using Limits = NiLimits;

}  // namespace

FlitBits encode(const NiHead& head, const HeadLayout& layout) {
  FlitBits flit{};
  Fields fields(flit);
  fields.put(head.add ? 1 : 0, 1);
  fields.put(head.flow, static_cast<unsigned>(layout.flow_bits));
  fields.put(head.id, static_cast<unsigned>(layout.id_bits));
  fields.put(head.address, Limits::kAddressBits);
  fields.put(head.words, Limits::kLengthBits);
  fields.put(head.source, Limits::kSourceBits);
  fields.put(head.sequence, Limits::kSequenceBits);
  fields.put(head.packets, Limits::kPacketsBits);
  fields.put(head.route, Limits::kRouteBits);
  return flit;
}

NiHead decode(const FlitBits& flit, const HeadLayout& layout) {
  Fields fields(flit);
  NiHead head;
  const auto next = [&](int width) {
    return static_cast<std::uint32_t>(fields.get(static_cast<unsigned>(width)));
  };
  head.add = next(1) != 0;
  head.flow = next(layout.flow_bits);
  head.id = next(layout.id_bits);
  head.address = next(Limits::kAddressBits);
  head.words = next(Limits::kLengthBits);
  head.source = next(Limits::kSourceBits);
  head.sequence = next(Limits::kSequenceBits);
  head.packets = next(Limits::kPacketsBits);
  head.route = fields.get(Limits::kRouteBits);
  return head;
}

class NiModel::Impl {
 public:
  virtual ~Impl() = default;
  virtual void load(int port, std::uint32_t index, const NiLine& line) = 0;
  virtual void start(std::span<const NiTableSize> sizes) = 0;
  virtual void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) = 0;
  virtual void put_credit(int port, int vc) = 0;
  virtual Outcome step(std::int64_t now) = 0;
  virtual PortView view(int port) const = 0;
};

template <typename Rtl>
class NiModel::ImplOf final : public Impl {
 public:
  ImplOf(const NiSettings& settings, WordMemory& memory, const std::string& wave_path)
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
    // Only where a port holds or issues is its release looked at.
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

NiModel::NiModel(const NiSettings& settings, WordMemory& memory, const std::string& wave_path) {
  if (wave_path.empty()) {
    impl_ = std::make_unique<ImplOf<Vclocked_network_interface>>(settings, memory, wave_path);
  } else {
    impl_ = std::make_unique<ImplOf<Vclocked_network_interface_waves>>(settings, memory, wave_path);
  }
}
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

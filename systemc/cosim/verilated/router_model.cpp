#include <array>

#include <Vrouter.h>
#include <verilated.h>

#include "cosim/verilated/coverage.h"
#include "cosim/verilated/models.h"

namespace coppice::cosim {
namespace {

constexpr unsigned kVcBits = 2;
constexpr unsigned kVcMask = (1U << kVcBits) - 1;

class Model final : public RouterModel {
 public:
  explicit Model(int credits) : rtl_(&context_, "router") {
    rtl_.clk_i = 0;
    for (unsigned word = 0; word < 3; ++word) rtl_.credits_i[word] = 0;
    put_credits(static_cast<std::uint32_t>(credits));
    rtl_.rst_ni = 0;
    clear_inputs();
    rtl_.eval();
    edge();
    rtl_.rst_ni = 1;
  }
  ~Model() override {
    rtl_.final();
    write_coverage(context_);
  }

  void put_flit(int port, int vc, bool head, bool tail, const FlitBits& bits) override {
    const auto bit = static_cast<CData>(1U << port);
    rtl_.flit_valid_i |= 1U << (port * RouterLimits::kVcs + vc);
    if (head) rtl_.flit_head_i |= bit;
    if (tail) rtl_.flit_tail_i |= bit;
    for (unsigned lane = 0; lane < bits.size(); ++lane) {
      rtl_.flit_i[static_cast<unsigned>(bits.size()) * static_cast<unsigned>(port) + lane] = bits[lane];
    }
  }
  void put_credit(int port, int vc) override { rtl_.credit_i |= 1U << (port * RouterLimits::kVcs + vc); }

  Outcome step() override {
    rtl_.eval();
    Outcome outcome{rtl_.credit_o, 0};
    // The flit that won allocation is at the output only after the clock edge. The latencies of the wires to
    // other modules take this into account.
    edge();
    outcome.sent = rtl_.flit_valid_o;
    for (unsigned port = 0; port < flits_.size(); ++port) {
      if (((outcome.sent >> port) & 1) == 0) continue;
      Flit& flit = flits_[port];
      flit.vc = (rtl_.flit_vc_o >> (kVcBits * port)) & kVcMask;
      flit.head = ((rtl_.flit_head_o >> port) & 1) != 0;
      flit.tail = ((rtl_.flit_tail_o >> port) & 1) != 0;
      for (unsigned lane = 0; lane < flit.bits.size(); ++lane) {
        flit.bits[lane] = rtl_.flit_o[static_cast<unsigned>(flit.bits.size()) * port + lane];
      }
    }
    clear_inputs();
    return outcome;
  }
  const Flit& flit(int port) const override { return flits_[static_cast<std::size_t>(port)]; }

 private:
  void edge() {
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.clk_i = 0;
  }
  // Sets the same number of credits for all outputs.
  void put_credits(std::uint32_t credits) {
    constexpr unsigned kBits = 10;
    for (unsigned port = 0; port < flits_.size(); ++port) {
      const unsigned word = kBits * port / 32;
      const unsigned bit = kBits * port % 32;
      rtl_.credits_i[word] |= credits << bit;
      if (bit + kBits > 32) rtl_.credits_i[word + 1] |= credits >> (32 - bit);
    }
  }
  void clear_inputs() {
    rtl_.flit_valid_i = 0;
    rtl_.flit_head_i = 0;
    rtl_.flit_tail_i = 0;
    rtl_.credit_i = 0;
  }

  VerilatedContext context_;
  Vrouter rtl_;
  std::array<Flit, RouterLimits::kPorts> flits_{};
};

}  // namespace

std::unique_ptr<RouterModel> make_router_model(int credits) {
  return std::make_unique<Model>(credits);
}

}  // namespace coppice::cosim

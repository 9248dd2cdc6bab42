#include "cosim/rtl_router.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>

#include <fmt/format.h>

#include "base/error.h"
#include "cosim/rtl_network_interface.h"
#include "cosim/verilog_library.h"
#include "fabric/route_timing.h"

namespace coppice::cosim {
namespace {

using Limits = RouterLimits;
using topology::NodeId;

class RtlRouter final : public fabric::RouterModule {
 public:
  RtlRouter(const fabric::RouterSpec& spec, fabric::FlitContext& flits, FlitContents& contents)
      : RouterModule("router", spec),
        flits_(&flits),
        contents_(&contents),
        flit_delay_(flit_delay(flits.system->router)),
        slot_delay_(slot_delay(flits.system->router)),
        model_(verilog_library().make_router(flits.system->router.vc_depth)) {
    credits_.fill(flits.system->router.vc_depth);
  }

  void receive_flit(int port, int vc, fabric::Flit flit, Cycles now) override {
    Input& input = inputs_[index(port, vc)];
    const fabric::Packet& packet = flits_->packets[flit.packet];
    model_->put_flit(port, vc, flit.is_head(), flit.tail != 0,
                     contents_->read(flit.packet, packet, flit.sequence));
    if (flit.is_head()) input.outputs.push_back(next_hop(*flits_, node(), flit.packet, now).hop.out_port);
    input.flits.push_back(flit);
    ++held_;
    set_next(now);
  }
  void receive_credit(int port, int vc, Cycles now) override {
    model_->put_credit(port, vc);
    ++credits_[index(port, vc)];
    set_next(now);
  }

  void step(Cycles now) override {
    const RouterModel::Outcome outcome = model_->step();
    std::array<fabric::Flit, Limits::kPorts> leaving{};
    std::uint32_t expected = 0;
    for (std::uint32_t freed = outcome.freed; freed != 0; freed &= freed - 1) {
      const int place = std::countr_zero(freed);
      const int output = pop(inputs_[static_cast<std::size_t>(place)], leaving, now);
      if (((expected >> output) & 1) != 0) fail("two flits were sent to one output", now);
      expected |= 1U << output;
      wire_in(place / Limits::kVcs).return_credit(place % Limits::kVcs, now + slot_delay_);
    }
    if (expected != outcome.sent) fail("a flit left through an output that is not on its route", now);
    for (std::uint32_t sent = outcome.sent; sent != 0; sent &= sent - 1) {
      const int port = std::countr_zero(sent);
      send(port, leaving[static_cast<std::size_t>(port)], now);
    }
    set_next(held_ > 0 ? now + 1 : fabric::kNever);
  }

  int credits(int out_port, int vc) const override { return credits_[index(out_port, vc)]; }
  int buffered(int in_port, int vc) const override {
    return static_cast<int>(inputs_[index(in_port, vc)].flits.size());
  }
  bool output_vc_busy(int /*out_port*/, int /*vc*/) const override { return false; }
  std::vector<std::string> describe_packets(const fabric::PacketPool& packets) const override {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      if (input.flits.empty()) continue;
      const fabric::Packet& packet = packets[input.flits.front().packet];
      lines.push_back(fmt::format(
          "  router {} (Verilog) input {} vc {}: {} flits, packet {}->{} of {} flits\n", node(),
          i / Limits::kVcs, i % Limits::kVcs, input.flits.size(), packet.src, packet.dst, packet.flits));
    }
    return lines;
  }

 private:
  // The flits in an input buffer of the Verilog router, and the outputs to which their packets' routes lead.
  struct Input {
    std::deque<fabric::Flit> flits;
    std::deque<int> outputs;  // one output for each packet whose head has arrived and whose tail has not left
  };

  static std::size_t index(int port, int vc) { return static_cast<std::size_t>(port * Limits::kVcs + vc); }

  // Removes the first flit from a buffer and returns the output on the flit's route.
  int pop(Input& input, std::array<fabric::Flit, Limits::kPorts>& leaving, Cycles now) {
    if (input.flits.empty()) fail("a buffer slot was freed, but the buffer holds no flit", now);
    const int output = input.outputs.front();
    const fabric::Flit flit = input.flits.front();
    leaving[static_cast<std::size_t>(output)] = flit;
    input.flits.pop_front();
    if (flit.tail) input.outputs.pop_front();
    --held_;
    return output;
  }
  void send(int port, fabric::Flit flit, Cycles now) {
    const RouterModel::Flit& sent = model_->flit(port);
    if (sent.head != flit.is_head() || sent.tail != (flit.tail != 0)) {
      fail("a head or tail flit was sent out of order", now);
    }
    if (--credits_[index(port, sent.vc)] < 0) fail("a flit was sent without a credit", now);
    contents_->write(flit.packet, flits_->packets[flit.packet], flit.sequence, sent.bits);
    report(*flits_, port, sent.vc, flit, now);
    wire_out(port).send(flit, sent.vc, now + flit_delay_);
  }
  [[noreturn]] void fail(const std::string& what, Cycles now) const {
    throw ModelError(fmt::format("router {} (Verilog) at cycle {}: {}", node(), now, what));
  }

  fabric::FlitContext* flits_;
  FlitContents* contents_;
  Cycles flit_delay_;
  Cycles slot_delay_;
  std::unique_ptr<RouterModel> model_;
  std::array<int, Limits::kPorts * Limits::kVcs> credits_{};
  std::array<Input, Limits::kPorts * Limits::kVcs> inputs_;
  int held_ = 0;
};

}  // namespace

std::string refuse_routers(const config::SystemConfig& system, const schedule::Schedule& schedule,
                           const topology::Topology& topology, int ni_ports) {
  const auto no = [](const char* what, auto is, const std::string& right) {
    return fmt::format("the Verilog router does not support {} {}: {}", what, is, right);
  };
  const config::RouterConfig& router = system.router;
  if (router.vcs > Limits::kVcs)
    return no("system.router.vcs", router.vcs, fmt::format("write at most {}", Limits::kVcs));
  if (router.vc_depth > Limits::kMostDepth) {
    return no("system.router.vc_depth", router.vc_depth, fmt::format("write at most {}", Limits::kMostDepth));
  }
  if (router.routing_delay != 1) return no("system.router.routing_delay", router.routing_delay, "write 1");
  if (router.vc_alloc_delay != 1) return no("system.router.vc_alloc_delay", router.vc_alloc_delay, "write 1");
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    const std::size_t links = std::max(topology.in_channels(node).size(), topology.out_channels(node).size());
    const std::size_t ports = links + static_cast<std::size_t>(topology.is_accelerator(node) ? ni_ports : 0);
    if (ports > Limits::kPorts) {
      return no("a port count of", ports,
                fmt::format("use at most {}, including those of the network interface", Limits::kPorts));
    }
  }
  if (fabric::ejection_flit_time(system) > system.clock.period()) {
    return no("system.ni.reduction_flits_per_cycle", system.ni.reduction_flits_per_cycle, "write 1 or more");
  }
  for (const topology::Channel& channel : topology.channels()) {
    if (fabric::channel_flit_time(system, channel.bandwidth) > system.clock.period()) {
      return "the Verilog router sends one flit per cycle, but a channel is slower";
    }
  }
  for (const topology::Route& route : schedule.routes) {
    if (static_cast<int>(route.size()) > NiLimits::kHops) {
      return no("a route of", fmt::format("{} hops", route.size()),
                fmt::format("a head flit holds at most {}", NiLimits::kHops));
    }
  }
  return refuse_verilog();
}

std::unique_ptr<fabric::RouterModule> make_rtl_router(const fabric::RouterSpec& spec,
                                                      fabric::FlitContext& flits, FlitContents& contents) {
  return std::make_unique<RtlRouter>(spec, flits, contents);
}

}  // namespace coppice::cosim

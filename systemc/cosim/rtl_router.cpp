#include "cosim/rtl_router.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <Vrouter.h>
#include <verilated.h>

#include "base/error.h"
#include "cosim/coverage.h"
#include "fabric/route_timing.h"

namespace coppice::cosim {
namespace {

using topology::NodeId;

// Of the Verilated instance.
constexpr int kRouterPorts = 8;
constexpr int kRouterVcs = 4;
constexpr int kMostDepth = 512;
constexpr unsigned kFlitWords = 4;
constexpr unsigned kRouteAt = 81;
constexpr unsigned kPortBits = 3;
constexpr unsigned kVcBits = 2;
constexpr unsigned kVcMask = (1U << kVcBits) - 1;

class RtlRouter final : public fabric::RouterStandIn {
 public:
  RtlRouter(NodeId node, const config::RouterConfig& config, fabric::RouterEnvironment& environment)
      : node_(node), environment_(&environment), rtl_(&context_, "router") {
    credits_.fill(config.vc_depth);
    rtl_.clk_i = 0;
    rtl_.credits_i = static_cast<SData>(config.vc_depth);
    rtl_.rst_ni = 0;
    clear_inputs();
    rtl_.eval();
    edge();
    rtl_.rst_ni = 1;
  }
  ~RtlRouter() override {
    rtl_.final();
    write_coverage(context_);
  }

  void receive_flit(int in_port, int vc, fabric::Flit flit, Cycles /*now*/) override {
    const auto port = static_cast<unsigned>(in_port);
    const auto bit = static_cast<CData>(1U << port);
    rtl_.flit_valid_i |= bit;
    if (flit.tail != 0) rtl_.flit_tail_i |= bit;
    const unsigned at = kVcBits * port;
    rtl_.flit_vc_i =
        static_cast<SData>((rtl_.flit_vc_i & ~(kVcMask << at)) | (static_cast<unsigned>(vc) << at));
    auto* words = &rtl_.flit_i[kFlitWords * port];
    words[0] = flit.packet;
    words[1] = flit.sequence;
    words[2] = 0;
    words[3] = 0;
    if (flit.is_head()) {
      rtl_.flit_head_i |= bit;
      const topology::Hop hop = environment_->route(node_, flit.packet).hop;
      const unsigned code = static_cast<unsigned>(hop.out_port) |
                            (static_cast<unsigned>(hop.vcs.begin) << kPortBits) |
                            ((static_cast<unsigned>(hop.vcs.end) - 1) << (kPortBits + kVcBits));
      words[kRouteAt / 32] = code << (kRouteAt % 32);
    }
    ++held_[index(in_port, vc)];
    ++all_held_;
  }
  void receive_credit(int out_port, int vc) override {
    rtl_.credit_i |= 1U << index(out_port, vc);
    ++credits_[index(out_port, vc)];
  }

  bool step(Cycles now) override {
    rtl_.eval();
    for (std::size_t input = 0; input < held_.size(); ++input) {
      if (((rtl_.credit_o >> input) & 1) == 0) continue;
      if (--held_[input] < 0) fail("a credit for a flit that is not there", now);
      --all_held_;
      environment_->send_credit(node_, static_cast<int>(input) / kRouterVcs,
                                static_cast<int>(input) % kRouterVcs);
    }
    for (unsigned port = 0; port < kRouterPorts; ++port) {
      if (((rtl_.flit_valid_o >> port) & 1) != 0) send(port, now);
    }
    edge();
    clear_inputs();
    return all_held_ > 0;
  }

  int credits(int out_port, int vc) const override { return credits_[index(out_port, vc)]; }
  int buffered(int in_port, int vc) const override { return held_[index(in_port, vc)]; }

 private:
  static std::size_t index(int port, int vc) { return static_cast<std::size_t>(port * kRouterVcs + vc); }

  void send(unsigned port, Cycles now) {
    const int vc = (rtl_.flit_vc_o >> (kVcBits * port)) & kVcMask;
    const auto* words = &rtl_.flit_o[kFlitWords * port];
    const fabric::Flit flit{words[0], words[1] & 0x7fffffffU, (rtl_.flit_tail_o >> port) & 1U};
    if (flit.is_head() != (((rtl_.flit_head_o >> port) & 1) != 0)) fail("a head flit left out of turn", now);
    if (--credits_[index(static_cast<int>(port), vc)] < 0) fail("a flit left without a credit", now);
    environment_->send_flit(node_, static_cast<int>(port), vc, flit);
  }
  void edge() {
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.clk_i = 0;
  }
  void clear_inputs() {
    rtl_.flit_valid_i = 0;
    rtl_.flit_head_i = 0;
    rtl_.flit_tail_i = 0;
    rtl_.credit_i = 0;
  }
  [[noreturn]] void fail(const std::string& what, Cycles now) const {
    throw ModelError(fmt::format("router {} (Verilog) at cycle {}: {}", node_, now, what));
  }

  NodeId node_;
  fabric::RouterEnvironment* environment_;
  VerilatedContext context_;
  Vrouter rtl_;
  // For checks and reports.
  std::array<int, kRouterPorts * kRouterVcs> credits_{};
  std::array<int, kRouterPorts * kRouterVcs> held_{};
  int all_held_ = 0;
};

}  // namespace

std::string refuse_routers(const config::SystemConfig& system, const topology::Topology& topology,
                           int ni_ports) {
  const auto no = [](const char* what, auto is, const std::string& right) {
    return fmt::format("the router in Verilog cannot have {} {}: {}", what, is, right);
  };
  const config::RouterConfig& router = system.router;
  if (router.vcs > kRouterVcs)
    return no("system.router.vcs", router.vcs, fmt::format("at most {}", kRouterVcs));
  if (router.vc_depth > kMostDepth) {
    return no("system.router.vc_depth", router.vc_depth, fmt::format("at most {}", kMostDepth));
  }
  if (router.routing_delay != 1) return no("system.router.routing_delay", router.routing_delay, "it takes 1");
  if (router.vc_alloc_delay != 1)
    return no("system.router.vc_alloc_delay", router.vc_alloc_delay, "it takes 1");
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    const std::size_t links = std::max(topology.in_channels(node).size(), topology.out_channels(node).size());
    const std::size_t ports = links + static_cast<std::size_t>(topology.is_accelerator(node) ? ni_ports : 0);
    if (ports > kRouterPorts) {
      return no("ports", ports,
                fmt::format("at most {}, those of the network interface included", kRouterPorts));
    }
  }
  if (fabric::ejection_flit_time(system) > system.clock.period()) {
    return no("system.ni.reduction_flits_per_cycle", system.ni.reduction_flits_per_cycle, "1 or more");
  }
  for (const topology::Channel& channel : topology.channels()) {
    if (fabric::channel_flit_time(system, channel.bandwidth) > system.clock.period()) {
      return "the router in Verilog sends a flit a cycle, and a channel is slower";
    }
  }
  return {};
}

std::unique_ptr<fabric::RouterStandIn> make_rtl_router(NodeId node, int /*ports*/,
                                                       const config::RouterConfig& config,
                                                       fabric::RouterEnvironment& environment) {
  return std::make_unique<RtlRouter>(node, config, environment);
}

}  // namespace coppice::cosim

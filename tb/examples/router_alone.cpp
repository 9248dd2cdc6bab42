// A router alone: two sources send packets to one sink through a router with three ports, and the sink
// records arrival times.
//
//   source_0 -> router -> sink
//   source_1 ->
#include <cstdio>
#include <string>
#include <systemc>
#include <vector>

#include "fabric/failure.h"
#include "fabric/flits/flit_module.h"
#include "fabric/flits/flit_node.h"
#include "fabric/flits/node_clock.h"
#include "fabric/flits/router_module.h"
#include "fabric/sim_time.h"
#include "fabric/wires/channel.h"

namespace {

using namespace coppice;
using fabric::Flit;

constexpr int kPackets = 4;
constexpr int kFlits = 8;  // flits per packet
constexpr int kPorts = 3;
constexpr int kToSink = 2;

// Sends every packet to the router's port for the sink.
class ToTheSink final : public topology::RoutingFunction {
 public:
  topology::Hop next_hop(topology::NodeId, topology::NodeId, topology::RouteState&, int) const override {
    return {kToSink, {0, 4}};
  }
  int num_tie_bits() const override { return 0; }
  int num_vcs() const override { return 4; }
};

// Sends one flit in every cycle in which it has a credit.
class Source final : public fabric::FlitModule {
 public:
  Source(const sc_core::sc_module_name& name, fabric::FlitContext& context, int credits)
      : FlitModule(name, 0, 1), context_(&context), credits_(credits) {
    set_next(0);
  }
  void receive_flit(int, int, Flit, Cycles) override {}
  void receive_credit(int, int, Cycles now) override {
    ++credits_;
    if (sent_ < kPackets * kFlits) want(now);
  }
  void step(Cycles now) override {
    set_next(fabric::kNever);
    if (credits_ == 0 || sent_ == kPackets * kFlits) return;
    if (sent_ % kFlits == 0) {
      fabric::Packet packet;
      packet.flits = kFlits;
      packet_ = context_->packets.acquire(packet);
    }
    const int place = sent_++ % kFlits;
    --credits_;
    wire_out(0).send(
        {packet_, static_cast<std::uint32_t>(place) & 0x7fffffffU, place + 1 == kFlits ? 1U : 0U}, 0,
        now + 1);
    set_next(now + 1);
  }

 private:
  fabric::FlitContext* context_;
  int credits_;
  int sent_ = 0;
  fabric::PacketId packet_ = 0;
};

class Sink final : public fabric::FlitModule {
 public:
  explicit Sink(const sc_core::sc_module_name& name) : FlitModule(name, 1, 0) {}
  void receive_flit(int port, int vc, Flit, Cycles now) override {
    wire_in(port).return_credit(vc, now + 1);
    if (flits++ == 0) first = now;
    last = now;
  }
  void receive_credit(int, int, Cycles) override {}
  void step(Cycles) override { set_next(fabric::kNever); }
  int flits = 0;
  Cycles first = 0;
  Cycles last = 0;
};

}  // namespace

int sc_main(int, char**) {
  fabric::set_time_resolution();
  config::SystemConfig system;
  system.router.vcs = 4;
  system.router.vc_depth = 16;
  const ToTheSink routing;
  fabric::Failure failure;
  fabric::FlitContext context{&system, &routing, 100};
  fabric::NodeClock clock("clock", system.clock.period(), failure);
  fabric::FlitNode node("node", clock);
  fabric::SystemCRouter router("router", {0, kPorts, kPorts, 0, std::vector<fabric::OutputRate>(kPorts)},
                               context);
  Source source_0("source_0", context, system.router.vc_depth);
  Source source_1("source_1", context, system.router.vc_depth);
  Sink sink("sink");
  // Unused ports must be connected, here to modules that never send.
  Source silent("silent", context, 0);
  Sink unused_0("unused_0");
  Sink unused_1("unused_1");
  for (fabric::FlitModule* module : std::initializer_list<fabric::FlitModule*>{
           &source_0, &source_1, &silent, &sink, &unused_0, &unused_1, &router}) {
    node.add(*module);
  }

  constexpr Cycles kLatency = 1;
  std::vector<std::unique_ptr<fabric::Channel>> channels;
  const auto join = [&](auto& out, auto& in) {
    channels.push_back(std::make_unique<fabric::Channel>(
        ("channel_" + std::to_string(channels.size())).c_str(), kLatency, 0));
    out.bind(channels.back()->sender);
    in.bind(channels.back()->receiver);
  };
  join(source_0.out[0], router.in[0]);
  join(source_1.out[0], router.in[1]);
  join(silent.out[0], router.in[kToSink]);
  join(router.out[0], unused_0.in[0]);
  join(router.out[1], unused_1.in[0]);
  join(router.out[kToSink], sink.in[0]);

  sc_core::sc_start(fabric::to_sc_time(10'000 * system.clock.period()));
  failure.rethrow();

  // A head that is sent in cycle 0 reaches the router in cycle 2, is routed in cycle 3 and wins the switch in
  // cycle 4 (all delays are 1, as in the calibration). It enters the channel in cycle 6 and reaches the sink
  // in cycle 7. From then on, the sink receives one flit per cycle from both sources together.
  std::printf("%d flits arrived in cycles %lld to %lld\n", sink.flits, static_cast<long long>(sink.first),
              static_cast<long long>(sink.last));
  const bool right =
      sink.flits == 2 * kPackets * kFlits && sink.first == 7 && sink.last >= 7 + 2 * kPackets * kFlits - 1;
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return sc_core::sc_elab_and_sim(argc, argv);
}

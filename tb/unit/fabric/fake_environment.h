#pragma once

#include <map>
#include <vector>

#include "fabric/flits/router.h"

namespace coppice::fabric {

// Replaces the fabric around a single router: provides routes and records what the router sends.
class FakeEnvironment final : public RouterEnvironment {
 public:
  struct Sent {
    Cycles at;
    int out_port;
    int vc;
    Flit flit;
  };
  struct Freed {
    Cycles at;
    int in_port;
    int vc;
  };

  RouteDecision route(NodeId, PacketId packet) override {
    RouteDecision decision{hops.at(packet), rotate_vcs};
    if (const auto found = adaptive.find(packet); found != adaptive.end()) decision.adaptive = found->second;
    if (const auto found = created.find(packet); found != created.end()) decision.created = found->second;
    decision.flits = packet_flits;
    return decision;
  }
  void hop_chosen(NodeId, PacketId packet) override { left_adaptive.push_back(packet); }
  void send_flit(NodeId, int out_port, int vc, Flit flit) override {
    sent.push_back({now, out_port, vc, flit});
  }
  void send_credit(NodeId, int in_port, int vc) override { freed.push_back({now, in_port, vc}); }

  Cycles now = 0;
  std::map<PacketId, topology::Hop> hops;
  std::map<PacketId, std::vector<topology::Hop>> adaptive;
  std::map<PacketId, Cycles> created;
  std::uint32_t packet_flits = 1;
  std::vector<PacketId> left_adaptive;
  bool rotate_vcs = false;
  std::vector<Sent> sent;
  std::vector<Freed> freed;
};

inline config::RouterConfig router_config(int vcs, int depth) {
  config::RouterConfig config;
  config.vcs = vcs;
  config.vc_depth = depth;
  return config;
}

// A router in a fake environment. The test calls its step function.
class RouterBench {
 public:
  static constexpr Femtoseconds kPeriod = kFemtosecondsPerNanosecond;

  RouterBench(int ports, const config::RouterConfig& config, std::vector<OutputRate> rates = {})
      : router(0, ports, config, padded(std::move(rates), ports), kPeriod, environment) {}

  // Puts all flits of a packet into one input buffer in the current cycle.
  void receive_packet(int in_port, int vc, PacketId packet, int flits, topology::Hop hop) {
    environment.hops[packet] = hop;
    for (int i = 0; i < flits; ++i) {
      router.receive_flit(in_port, vc, flit(packet, i, flits), environment.now);
    }
  }
  static Flit flit(PacketId packet, int sequence, int flits) {
    return {packet, static_cast<std::uint32_t>(sequence) & 0x7fffffffU, sequence + 1 == flits ? 1U : 0U};
  }
  // Runs the cycles up to `end`, exclusive, and returns the result of the last step.
  bool run_until(Cycles end) {
    bool awake = true;
    for (; environment.now < end; ++environment.now) awake = router.step(environment.now);
    return awake;
  }
  const std::vector<FakeEnvironment::Sent>& sent() const { return environment.sent; }

  FakeEnvironment environment;
  Router router;

 private:
  static std::vector<OutputRate> padded(std::vector<OutputRate> rates, int ports) {
    rates.resize(static_cast<std::size_t>(ports));
    return rates;
  }
};

}  // namespace coppice::fabric

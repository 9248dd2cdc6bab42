// Measures a single router: the time per cycle when packets wait at all inputs.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random.h"
#include "fabric/flits/router.h"

namespace coppice::bench {
namespace {

using fabric::Flit;
using fabric::PacketId;

constexpr int kPorts = 5;
constexpr int kVcs = 4;
constexpr int kDepth = 16;

// Refills every buffer slot that becomes free, and returns credits immediately.
class Surroundings final : public fabric::RouterEnvironment {
 public:
  explicit Surroundings(int packet_flits) : packet_flits_(packet_flits), next_flit_(kPorts * kVcs, 0) {}

  fabric::RouteDecision route(topology::NodeId, PacketId) override {
    return {{static_cast<std::uint16_t>(random_.below(kPorts)), {0, kVcs}}, false};
  }
  void send_flit(topology::NodeId, int out_port, int vc, Flit) override {
    credits.emplace_back(out_port, vc);
    ++flits;
  }
  void send_credit(topology::NodeId, int in_port, int vc) override { places.emplace_back(in_port, vc); }

  Flit flit_for(int in_port, int vc) {
    int& sequence = next_flit_[static_cast<std::size_t>(in_port * kVcs + vc)];
    const Flit flit{0, static_cast<std::uint32_t>(sequence) & 0x7fffffffU,
                    sequence + 1 == packet_flits_ ? 1U : 0U};
    sequence = flit.tail != 0 ? 0 : sequence + 1;
    return flit;
  }

  std::int64_t flits = 0;
  std::vector<std::pair<int, int>> credits;
  std::vector<std::pair<int, int>> places;

 private:
  int packet_flits_;
  std::vector<int> next_flit_;
  Random random_{1};
};

void router_step(benchmark::State& state) {
  Surroundings surroundings(static_cast<int>(state.range(0)));
  config::RouterConfig config;
  config.vcs = kVcs;
  config.vc_depth = kDepth;
  fabric::Router router(0, kPorts, config, std::vector<fabric::OutputRate>(kPorts),
                        kFemtosecondsPerNanosecond, surroundings);
  for (int port = 0; port < kPorts; ++port) {
    for (int vc = 0; vc < kVcs; ++vc) {
      for (int i = 0; i < kDepth; ++i) router.receive_flit(port, vc, surroundings.flit_for(port, vc), 0);
    }
  }
  Cycles now = 0;
  for (const auto& iteration : state) {
    (void)iteration;
    router.step(now++);
    for (const auto& [port, vc] : surroundings.places) {
      router.receive_flit(port, vc, surroundings.flit_for(port, vc), now);
    }
    for (const auto& [port, vc] : surroundings.credits) router.receive_credit(port, vc);
    surroundings.places.clear();
    surroundings.credits.clear();
  }
  const auto flits = static_cast<double>(surroundings.flits);
  state.counters["flits_per_s"] = benchmark::Counter(flits, benchmark::Counter::kIsRate);
  state.counters["flits_per_cycle"] = flits / static_cast<double>(now);
}
BENCHMARK(router_step)->ArgName("packet_flits")->Arg(1)->Arg(16);

}  // namespace
}  // namespace coppice::bench

// Measures the cost of a message in the fabric alone, in a program, and through the session API.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "fabric/flits/flit_fabric.h"
#include "fabric/route_timing.h"
#include "ni/messages/depacketizer.h"
#include "ni/messages/packetizer.h"
#include "ni/wake_scheduler.h"
#include "session/coppice.h"
#include "simulate.h"
#include "support/shipped_config.h"
#include "system/machine/build.h"
#include "system/process/cost_meter.h"
#include "system/program/program_run.h"
#include "topology/routing/network_mapping.h"

namespace coppice::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRanks = 16;
constexpr int kMessages = 1000;  // per rank
constexpr Bytes kBytes = 256;
constexpr std::int64_t kApart = 200'000;  // picoseconds between successive messages of a rank

int destination(int rank, int message) {
  return (rank + 1 + (rank * 7 + message * 5) % (kRanks - 1)) % kRanks;
}

std::vector<std::string> keys(const std::string& fidelity) {
  return {"fidelity=" + fidelity, "check=contributions"};
}

// Sends messages between the ports of a fabric without network interfaces.
class FabricAlone final : private ni::WakeScheduler::Sleeper {
 public:
  FabricAlone()
      : loaded_(load_system("torus_4x4", keys("flit"), config::Purpose::kTraffic)),
        topology_(system::build_topology(loaded_)),
        routing_(system::build_routing(loaded_, topology_)),
        ports_(system::resolve_ni_ports(loaded_.config, topology_)),
        framing_{loaded_.config.system.ni.flow_control, loaded_.config.system.flit,
                 loaded_.config.system.ni.payload},
        fabric_("fabric", topology_, *routing_, loaded_.config.system, ports_, failure_),
        clock_("clock", fabric_.period(), failure_) {
    for (int i = 0; i < kRanks * ports_; ++i) {
      packetizers_.emplace_back(framing_);
      packetizers_.back().on_head_injected =
          packetizers_.back().on_tail_injected = [](std::uint64_t, Cycles) {};
      depacketizers_.emplace_back(
          [this](std::uint64_t) {
            return ni::Depacketizer::Size{framing_.packets(kBytes), framing_.flits(kBytes)};
          },
          [this](std::uint64_t, Cycles now) {
            ++arrived_;
            last_ = now;
          });
      fabric_.connect(i / ports_, i % ports_, packetizers_.back(), depacketizers_.back());
    }
    clock_.set(kStep, *this);
  }

  Json run() {
    const system::CostMeter cost;
    sc_core::sc_start(fabric::to_sc_time((kMessages + 10) * kStep * fabric_.period()));
    failure_.rethrow();
    if (arrived_ != kRanks * kMessages) throw std::runtime_error("messages are missing");
    return {{"cycles", last_}, {"flit_hops", 0.0}, {"simulator", cost.to_json(0)}};
  }

 private:
  static constexpr Cycles kStep = kApart / 1000;  // kApart in cycles of 1 GHz

  void wake(Cycles now) override {
    for (int rank = 0; rank < kRanks; ++rank) {
      const int to = destination(rank, message_);
      auto& route = routes_[{rank, to}];
      if (route.empty()) route = topology::machine_route(topology_, *routing_, rank, to, ports_);
      const int port = route.front().out_port % ports_;
      const fabric::Message message{
          next_++, rank,   to,
          &route,  kBytes, fabric::time_route(topology_, loaded_.config.system, rank, route).slowest_flit};
      packetizers_[static_cast<std::size_t>(rank * ports_ + port)].push(message, now + 1);
      fabric_.wake(rank, port, now + 1);
    }
    if (++message_ < kMessages) clock_.set(now + kStep, *this);
  }

  config::Loaded loaded_;
  topology::Topology topology_;
  std::unique_ptr<topology::RoutingFunction> routing_;
  int ports_;
  fabric::Framing framing_;
  fabric::Failure failure_{};
  fabric::FlitFabric fabric_;
  ni::AlarmClock clock_;
  std::deque<ni::Packetizer> packetizers_{};      // one per port
  std::deque<ni::Depacketizer> depacketizers_{};  // one per port
  std::map<std::pair<int, int>, topology::Route> routes_{};
  int message_ = 0;
  std::uint64_t next_ = 1;
  std::int64_t arrived_ = 0;
  Cycles last_ = 0;
};

Json run_fabric(const std::string& /*fidelity*/) {
  fabric::set_time_resolution();
  return FabricAlone().run();
}

// Runs a program in which each rank computes between its messages.
Json run_program(const std::string& fidelity) {
  workload::Program program;
  program.name = "messages";
  program.ranks.resize(kRanks);
  std::vector<std::int32_t> last(kRanks, -1);
  for (int message = 0; message < kMessages; ++message) {
    for (int rank = 0; rank < kRanks; ++rank) {
      const int to = destination(rank, message);
      const auto number = static_cast<std::int32_t>(program.transfers.size());
      program.transfers.push_back({"", rank, to, kBytes, ""});
      program.ranks[static_cast<std::size_t>(to)].operations.push_back(
          {"", workload::Receive{number}, {}, 0});
      auto& own = program.ranks[static_cast<std::size_t>(rank)].operations;
      std::int32_t& before = last[static_cast<std::size_t>(rank)];
      std::vector<std::int32_t> after;
      if (before >= 0) after.push_back(before);
      own.push_back({"", workload::Compute{.duration = kApart * 1000}, after, 0});
      before = static_cast<std::int32_t>(own.size()) - 1;
      own.push_back({"", workload::Send{number}, {before}, 0});
    }
  }
  auto loaded = load_system("torus_4x4", keys(fidelity), config::Purpose::kTraffic);
  return system::run_program(loaded, program, {});
}

void note(coppice_session* /*session*/, const coppice_done* done, void* user) {
  *static_cast<std::int64_t*>(user) = done->time_ps;
}

void require(coppice_session* session, coppice_status status) {
  if (status != COPPICE_OK) throw std::runtime_error(coppice_error(session));
}

Json run_session(const std::string& fidelity) {
  std::vector<std::string> texts = keys(fidelity);
  std::vector<const char*> overrides;
  for (const std::string& text : texts) overrides.push_back(text.c_str());
  coppice_session* session = nullptr;
  require(session, coppice_open(testing::shipped_config("systems/torus_4x4.yaml").c_str(), overrides.data(),
                                overrides.size(), &session));
  std::int64_t last = 0;
  const system::CostMeter cost;
  for (int message = 0; message < kMessages; ++message) {
    require(session, coppice_advance(session, (message + 1) * kApart));
    for (int rank = 0; rank < kRanks; ++rank) {
      require(session, coppice_send(session, rank, destination(rank, message), kBytes, 0, note, &last));
    }
  }
  require(session, coppice_drain(session));
  Json result = {{"cycles", last / 1000}, {"flit_hops", 0.0}, {"simulator", cost.to_json(0)}};
  coppice_close(session);
  return result;
}

void messages(benchmark::State& state, Json (*run)(const std::string&), const char* fidelity) {
  const Json result = measure(state, [&] { return run(fidelity); });
  if (result.is_null()) return;
  state.counters["cycles"] = result["cycles"].get<double>();
  state.counters["us_per_message"] = result["simulator"]["user_s"].get<double>() * 1e6 / (kRanks * kMessages);
}
BENCHMARK_CAPTURE(messages, fabric_flit, run_fabric, "flit")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages, program_flit, run_program, "flit")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages, session_flit, run_session, "flit")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::bench

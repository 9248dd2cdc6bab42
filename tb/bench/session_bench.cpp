// What a message costs through the session API, beside the same messages as a program.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "session/coppice.h"
#include "simulate.h"
#include "support/shipped_config.h"
#include "system/process/cost_meter.h"
#include "system/program/program_run.h"

namespace coppice::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kRanks = 16;
constexpr int kMessages = 1000;  // of each rank
constexpr Bytes kBytes = 256;
constexpr std::int64_t kApart = 200'000;  // picoseconds between messages of a rank

int destination(int rank, int message) {
  return (rank + 1 + (rank * 7 + message * 5) % (kRanks - 1)) % kRanks;
}

std::vector<std::string> keys(const std::string& fidelity) {
  return {"fidelity=" + fidelity, "check=contributions"};
}

// Each rank computes from one message to the next.
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
BENCHMARK_CAPTURE(messages, program_flit, run_program, "flit")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(messages, session_flit, run_session, "flit")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::bench

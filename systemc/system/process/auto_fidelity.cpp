#include "system/process/auto_fidelity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fabric/trains/train_fabric.h"
#include "system/process/child_process.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

// The maximum number of runs that mix trains and flits. Each may find further messages that must move as
// flits.
constexpr int kMostRuns = 4;
// The largest fraction of messages that may move as flits in a run that mixes trains and flits. Up to this
// fraction, all such runs together cost no more than a run with leaps.
constexpr double kMostAsFlits = 0.25;

// Simulates with trains, in the child process. Returns the result, or the reason why trains are not enough.
Json run_trains(const RunAtFidelity& run, std::vector<std::int32_t> flit_ports) {
  fabric::Meetings meetings(std::move(flit_ports), kMostAsFlits);
  try {
    Json result = run(config::Fidelity::kTrain, &meetings);
    if (!meetings.met()) return {{"result", std::move(result)}};
  } catch (const ModelError&) {
    // Times are wrong once trains have met, so an error after that may not be real.
    if (!meetings.met()) throw;
  }
  Json ended = {{"reason", meetings.reason()}};
  if (!meetings.too_many() && meetings.pays()) ended["flit_ports"] = meetings.flit_ports();
  return ended;
}

struct Trains {
  std::optional<Json> result;
  std::string met;  // describes the first meeting; empty: none
};

Trains try_trains(const RunAtFidelity& run, const std::atomic<bool>* interrupted) {
  Trains trains;
  std::vector<std::int32_t> flit_ports;
  for (int i = 0; i < kMostRuns; ++i) {
    Json ended = run_in_child([&] { return run_trains(run, flit_ports); }, interrupted);
    if (ended.contains("result")) {
      trains.result = std::move(ended["result"]);
      return trains;
    }
    if (trains.met.empty()) trains.met = ended["reason"];
    if (!ended.contains("flit_ports")) return trains;
    auto more = ended["flit_ports"].get<std::vector<std::int32_t>>();
    if (more.size() == flit_ports.size()) return trains;
    flit_ports = std::move(more);
  }
  return trains;
}

}  // namespace

Json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid, const std::atomic<bool>* interrupted) {
  Trains trains = try_trains(run, interrupted);
  if (trains.result) {
    Json& result = *trains.result;
    if (!trains.met.empty()) result["fidelity_reason"] = trains.met;
    return std::move(result);
  }
  const bool affordable = !fluid || flit_hops <= kAffordableFlitHops;
  Json result = run(affordable ? config::Fidelity::kLeap : config::Fidelity::kFluid, nullptr);
  std::string reason = trains.met;
  if (!affordable) {
    reason += fmt::format(
        "; simulating the run's {:.2g} flit-hops one by one would take hours, so messages were simulated as "
        "fluids: for exact times, write fidelity: flit",
        flit_hops);
  }
  result["fidelity_reason"] = reason;
  return result;
}

}  // namespace coppice::system

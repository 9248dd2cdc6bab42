#include "system/process/auto_fidelity.h"

#include <string>

#include <fmt/format.h>

#include "fabric/trains/train_fabric.h"
#include "system/process/child_process.h"

namespace coppice::system {

nlohmann::ordered_json run_auto(const RunAtFidelity& run, double flit_hops, bool fluid,
                                const std::atomic<bool>* interrupted) {
  std::string reason;
  try {
    return run_in_child([&] { return run(config::Fidelity::kTrain); }, interrupted);
  } catch (const fabric::ContentionError& error) {
    reason = error.what();
  }
  const bool affordable = !fluid || flit_hops <= kAffordableFlitHops;
  nlohmann::ordered_json result = run(affordable ? config::Fidelity::kLeap : config::Fidelity::kFluid);
  if (!affordable) {
    reason += fmt::format(
        "; one by one its {:.2g} flit-hops would take hours, so that messages share channels as fluids do: "
        "fidelity: flit simulates them",
        flit_hops);
  }
  result["fidelity_reason"] = reason;
  return result;
}

}  // namespace coppice::system

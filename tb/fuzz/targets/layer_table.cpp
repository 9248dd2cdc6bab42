// Fuzzes SCALE-Sim's layer tables (CSV). It must be possible to compute the costs of an accepted table.
#include "base/error.h"
#include "input.h"
#include "workload/scale_sim.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  try {
    const workload::Model model = workload::import_scale_sim(fuzz::InputInMemory(data, size).path());
    if (model.parameters() < 0 || model.macs() < 0) std::abort();
  } catch (const ConfigError&) {
  }
  return 0;
}

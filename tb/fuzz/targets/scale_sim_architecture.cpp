// Fuzzes SCALE-Sim's architecture files.
#include "config/files/scale_sim_architecture.h"
#include "base/error.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  try {
    config::read_scale_sim_architecture(fuzz::InputInMemory(data, size).path(), 1'000'000'000);
  } catch (const ConfigError&) {
  }
  return 0;
}

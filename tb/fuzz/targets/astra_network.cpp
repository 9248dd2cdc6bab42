// Fuzzes ASTRA-sim's network files. An accepted file must give a size and a bandwidth for every dimension.
#include "config/files/astra_network.h"
#include "base/error.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  try {
    const fuzz::InputInMemory input(data, size);
    for (const auto& dimension : config::read_astra_network(input.path()).dimensions) {
      if (dimension.size < 2 || dimension.bandwidth.bytes_per_second < 1 || dimension.latency < 0)
        std::abort();
    }
  } catch (const ConfigError&) {
  }
  return 0;
}

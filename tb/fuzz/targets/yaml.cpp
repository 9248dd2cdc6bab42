// Fuzzes configurations. If a configuration is accepted, its resolved form must be accepted as well.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "config/effects.h"
#include "config/loader.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace coppice;
  for (const auto purpose : {config::Purpose::kRun, config::Purpose::kRoute}) {
    std::string resolved;
    try {
      const config::Loaded loaded = config::load(fuzz::InputInMemory(data, size).path(), {}, purpose);
      config::ineffective_keys(loaded, purpose);
      resolved = config::to_json(loaded.config).dump();
    } catch (const ConfigError&) {
      continue;
    }
    const auto* const text = reinterpret_cast<const std::uint8_t*>(resolved.data());
    const config::Loaded again =
        config::load(fuzz::InputInMemory(text, resolved.size()).path(), {}, config::Purpose::kTraffic);
    if (config::to_json(again.config).dump() != resolved) std::abort();
  }
  return 0;
}

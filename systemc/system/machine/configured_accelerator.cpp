#include "system/machine/configured_accelerator.h"

#include <stdexcept>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::system {
namespace {

accelerator::AcceleratorSpec spec_of(const config::AcceleratorConfig& config) {
  accelerator::AcceleratorSpec spec;
  spec.pes = config.pes;
  spec.array = {config.array.at(0), config.array.at(1), accelerator::parse_dataflow(config.dataflow),
                accelerator::parse_convention(config.convention), config.pe_latency};
  spec.clock = config.clock;
  spec.memory_bandwidth = config.memory_bandwidth;
  spec.split = accelerator::parse_split(config.split);
  spec.buffers = {config.buffers.input, config.buffers.weight, config.buffers.output};
  spec.tiling = accelerator::parse_tiling(config.tiling);
  spec.timing = accelerator::parse_timing(config.timing);
  spec.operands = accelerator::parse_element_type(config.operands);
  return spec;
}

}  // namespace

accelerator::Accelerator make_accelerator(const config::Loaded& loaded,
                                          std::optional<accelerator::Timing> timing) {
  try {
    accelerator::AcceleratorSpec spec = spec_of(loaded.config.system.accelerator);
    if (timing) spec.timing = *timing;
    return accelerator::Accelerator(spec);
  } catch (const std::invalid_argument& error) {
    constexpr const char* kTiming = "system.accelerator.timing";
    throw ConfigError(loaded.place(kTiming), fmt::format("{}: {}, or write formula", kTiming, error.what()));
  }
}

}  // namespace coppice::system

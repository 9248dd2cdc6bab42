#include "system/program/text_workload_program.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/files/file_kind.h"
#include "system/machine/build.h"
#include "topology/networks/dimension_widths.h"
#include "workload/text_program.h"

namespace coppice::system {
namespace {

constexpr const char* kModelKey = "training.model";

// The widths of the dimensions. If accelerators are not numbered by dimensions, the number of accelerators is
// the only width.
std::vector<int> widths_of(const topology::Topology& topology) {
  const std::vector<int> widths = topology::dimension_widths(topology);
  return widths.empty() ? std::vector<int>{topology.num_accelerators()} : widths;
}

}  // namespace

workload::TextWorkload load_text_workload(const config::Loaded& loaded) {
  const workload::Overlap overlap = loaded.config.training.overlap;
  if (overlap == workload::Overlap::kChained) {
    throw ConfigError(loaded.place("training.overlap"),
                      "training.overlap: chained is not available for text workloads, which have no "
                      "gradients to wait for individually: write layer_wise or none");
  }
  if (overlap == workload::Overlap::kBucketed) {
    throw ConfigError(loaded.place("training.overlap"),
                      "training.overlap: bucketed is not available for text workloads, which define what is "
                      "reduced together: write layer_wise or none");
  }
  const std::string& path = loaded.config.training.model;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw ConfigError(loaded.place(kModelKey),
                      fmt::format("{}: the text workload {} does not exist", kModelKey, path));
  }
  return config::read_as({config::FileKind::kTextWorkload}, path,
                         [&] { return workload::import_text_workload(path); });
}

namespace {

// Passes the text workload, the widths and the settings to `build`.
auto built(const config::Loaded& loaded, auto build) {
  const workload::TextWorkload workload = load_text_workload(loaded);
  const topology::Topology topology = build_topology(loaded);
  const config::TrainingConfig& training = loaded.config.training;
  try {
    return build(workload, widths_of(topology), training.all_gather_bytes, training.overlap);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(kModelKey),
                      fmt::format("{}: {}: {}", kModelKey, training.model, error.what()));
  }
}

}  // namespace

workload::Program load_text_program(const config::Loaded& loaded) {
  return built(loaded, workload::build_text_program);
}

workload::ReplicatedProgram load_text_copies(const config::Loaded& loaded) {
  return built(loaded, workload::build_replicated_text);
}

}  // namespace coppice::system

#include "system/program/folding/folded_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/index.h"
#include "config/settings/shape.h"
#include "system/machine/build.h"
#include "system/machine/time_guard.h"
#include "system/process/child_process.h"
#include "system/process/cost_meter.h"
#include "system/program/folding/folded_collectives.h"
#include "system/program/large_program.h"
#include "system/program/program_result.h"
#include "system/program/program_timeline.h"
#include "system/program/text_workload_program.h"
#include "system/program/verilog_program.h"
#include "workload/kernel_times.h"

namespace coppice::system {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKey = "training";

// Whether any option needs data about individual accelerators, which a run of one copy cannot provide.
bool watched(const RunOptions& options) {
  return options.record || !options.trace_path.empty() || !options.vcd_path.empty() ||
         !options.fst_path.empty() || !options.statistics_path.empty() || options.statistics != nullptr ||
         !options.message_observers.empty() || !options.fabric_observers.empty() || options.final_values ||
         options.meetings != nullptr || options.parts.make_accelerator || options.parts.make_memory;
}

// The size of all buffers of the whole program.
Bytes kept_bytes(const workload::ReplicatedProgram& replicated) {
  const workload::Program& program = replicated.program;
  const auto copies = static_cast<Bytes>(replicated.copies.size());
  Bytes kept = 0;
  for (const workload::GroupCollective& collective : program.collectives) {
    kept += collective.bytes * static_cast<Bytes>(program.groups[index(collective.group)].ranks.size());
  }
  for (const workload::Transfer& transfer : program.transfers) kept += 2 * transfer.bytes * copies;
  return kept;
}

Json run_copy(const ProgramSetup& setup, const RunOptions& options) {
  ProgramMachine machine(setup, options);
  const CostMeter cost;
  machine.run();
  const ProgramTimeline timeline(machine.state(), machine.fabric().period());
  return make_result(setup, machine, timeline, options.statistics_path, cost);
}

}  // namespace

std::optional<workload::ReplicatedProgram> load_replicated(const config::Loaded& loaded,
                                                           const RunOptions& options) {
  const config::Config& config = loaded.config;
  const bool trains =
      config.fidelity == config::Fidelity::kTrain || config.fidelity == config::Fidelity::kAuto;
  const bool text = config::trains_text_workload(config);
  if ((!text && !config::trains_large_model(config)) || !trains || watched(options)) return std::nullopt;
  if (!config.program.jobs.empty() || !config.program.failures.empty() || config.program.jitter.size() > 1) {
    return std::nullopt;
  }
  if (config.check == config::Check::kValues || runs_in_verilog(loaded) ||
      config.system.router.impl == config::Implementation::kRtl) {
    return std::nullopt;
  }
  auto replicated = text ? load_text_copies(loaded) : load_large_copies(loaded);
  if (replicated.copies.size() < 2 || !replicated.program.layers.empty()) return std::nullopt;
  const auto most = config::kValuesLimit;
  if (config.check == config::Check::kAuto && kept_bytes(replicated) <= most) return std::nullopt;
  const std::string& kernels = config.system.accelerator.kernels;
  if (!kernels.empty() && config::computes_by_size(config)) {
    workload::set_kernel_times(replicated.program, workload::read_kernel_times(kernels));
  }
  return replicated;
}

std::optional<Json> run_folded(const config::Loaded& loaded, const workload::ReplicatedProgram& replicated,
                               const RunOptions& options) {
  const topology::Topology machine = build_topology(loaded);
  if (replicated.program.ranks.size() != index(machine.num_accelerators())) return std::nullopt;
  const auto quotient = QuotientNetwork::find(machine, replicated.copies);
  if (quotient == nullptr) return std::nullopt;
  const auto routing = build_routing(loaded, machine);
  const workload::Program program = fold_program(replicated);
  const std::vector<Job> jobs{{program.name, 0, static_cast<int>(program.ranks.size()), 0}};
  const FoldedCopies copies{machine, *quotient, replicated, options.per_accelerator};
  try {
    PreparedProgram prepared = within_time(loaded, kKey, [&] {
      return PreparedProgram(
          loaded, kKey, program, jobs, quotient->topology(), resolve_ni_ports(loaded.config, machine),
          std::make_unique<FoldedCollectives>(loaded, machine, *routing, *quotient, replicated));
    });
    const ProgramSetup setup{.loaded = loaded,
                             .program = program,
                             .jobs = jobs,
                             .prepared = prepared,
                             .fidelity = config::Fidelity::kTrain,
                             .copies = &copies};
    return run_in_child([&] { return within_time(loaded, kKey, [&] { return run_copy(setup, options); }); },
                        options.interrupted);
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

}  // namespace coppice::system

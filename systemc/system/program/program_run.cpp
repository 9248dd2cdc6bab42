#include "system/program/program_run.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "config/files/file_kind.h"
#include "config/files/program_file.h"
#include "config/settings/shape.h"
#include "system/machine/build.h"
#include "system/machine/hierarchy.h"
#include "system/machine/symmetric_run.h"
#include "system/machine/time_guard.h"
#include "system/output/fst_file.h"
#include "system/output/statistics.h"
#include "system/process/auto_fidelity.h"
#include "system/process/child_process.h"
#include "system/process/cost_meter.h"
#include "system/program/failing_run.h"
#include "system/program/fluid_error.h"
#include "system/program/job_programs.h"
#include "system/program/large_program.h"
#include "system/program/lone_collective.h"
#include "system/program/program_machine.h"
#include "system/program/program_result.h"
#include "system/program/program_timeline.h"
#include "system/program/text_workload_program.h"
#include "system/program/verilog_program.h"
#include "workload/chakra/import.h"
#include "workload/kernel_times.h"

namespace coppice::system {
namespace {

using topology::NodeId;

// The configuration key from which the program comes.
std::string origin(const config::Loaded& loaded, const workload::Program& program) {
  if (is_collective(program)) {
    return loaded.config.training.model.empty() ? "collective.size" : "training.model";
  }
  if (config::work_of(loaded.config) == config::Work::kGroup) return "collective";
  if (config::runs_inference(loaded.config)) return "workload.inference";
  return loaded.places.contains("program") ? "program" : "training";
}

class ProgramRun {
 public:
  ProgramRun(const ProgramSetup& setup, const RunOptions& options) : setup_(setup), options_(options) {
    if (!options.fst_path.empty()) {
      fst_ = std::make_unique<FstFile>(options.fst_path);
      options_.fst_path = fst_->written_path();
    }
    machine_ = std::make_unique<ProgramMachine>(setup_, options_);
    if (machine_->trace() != nullptr && !is_collective(setup_.program))
      machine_->trace()->name_actors("accelerators");
  }

  nlohmann::ordered_json run() {
    const CostMeter cost;
    machine_->run();
    auto result = make_record(cost);
    if (fst_) {
      machine_.reset();  // destroying the machine closes the file
      fst_->finish();
    }
    return result;
  }

 private:
  nlohmann::ordered_json make_record(const CostMeter& cost) const {
    const ProgramTimeline timeline(machine_->state(), machine_->fabric().period(),
                                   machine_->complete() ? 0 : setup_.stop);
    if (machine_->trace() != nullptr) {
      if (!is_collective(setup_.program)) timeline.trace(*machine_->trace());
      machine_->trace()->finish();
    }
    auto result = make_result(setup_, *machine_, timeline, options_.statistics_path, cost);
    if (machine_->profile() != nullptr) {
      result["profile"] = machine_->profile()->to_json(result["cycles"].get<Cycles>());
      if (!is_collective(setup_.program)) result["profile"].update(timeline.lanes());
    }
    return result;
  }

  const ProgramSetup setup_;
  RunOptions options_;
  std::unique_ptr<FstFile> fst_;
  std::unique_ptr<ProgramMachine> machine_;
};

workload::Program load_trace(const config::Loaded& loaded) {
  const config::ProgramConfig& program = loaded.config.program;
  auto imported = config::read_as({config::FileKind::kTrace}, program.trace, [&] {
    return workload::chakra::import_chakra(program.trace, {program.groups, program.follow_control});
  });
  imported.program.assumptions = std::move(imported.assumptions);
  return std::move(imported.program);
}

void require_one_origin(const config::Loaded& loaded) {
  const config::Config& config = loaded.config;
  std::vector<const char*> set;
  if (!config.program.jobs.empty()) set.push_back("program.jobs");
  if (!config.program.file.empty()) set.push_back("program.file");
  if (!config.program.trace.empty()) set.push_back("program.trace");
  if (!config.training.model.empty()) set.push_back("training.model");
  if (config::runs_inference(config)) set.push_back("workload.inference.model");
  if (set.size() < 2) return;
  throw ConfigError(loaded.place(set[1]),
                    fmt::format("{} and {} both set the workload: remove one of them", set[0], set[1]));
}

workload::Program load_origin(const config::Loaded& loaded) {
  if (!loaded.config.program.jobs.empty()) return load_jobs(loaded);
  if (config::trains_text_workload(loaded.config)) return load_text_program(loaded);
  if (config::runs_inference(loaded.config)) return load_inference(loaded);
  if (config::trains_large_model(loaded.config)) return load_large_program(loaded);
  if (!loaded.config.program.trace.empty()) return load_trace(loaded);
  if (!loaded.config.program.file.empty()) return config::read_program_file(loaded.config.program.file);
  return make_lone_collective(loaded);
}

}  // namespace

workload::Program load_program(const config::Loaded& loaded) {
  require_one_origin(loaded);
  workload::Program program = load_origin(loaded);
  const std::string& kernels = loaded.config.system.accelerator.kernels;
  if (!kernels.empty() && config::computes_by_size(loaded.config)) {
    workload::set_kernel_times(program, workload::read_kernel_times(kernels));
  }
  return program;
}

namespace {

// Runs a program on a network, up to cycle `stop` (0: to the end).
class Stretch {
 public:
  Stretch(const config::Loaded& loaded, const workload::Program& program, const std::vector<Job>& jobs,
          const GradientChain& chain, const RunOptions& options, const topology::Topology& network,
          Cycles stop)
      : loaded_(loaded),
        program_(program),
        jobs_(jobs),
        chain_(chain),
        options_(options),
        stop_(stop),
        key_(origin(loaded, program)),
        prepared_(within_time(loaded, key_, [&] {
          return std::make_unique<PreparedProgram>(loaded, key_, program, jobs, network, nullptr,
                                                   GroupRouting::kOwnNetwork, options.pattern_beyond);
        })) {}

  // Runs at the configured fidelity. `auto` tries trains in a child process and, if they are insufficient,
  // simulates flits with leaps. If a waveform (--vcd) must show flits, it simulates flits from the start.
  nlohmann::ordered_json run() const {
    require_waves();
    const bool verilog = runs_in_verilog(loaded_) || routers_in_verilog();
    const config::Fidelity fidelity = asked();
    if (verilog) {
      if (fidelity != config::Fidelity::kFlit && fidelity != config::Fidelity::kAuto) {
        throw ConfigError(loaded_.place("fidelity"),
                          "fidelity: Verilog modules need flits: write flit or auto");
      }
      return run_at(config::Fidelity::kFlit);
    }
    if (auto result = run_symmetric()) return *std::move(result);
    if (fidelity == config::Fidelity::kFluid) return run_fluid();
    if (fidelity != config::Fidelity::kAuto) {
      return run_at(fidelity, fidelity == config::Fidelity::kTrain ? options_.meetings : nullptr);
    }
    if (!options_.vcd_path.empty()) return run_at(config::Fidelity::kFlit);
    return run_auto(
        [this](config::Fidelity at, fabric::Meetings* meetings) {
          return at == config::Fidelity::kFluid ? run_fluid() : run_at(at, meetings);
        },
        prepared_->alone ? 0 : prepared_->flit_hops, !prepared_->alone, options_.interrupted);
  }

  // Builds the machine of the run without simulating any cycle.
  std::unique_ptr<const ProgramMachine> machine() const {
    const config::Fidelity fidelity = asked() == config::Fidelity::kAuto ? config::Fidelity::kFlit : asked();
    return std::make_unique<const ProgramMachine>(setup(fidelity, nullptr, nullptr), options_);
  }

 private:
  config::Fidelity asked() const { return loaded_.config.fidelity; }
  bool routers_in_verilog() const {
    return loaded_.config.system.router.impl == config::Implementation::kRtl;
  }

  void require_waves() const {
    if (!options_.fst_path.empty() && !runs_in_verilog(loaded_)) {
      throw ConfigError(loaded_.place("system.ni.impl"),
                        "--fst: the waveform shows a Verilog network interface: set system.ni.impl to rtl");
    }
    if (!options_.fst_path.empty() && !prepared_->alone) {
      throw ConfigError(
          {"--fst"},
          "--fst: a program's network interfaces have contexts, for which there is no waveform: use --vcd to "
          "show their ports, or --trace to show operations, messages and channels");
    }
    if (options_.vcd_path.empty()) return;
    if (asked() == config::Fidelity::kLeap) {
      throw ConfigError(loaded_.place("fidelity"),
                        "fidelity: leap skips flits that a waveform (--vcd) must show: write flit");
    }
    if (asked() == config::Fidelity::kFluid) {
      throw ConfigError(loaded_.place("fidelity"),
                        "fidelity: fluid has no flits for a waveform (--vcd): write flit");
    }
  }

  ProgramSetup setup(config::Fidelity fidelity, fabric::Meetings* meetings,
                     const SymmetricRun* symmetric) const {
    return {.loaded = loaded_,
            .program = program_,
            .jobs = jobs_,
            .prepared = *prepared_,
            .fidelity = fidelity,
            .chain = &chain_,
            .meetings = meetings,
            .symmetric = symmetric,
            .stop = stop_};
  }

  nlohmann::ordered_json run_at(config::Fidelity fidelity, fabric::Meetings* meetings = nullptr) const {
    return run_with(setup(fidelity, meetings, nullptr));
  }
  nlohmann::ordered_json run_with(const ProgramSetup& with) const {
    return within_time(loaded_, key_, [&] { return ProgramRun(with, options_).run(); });
  }
  // Leaves the machine to the end of the process, since SystemC searches a list of all modules whenever it
  // destroys one.
  nlohmann::ordered_json run_undestroyed(const ProgramSetup& with) const {
    return within_time(loaded_, key_,
                       [&] { return std::make_unique<ProgramRun>(with, options_).release()->run(); });
  }

  // Simulates fluid flows and measures their error on a sample. The sample of a chained pass is the whole
  // program, since gradient queues count the bytes of the whole collective.
  nlohmann::ordered_json run_fluid() const {
    const double work = chain_.layers.empty() ? prepared_->flit_hops : 0;
    const auto measured = measure_fluid_error(
        program_, work,
        [this](const workload::Program& sample, config::Fidelity fidelity) {
          return run_sample(sample, fidelity);
        },
        options_.interrupted);
    auto result = run_at(config::Fidelity::kFluid);
    write_fluid_error(measured, result);
    return result;
  }

  nlohmann::ordered_json run_sample(const workload::Program& sample, config::Fidelity fidelity) const {
    config::Loaded loaded = loaded_;
    loaded.config.fidelity = fidelity;
    loaded.config.check = config::Check::kOff;
    if (prepared_->alone) loaded.config.collective.size = sample.collectives.front().bytes;
    RunOptions options;
    options.interrupted = options_.interrupted;
    options.parts = options_.parts;
    const Stretch small(loaded, sample, jobs_, chain_, options, prepared_->topology, stop_);
    return fidelity == config::Fidelity::kFluid ? small.run_at(fidelity) : small.run();
  }

  // Whether one accelerator's trains may represent those of all accelerators. This requires that no observer
  // needs individual messages in order, and that accelerators' times do not depend on data.
  bool may_represent_by_one() const {
    const bool trains = asked() == config::Fidelity::kTrain || asked() == config::Fidelity::kAuto;
    const bool watched =
        !options_.by_one_here &&
        (!options_.trace_path.empty() || !options_.vcd_path.empty() || !options_.message_observers.empty() ||
         !options_.fabric_observers.empty() || options_.statistics != nullptr || options_.final_values);
    const bool own_modules = options_.parts.make_accelerator || options_.parts.make_memory;
    return prepared_->alone && trains && options_.meetings == nullptr && !watched && !own_modules &&
           !loaded_.config.system.accelerator.memory_bandwidth;
  }

  // Simulates one accelerator's trains in a child process. Returns nullopt if trains meet or the run fails; a
  // run of all accelerators then reports the cause.
  std::optional<nlohmann::ordered_json> run_symmetric() const {
    if (!may_represent_by_one()) return std::nullopt;
    const CompiledCollective& only = *prepared_->only;
    const auto symmetric = find_symmetric_run(prepared_->topology, only.schedule, only.report);
    if (symmetric == nullptr) return std::nullopt;
    const ProgramSetup by_one = setup(config::Fidelity::kTrain, nullptr, symmetric.get());
    if (options_.by_one_here) return run_with(by_one);
    try {
      return run_in_child([&] { return run_undestroyed(by_one); }, options_.interrupted);
    } catch (const ModelError&) {
      return std::nullopt;
    }
  }

  const config::Loaded& loaded_;
  const workload::Program& program_;
  const std::vector<Job>& jobs_;
  const GradientChain& chain_;
  const RunOptions& options_;
  const Cycles stop_;
  const std::string key_;
  const std::unique_ptr<PreparedProgram> prepared_;
};

// The jobs of the program. The training of a layer table is not a configured program, so it is a single job.
std::vector<Job> jobs_that_run(const config::Loaded& loaded, const workload::Program& program) {
  if (config::runs_program(loaded.config)) return jobs_of(loaded.config, program);
  return {{program.name, 0, static_cast<int>(program.ranks.size()), 0}};
}

template <typename Describe>
std::string describe_machine(const config::Loaded& loaded, Describe describe) {
  const workload::Program program = make_lone_collective(loaded);
  const std::vector<Job> jobs{{program.name, 0, static_cast<int>(program.ranks.size()), 0}};
  const GradientChain none;
  const RunOptions options;
  const Stretch stretch(loaded, program, jobs, none, options, build_topology(loaded), 0);
  const auto machine = stretch.machine();
  return describe(machine->machine());
}

}  // namespace

std::string describe_modules(const config::Loaded& loaded) {
  return describe_machine(loaded, [](const Machine& /*machine*/) { return describe_hierarchy(); });
}

std::string describe_quantities(const config::Loaded& loaded) {
  return describe_machine(loaded, describe_statistics);
}

nlohmann::ordered_json run_program(const config::Loaded& loaded, const workload::Program& program,
                                   const RunOptions& options, const GradientChain& chain) {
  const std::string key = origin(loaded, program);
  try {
    workload::check_program(program);
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, error.what()));
  }
  if (loaded.config.program.failures.empty() || !config::runs_program(loaded.config)) {
    const std::vector<Job> jobs = jobs_that_run(loaded, program);
    return Stretch(loaded, program, jobs, chain, options, build_topology(loaded), 0).run();
  }
  return run_failing(
      loaded, program, options,
      [&](const workload::Program& left, const std::vector<Job>& jobs, const topology::Topology& network,
          Cycles stop) { return Stretch(loaded, left, jobs, chain, options, network, stop).run(); });
}

}  // namespace coppice::system

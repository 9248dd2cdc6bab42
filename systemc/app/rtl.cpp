// coppice rtl: writes the network of a configuration in Verilog, with a testbench that compares its data and
// its number of cycles with the model's.
#include "app/rtl.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/interrupt.h"
#include "app/progress.h"
#include "base/error.h"
#include "config/settings/shape.h"
#include "ni/memory/memory.h"
#include "rtl_writer/folder.h"
#include "system/machine/build.h"
#include "system/machine/time_guard.h"
#include "system/program/lone_collective.h"
#include "system/program/program_run.h"

namespace coppice::app {
namespace {

struct RtlLine {
  Input input;
  std::string out;
};

// Throws unless the configuration describes a single collective that is simulated flit by flit, since tiles
// hold the tables of one collective.
void require_collective(const config::Loaded& loaded) {
  const auto refuse = [&](const char* key, const std::string& what) {
    throw ConfigError(loaded.place(key), fmt::format("{} {}", key, what));
  };
  if (loaded.config.collective.op == workload::CollectiveOp::kAllToAll) {
    refuse("collective.op",
           "is all_to_all, whose result the testbench cannot check: write all_reduce, reduce_scatter, "
           "all_gather, broadcast or reduce");
  }
  if (!loaded.config.collective.group.empty()) {
    refuse("collective.group", "is set, but in Verilog all accelerators participate: leave it out");
  }
  const config::Work work = config::work_of(loaded.config);
  if (work != config::Work::kCollective) {
    const char* const key = work == config::Work::kProgram     ? "program"
                            : work == config::Work::kInference ? "workload.inference"
                                                               : "training";
    refuse(key, "is set, but tiles hold the tables of a single collective: replace it with collective");
  }
  if (loaded.config.fidelity == config::Fidelity::kFluid) {
    refuse("fidelity", "is fluid, which has no flits to compare with Verilog: write flit");
  }
}

// Runs the model flit by flit. Memories contain values, and their contents are recorded before and after the
// run.
rtl_writer::ModelRun run_model(config::Loaded loaded, int accelerators) {
  loaded.config.fidelity = config::Fidelity::kFlit;
  loaded.config.check = config::Check::kValues;
  rtl_writer::ModelRun run;
  run.before.resize(static_cast<std::size_t>(accelerators));
  run.after.resize(static_cast<std::size_t>(accelerators));
  system::RunOptions options;
  options.interrupted = &catch_interrupts();
  // Returns no module, so that the default memory is used, but records its contents before the run.
  options.parts.make_memory = [&run](topology::NodeId node, ni::GradientMemory& contents) {
    const auto values = dynamic_cast<const ni::ValueMemory&>(contents).values();
    run.before[static_cast<std::size_t>(node)].assign(values.begin(), values.end());
    return std::unique_ptr<ni::MemoryModule>();
  };
  options.final_values = [&run](int accelerator, std::span<const float> values) {
    run.after[static_cast<std::size_t>(accelerator)].assign(values.begin(), values.end());
  };
  ProgressLine progress(loaded.config.collective.algorithm);
  options.progress = progress.callback();
  const auto result = system::run_program(loaded, system::load_program(loaded), options);
  run.cycles = result.at("cycles").get<Cycles>();
  return run;
}

void execute(const RtlLine& line) {
  catch_interrupts();
  const config::Loaded loaded = load(line.input, config::Purpose::kRun);
  require_collective(loaded);
  const system::LoneSchedule lone = system::within_time(
      loaded, "collective.size", [&] { return system::schedule_lone_collective(loaded); });
  const rtl_writer::Design design{loaded, lone.network, lone.compiled.schedule,
                                  system::resolve_ni_ports(loaded.config, lone.network)};
  rtl_writer::require_verilog(design);
  rtl_writer::Folder folder("--out", line.out);
  const rtl_writer::ModelRun run = run_model(loaded, design.tiles());
  rtl_writer::write_network(design, run, config::to_json(loaded.config).dump(2) + "\n", folder);
  folder.commit();
  print(fmt::format("{}: {} tiles, {} switches, {} channels; 'make -C {} test' must finish after {} cycles\n",
                    line.out, design.tiles(), lone.network.num_switches(), lone.network.channels().size(),
                    line.out, run.cycles));
}

}  // namespace

Command add_rtl(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("rtl",
                                        "write the network in Verilog, with tables, a testbench that checks "
                                        "the cycle count, and project files");
  auto line = std::make_shared<RtlLine>();
  add_input(*app, line->input);
  app->add_option("--out", line->out, "the output folder, which must be new or empty")
      ->type_name("FOLDER")
      ->required();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app

// coppice run: simulates and verifies a collective, a program or the training of a model.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "config/settings/shape.h"
#include "system/output/hardware.h"
#include "system/program/folding/folded_run.h"
#include "system/program/large_program.h"
#include "system/program/program_result.h"
#include "system/program/program_run.h"
#include "system/training/training_result.h"
#include "system/training/training_run.h"

namespace coppice::app {
namespace {

struct RunLine {
  Input input;
  std::string out;
  std::string trace;
  std::string vcd;
  std::string fst;
  std::string statistics;
  int threads = 0;
  bool record = false;
  bool per_accelerator = false;
  Style style;
};

void refuse_rtl(const config::Loaded& loaded) {
  const auto refuse = [&](const char* key, config::Implementation implementation) {
    if (implementation != config::Implementation::kRtl) return;
    throw ConfigError(
        loaded.place(key),
        fmt::format("{}: rtl supports only collectives, not the training of a model: write systemc", key));
  };
  refuse("system.ni.impl", loaded.config.system.ni.impl);
  refuse("system.router.impl", loaded.config.system.router.impl);
}

void execute(const RunLine& line) {
  const config::Loaded loaded =
      load(line.input, config::Purpose::kRun, !line.vcd.empty() || !line.fst.empty());
  const bool trains = !config::runs_program(loaded.config) && !loaded.config.training.model.empty();
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  outputs.add("--trace", line.trace);
  outputs.add("--vcd", line.vcd);
  outputs.add("--fst", line.fst);
  outputs.add("--statistics", line.statistics);

  system::RunOptions options;
  options.trace_path = line.trace;
  options.vcd_path = line.vcd;
  options.fst_path = line.fst;
  options.statistics_path = line.statistics;
  options.threads = line.threads;
  options.record = line.record;
  options.per_accelerator = line.per_accelerator;
  options.interrupted = &catch_interrupts();
  if (trains) refuse_rtl(loaded);
  nlohmann::ordered_json result;
  {
    ProgressLine progress(loaded.config.collective.algorithm);
    options.progress = progress.callback();
    if (trains) {
      result = system::run_training(loaded, options);
    } else {
      std::optional<nlohmann::ordered_json> folded;
      if (const auto replicated = system::load_replicated(loaded, options)) {
        outputs.refuse_inputs();
        folded = system::run_folded(loaded, *replicated, options);
      }
      if (folded) {
        result = *std::move(folded);
      } else {
        const workload::Program program = system::load_program(loaded);
        outputs.refuse_inputs();
        result = system::run_program(loaded, program, options);
      }
    }
  }
  system::add_inference(result, loaded.config);
  system::add_hardware(result, loaded);
  warn(result, loaded);
  if (out != nullptr) out->write(json_text(result));
  print_result(line.style, result, trains ? system::summarize_training(result) : system::summarize(result));
}

}  // namespace

Command add_run(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("run", "simulate a collective cycle by cycle and verify its result");
  auto line = std::make_shared<RunLine>();
  add_input(*app, line->input);
  add_style(*app, line->style);
  app->add_option("--out", line->out, "write the result as JSON")->type_name("RESULT.json");
  app->add_option("--trace", line->trace, "write a trace for Perfetto")->type_name("FILE");
  app->add_option("--vcd", line->vcd,
                  "write a VCD waveform of the accelerators in observe.nodes, for GTKWave")
      ->type_name("FILE");
  app->add_option(
         "--fst", line->fst,
         "write an FST waveform of every signal of the first node in observe.nodes; its NI must be Verilog")
      ->type_name("FILE");
  app->add_option("--statistics", line->statistics, "write every module's statistics as CSV")
      ->type_name("FILE");
  app->add_flag(
      "--record", line->record,
      "store activity over time in RESULT.json, so that coppice report need not repeat the run to show it");
  app->add_flag("--per-accelerator", line->per_accelerator,
                "list every accelerator in RESULT.json, even if all copies of a model behave identically");
  app->add_option("--threads", line->threads,
                  "number of threads that simulate flits; 0: one per core, or a single thread for small runs")
      ->check(CLI::Range(0, 256))
      ->type_name("N");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app

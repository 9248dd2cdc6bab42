// coppice route: simulates training jobs on a Clos network, with paths assigned by the configured method.
#include <memory>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "system/cluster/route_study.h"

namespace coppice::app {
namespace {

struct RouteLine {
  Input input;
  std::string out;
  Style style;
  std::string trace;
};

void execute(const RouteLine& line) {
  const config::Loaded loaded = load(line.input, config::Purpose::kRoute);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  outputs.add("--trace", line.trace);
  system::RunOptions options;
  options.trace_path = line.trace;
  options.interrupted = &catch_interrupts();
  nlohmann::ordered_json result;
  {
    ProgressLine progress(loaded.config.routing.method);
    options.progress = progress.callback();
    result = system::run_route_study(loaded, options);
  }
  warn(result, loaded);
  if (out != nullptr) out->write(json_text(result));
  print_result(line.style, result, system::summarize_route_study(result));
}

}  // namespace

Command add_route(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "route", "simulate training jobs on a Clos network, with paths assigned by routing.method");
  auto line = std::make_shared<RouteLine>();
  add_input(*app, line->input);
  add_style(*app, line->style);
  app->add_option("--out", line->out, "write the result as JSON")->type_name("FILE");
  app->add_option("--trace", line->trace, "write a trace for Perfetto")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app

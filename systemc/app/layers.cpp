// coppice layers: prints the cost of every pass over every layer on an accelerator.
#include <memory>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "system/training/layer_study.h"

namespace coppice::app {
namespace {

struct LayersLine {
  Input input;
  std::string out;
  std::string csv;
};

void execute(const LayersLine& line) {
  catch_interrupts();
  const config::Loaded loaded = load(line.input, config::Purpose::kLayers);
  Outputs outputs(line.input.path, loaded);
  system::ResultFile* out = outputs.add("--out", line.out);
  system::ResultFile* csv = outputs.add("--csv", line.csv);
  const nlohmann::ordered_json study = system::study_layers(loaded);
  warn(study, loaded);
  if (out != nullptr) out->write(json_text(study));
  if (csv != nullptr) csv->write(system::layers_csv(study));
  print(system::summarize_layers(study));
}

}  // namespace

Command add_layers(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "layers", "compute the cost of each layer on an accelerator: cycles, utilization, traffic and stalls");
  auto line = std::make_shared<LayersLine>();
  add_input(*app, line->input);
  app->add_option("--out", line->out, "write the costs as JSON")->type_name("FILE");
  app->add_option("--csv", line->csv, "write the costs as CSV")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app

// coppice convert: writes the program that a configuration describes as Chakra traces, one a rank.
#include <memory>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "base/error.h"
#include "config/settings/shape.h"
#include "system/program/program_run.h"
#include "workload/chakra/export.h"

namespace coppice::app {
namespace {

struct ConvertLine {
  Input input;
  std::string out;
};

void execute(const ConvertLine& line) {
  catch_interrupts();
  const config::Loaded loaded = load(line.input, config::Purpose::kRun);
  if (!config::runs_program(loaded.config)) {
    throw ConfigError(loaded.top,
                      "there is no program to convert: training.parallel, program.file or "
                      "program.trace describes one");
  }
  const workload::Program program = system::load_program(loaded);
  Outputs outputs(line.input.path, loaded);
  std::vector<system::ResultFile*> files;
  const auto ranks = static_cast<int>(program.ranks.size());
  for (int rank = 0; rank < ranks; ++rank) {
    files.push_back(outputs.add("--out", workload::chakra::trace_file(line.out, rank)));
  }
  std::size_t operations = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    files[static_cast<std::size_t>(rank)]->write(workload::chakra::trace_of(program, rank));
    operations += program.ranks[static_cast<std::size_t>(rank)].operations.size();
  }
  print(fmt::format("{} operations of {} ranks in {}\n", operations, ranks,
                    workload::chakra::trace_file(line.out, 0) + (ranks > 1 ? " and its like" : "")));
}

}  // namespace

Command add_convert(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("convert", "write a program as Chakra traces, which other simulators run");
  auto line = std::make_shared<ConvertLine>();
  add_input(*app, line->input);
  app->add_option("--out", line->out, "prefix of the file names: PREFIX.RANK.et")
      ->type_name("PREFIX")
      ->required();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app

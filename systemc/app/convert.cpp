// coppice convert: writes a network in another format, or a configuration's program as Chakra traces, one per
// rank.
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/command.h"
#include "app/interrupt.h"
#include "app/outputs.h"
#include "app/print_network.h"
#include "base/error.h"
#include "config/document/document.h"
#include "config/files/network_file.h"
#include "config/settings/shape.h"
#include "system/machine/build.h"
#include "system/program/program_run.h"
#include "workload/chakra/export.h"

namespace coppice::app {
namespace {

constexpr const char* kChakra = "chakra";

struct ConvertLine {
  Input input;
  std::string to = kChakra;
  std::string out;
};

bool is_configuration(const std::string& path) {
  const bool named = path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
  return named && !config::is_yaml_network(config::read_document_text(path));
}

topology::Topology read_network(const ConvertLine& line) {
  if (is_configuration(line.input.path)) {
    return system::build_topology(
        config::load(line.input.path, line.input.overrides, config::Purpose::kTraffic));
  }
  if (!line.input.overrides.empty()) {
    throw ConfigError(
        {"--set"},
        fmt::format("{} is a network, which has no keys to override: leave out --set", line.input.path));
  }
  const config::SystemConfig usual;
  try {
    const topology::GraphFile file = config::read_network_file(
        line.input.path,
        {.link = {usual.link.bandwidth.front(), usual.link.latency.front()}, .cycle = usual.clock.period()});
    for (const std::string& assumption : file.assumptions) {
      std::fputs(fmt::format("{}: assumed: {}\n", line.input.path, assumption).c_str(), stderr);
    }
    return file.topology;
  } catch (const UnsupportedError& error) {
    throw ConfigError({line.input.path}, error.what());
  }
}

void convert_network(const ConvertLine& line) {
  Outputs outputs({line.input.path});
  system::ResultFile* const file = outputs.add("--out", line.out);
  const std::string text = print_network(read_network(line), line.to, "--to");
  if (file != nullptr) {
    file->write(text);
  } else {
    print(text);
  }
}

void execute(const ConvertLine& line) {
  catch_interrupts();
  if (line.to != kChakra) {
    convert_network(line);
    return;
  }
  if (line.out.empty())
    throw ConfigError({"--out"}, "Chakra traces need a file name prefix: write --out PREFIX");
  const config::Loaded loaded = load(line.input, config::Purpose::kRun);
  if (!config::runs_program(loaded.config)) {
    throw ConfigError(
        loaded.top,
        "the configuration has no program to convert: set training.parallel, program.file or program.trace");
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
  print(fmt::format(
      "{} operations of {} ranks in {}\n", operations, ranks,
      workload::chakra::trace_file(line.out, 0) + (ranks > 1 ? " and the files of the other ranks" : "")));
}

}  // namespace

Command add_convert(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("convert", "convert a network to another format, or a program to Chakra traces");
  auto line = std::make_shared<ConvertLine>();
  add_input(*app, line->input);
  app->add_option("--to", line->to,
                  "output format: graph, graphml, dot, infragraph or tacos for a network (from a "
                  "configuration, or any file that system.topology.file accepts); chakra for a program")
      ->type_name("FORM")
      ->capture_default_str();
  app->add_option("--out", line->out,
                  "for a network, the file to write (default: standard output); for traces, their file name "
                  "prefix: PREFIX.RANK.et")
      ->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/loader.h"

namespace coppice::app {

// A subcommand: `execute` runs after a command line that names it. It throws ConfigError, ModelError or
// system::Interrupted; main() turns them into messages and exit statuses.
struct Command {
  CLI::App* line = nullptr;
  std::function<void()> execute;
};

// Each adds its subcommand, one file per function.
Command add_run(CLI::App& parent);
Command add_traffic(CLI::App& parent);
Command add_schedule(CLI::App& parent);
Command add_bound(CLI::App& parent);
Command add_chunks(CLI::App& parent);
Command add_route(CLI::App& parent);
Command add_layers(CLI::App& parent);
Command add_list(CLI::App& parent);
Command add_explain(CLI::App& parent);
Command add_report(CLI::App& parent);

// The configuration that a command line names.
struct Input {
  std::string path;
  std::vector<std::string> overrides;
};

// CONFIG.yaml and --set.
void add_input(CLI::App& line, Input& input);

// Loads the configuration and warns on stderr of keys without effect.
config::Loaded load(const Input& input, config::Purpose purpose, bool records_waves = false);

// Throws ModelError if standard output takes no more.
void print(std::string_view text);

}  // namespace coppice::app

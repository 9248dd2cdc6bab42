#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "config/loader.h"

namespace coppice::app {

// A subcommand: `execute` runs if the command line selects it. It throws ConfigError, ModelError or
// system::Interrupted; main() turns them into messages and exit statuses.
struct Command {
  CLI::App* line = nullptr;
  std::function<void()> execute;
};

// Each function adds its subcommand; one file per function.
Command add_run(CLI::App& parent);
Command add_traffic(CLI::App& parent);
Command add_schedule(CLI::App& parent);
Command add_bound(CLI::App& parent);
Command add_compare(CLI::App& parent);
Command add_chunks(CLI::App& parent);
Command add_route(CLI::App& parent);
Command add_modules(CLI::App& parent);
Command add_layers(CLI::App& parent);
Command add_convert(CLI::App& parent);
Command add_list(CLI::App& parent);
Command add_explain(CLI::App& parent);
Command add_topology(CLI::App& parent);
Command add_schema(CLI::App& parent);
Command add_report(CLI::App& parent);

// The configuration selected by a command line.
struct Input {
  std::string path;
  std::vector<std::string> overrides;
};

// Adds CONFIG.yaml and --set.
void add_input(CLI::App& line, Input& input);

// Loads the configuration and prints warnings about keys without effect on stderr; results repeat them.
config::Loaded load(const Input& input, config::Purpose purpose, bool records_waves = false);
// Prints the warnings found by load().
void warn(config::Loaded& loaded, config::Purpose purpose, bool records_waves = false);
// Prints the warnings of a result except those printed when its configuration was loaded.
void warn(const nlohmann::ordered_json& result, const config::Loaded& loaded);

// Prints to standard output. Throws ModelError if that fails.
void print(std::string_view text);

// The output style of a command that prints a summary.
struct Style {
  bool quiet = false;  // print nothing
  bool json = false;   // print the result as JSON, as --out writes it
};

// Adds --quiet and --json.
void add_style(CLI::App& line, Style& style);

// Stores the command line for the results that json_text() writes.
void remember_command_line(std::span<char*> words);

// Formats a result as JSON, adding the command line and the commit that was built. Replaces bytes that are
// not UTF-8 in names from input files (layers, collectives of a trace).
std::string json_text(const nlohmann::ordered_json& result);
// Prints the summary, with a bold first line on a terminal, or the output requested by the style.
void print_result(const Style& style, const nlohmann::ordered_json& result, std::string_view summary);

// Whether to use colours on standard output or error (descriptor 1 or 2): if it is a terminal and NO_COLOR is
// not set.
bool shows_colours(int descriptor);

}  // namespace coppice::app

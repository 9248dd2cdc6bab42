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

// A subcommand. `execute` is called if the command line selects the subcommand. It may throw ConfigError,
// ModelError or system::Interrupted, which main() converts to a message and an exit status.
struct Command {
  CLI::App* line = nullptr;
  std::function<void()> execute;
};

// Each of these functions adds a subcommand, and is defined in a file of its own.
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

// The configuration that a command line selects.
struct Input {
  std::string path;
  std::vector<std::string> overrides;
};

// Adds the argument CONFIG.yaml and the option --set.
void add_input(CLI::App& line, Input& input);

// Loads the configuration, and prints warnings about keys without effect to standard error. The warnings are
// also copied into the results.
config::Loaded load(const Input& input, config::Purpose purpose, bool records_waves = false);
// Prints the warnings about a configuration that has been loaded.
void warn(config::Loaded& loaded, config::Purpose purpose, bool records_waves = false);
// Prints the warnings in a result, except those that were printed when its configuration was loaded.
void warn(const nlohmann::ordered_json& result, const config::Loaded& loaded);

// Prints a text to standard output. Throws ModelError if this fails.
void print(std::string_view text);

// How a command that prints a summary presents its result.
struct Style {
  bool quiet = false;  // do not print the result
  bool json = false;   // print the result as JSON, as --out writes it
};

// Adds the options --quiet and --json.
void add_style(CLI::App& line, Style& style);

// Stores the command line, so that json_text() can include it in results.
void remember_command_line(std::span<char*> words);

// Formats a result as JSON, and adds the command line and the commit that was built. Names from input files,
// such as those of layers, may contain bytes that are not UTF-8; these are replaced.
std::string json_text(const nlohmann::ordered_json& result);
// Prints a result as the style requests: as JSON, not at all, or by default as the summary, whose first line
// is bold on a terminal.
void print_result(const Style& style, const nlohmann::ordered_json& result, std::string_view summary);

// Whether to use colours on standard output or standard error (descriptor 1 or 2): it must be a terminal, and
// the environment variable NO_COLOR must not be set.
bool shows_colours(int descriptor);

}  // namespace coppice::app

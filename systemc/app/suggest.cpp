#include "app/suggest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "config/document/nearest.h"
#include "config/schema.h"

namespace coppice::app {
namespace {

// Whether `name` may be a misspelling of `other`: at most one letter in three is wrong.
bool comes_near(const std::string& name, const std::string& other) {
  return 3 * config::edit_distance(name, other) <= static_cast<int>(std::max(name.size(), other.size()));
}

std::string nearest_command(const CLI::App& coppice, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* line : coppice.get_subcommands({})) names.push_back(line->get_name());
  const std::string near = config::nearest(name, names);
  std::string text = fmt::format("coppice: unknown command '{}'", name);
  if (comes_near(name, near)) text += fmt::format("; did you mean '{}'?", near);
  return text + "\nRun coppice --help for a list of commands.";
}

std::vector<std::string> options_of(const CLI::App& line) {
  std::vector<std::string> names;
  for (const CLI::Option* option : line.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The key whose path is the name of an option, or ends with this name; empty if there is none.
std::string key_of(const std::string& option) {
  std::string name = option.substr(2);
  std::ranges::replace(name, '-', '_');
  std::string found;
  for (const config::Key& key : config::keys()) {
    const bool ends = key.path == name || key.path.ends_with("." + name);
    // If several keys match, choose the shortest one, which belongs to the collective or to the system as a
    // whole.
    if (ends && (found.empty() || key.path.size() < found.size())) found = key.path;
  }
  return found;
}

std::string about_option(const CLI::App& line, const std::string& argument, const std::string& value) {
  const std::size_t equals = argument.find('=');
  const std::string option = argument.substr(0, equals);
  const std::string given = equals == std::string::npos ? value : argument.substr(equals + 1);
  const std::string said = fmt::format("coppice {}: unknown option {}", line.get_name(), option);
  const std::string key = key_of(option);
  const std::vector<std::string> options = options_of(line);
  const bool overrides = std::ranges::find(options, "--set") != options.end();
  if (!key.empty() && overrides) {
    return fmt::format("{}; to set the configuration key, write --set {}={}", said, key,
                       given.empty() ? "VALUE" : given);
  }
  const std::string near = config::nearest(option, options);
  return comes_near(option, near) ? fmt::format("{}; did you mean {}?", said, near) : said;
}

}  // namespace

std::string suggestion(const CLI::App& coppice, int count, const char* const* arguments) {
  if (count < 2) return "";
  const std::string first = arguments[1];
  if (first.starts_with('-')) return "";
  const auto lines = coppice.get_subcommands([&](const CLI::App* line) { return line->get_name() == first; });
  if (lines.empty()) return nearest_command(coppice, first);
  const CLI::App* const line = lines.front();
  const std::vector<std::string> options = options_of(*line);
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("--")) continue;
    if (argument == "--") break;
    if (std::ranges::find(options, argument.substr(0, argument.find('='))) != options.end()) continue;
    const std::string value = i + 1 < count && arguments[i + 1][0] != '-' ? arguments[i + 1] : "";
    return about_option(*line, argument, value);
  }
  return "";
}

}  // namespace coppice::app

#include "app/command.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "app/commit.h"
#include "base/error.h"
#include "config/effects.h"
#include "config/machine_fit.h"
#include "config/schema.h"
#include "system/machine/build.h"

namespace coppice::app {

void add_input(CLI::App& line, Input& input) {
  line.add_option("CONFIG.yaml", input.path, "the configuration: the system and its workload")->required();
  // If --set could have several arguments, a CONFIG.yaml that follows it would count as one of them.
  line.add_option("--set", input.overrides, "override a key: KEY=VALUE, where VALUE is YAML; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

config::Loaded load(const Input& input, config::Purpose purpose, bool records_waves) {
  config::Loaded loaded = config::load(input.path, input.overrides, purpose);
  warn(loaded, purpose, records_waves);
  return loaded;
}

void warn(config::Loaded& loaded, config::Purpose purpose, bool records_waves) {
  std::vector<std::string>& warnings = loaded.config.warnings;
  warnings = config::ineffective_keys(loaded, purpose, records_waves);
  for (std::string& warning : system::overridden_link_keys(loaded, purpose)) {
    warnings.push_back(std::move(warning));
  }
  if (config::find_key("system.router.vc_depth")->used.has(purpose)) {
    for (std::string& warning : config::shallow_buffers(loaded)) warnings.push_back(std::move(warning));
  }
  for (const std::string& warning : warnings) fmt::print(stderr, "{}\n", warning);
}

void warn(const nlohmann::ordered_json& result, const config::Loaded& loaded) {
  const nlohmann::ordered_json& warnings = result.at("warnings");
  for (std::size_t i = loaded.config.warnings.size(); i < warnings.size(); ++i) {
    fmt::print(stderr, "{}\n", warnings[i].get<std::string>());
  }
}

void add_style(CLI::App& line, Style& style) {
  auto* quiet = line.add_flag("--quiet", style.quiet, "print nothing but errors and warnings");
  line.add_flag("--json", style.json, "print the result as JSON instead of a summary")->excludes(quiet);
}

bool shows_colours(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return ::isatty(descriptor) != 0 && (no_color == nullptr || *no_color == '\0');
}

namespace {

std::string command_line;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): set once, by main()

// Quotes a word for a shell.
std::string quoted(std::string_view word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

void remember_command_line(std::span<char*> words) {
  command_line = "coppice";
  for (const char* const word : words.subspan(1)) command_line += " " + quoted(word);
}

std::string json_text(const nlohmann::ordered_json& result) {
  nlohmann::ordered_json json = result;
  if (json.contains("schema")) {
    json["command"] = command_line;
    json["commit"] = kCommit;
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_result(const Style& style, const nlohmann::ordered_json& result, std::string_view summary) {
  if (style.quiet) return;
  if (style.json) {
    print(json_text(result));
    return;
  }
  if (!shows_colours(STDOUT_FILENO)) {
    print(summary);
    return;
  }
  const std::size_t end = std::min(summary.find('\n'), summary.size());
  print(fmt::format("\x1b[1m{}\x1b[0m{}", summary.substr(0, end), summary.substr(end)));
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw ModelError("cannot write to standard output");
}

}  // namespace coppice::app

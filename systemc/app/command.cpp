#include "app/command.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/error.h"
#include "system/machine/build.h"

namespace coppice::app {

void add_input(CLI::App& line, Input& input) {
  line.add_option("CONFIG.yaml", input.path, "the system and what it is to do")->required();
  // An option with extra arguments would swallow CONFIG.yaml.
  line.add_option("--set", input.overrides, "override any key: KEY=VALUE, the value in YAML; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

config::Loaded load(const Input& input, config::Purpose purpose, bool records_waves) {
  config::Loaded loaded = config::load(input.path, input.overrides, purpose);
  for (const std::string& warning : config::ineffective_keys(loaded, purpose, records_waves)) {
    fmt::print(stderr, "{}\n", warning);
  }
  for (const std::string& warning : system::overridden_link_keys(loaded, purpose)) {
    fmt::print(stderr, "{}\n", warning);
  }
  return loaded;
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw ModelError("standard output cannot be written");
}

}  // namespace coppice::app

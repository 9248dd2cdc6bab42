#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace coppice::fuzz {

// A complete configuration for `coppice run`, as keys and values that are grouped by section.
struct RandomSystem {
  std::vector<std::pair<std::string, std::string>> settings;  // for example "system.router.vcs" and "4"

  const std::string& value(const std::string& key) const;
  // The text of the configuration file.
  std::string yaml() const;
};

// Generates small systems of every kind. Everything that affects the timing of flits is random, and some
// systems are refused as configurations. RapidCheck shrinks them towards a 2x1 torus with default settings.
rc::Gen<RandomSystem> random_system();

// Prints a counterexample for RapidCheck.
void showValue(const RandomSystem& system, std::ostream& stream);

}  // namespace coppice::fuzz

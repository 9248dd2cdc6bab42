#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace coppice::fuzz {

// A complete configuration of `coppice run`: keys and values, grouped by section.
struct RandomSystem {
  std::vector<std::pair<std::string, std::string>> settings;  // "system.router.vcs", "4"

  const std::string& value(const std::string& key) const;
  // Returns the configuration file's text.
  std::string yaml() const;
};

// Small systems of every kind, in which everything that affects the timing of flits is random; some are
// refused as configurations. Shrinks towards a plain 2x1 torus with the machine's defaults.
rc::Gen<RandomSystem> random_system();

// Prints RapidCheck's counterexamples.
void showValue(const RandomSystem& system, std::ostream& stream);

}  // namespace coppice::fuzz

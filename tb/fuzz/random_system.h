#pragma once

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace coppice::fuzz {

// A complete configuration of `coppice run`: keys and values, the keys of a section together.
struct RandomSystem {
  std::vector<std::pair<std::string, std::string>> settings;  // "system.router.vcs", "4"

  const std::string& value(const std::string& key) const;
  // The file that `coppice run` takes.
  std::string yaml() const;
};

// Small systems of every kind, with everything that a flit's timing depends on drawn at random; what it takes
// may still be refused as a configuration. Shrinks towards a plain 2x1 torus with the machine's defaults.
rc::Gen<RandomSystem> random_system();

// RapidCheck prints counterexamples with it.
void showValue(const RandomSystem& system, std::ostream& stream);

}  // namespace coppice::fuzz

#include "app/print_network.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "topology/files/print.h"

namespace coppice::app {

std::string print_network(const topology::Topology& topology, const std::string& form, const char* option) {
  const auto forms = topology::network_forms();
  const auto found = std::ranges::find(forms, form, &topology::NetworkForm::name);
  const std::string where = fmt::format("{} {}", option, form);
  if (found == forms.end()) {
    std::vector<std::string_view> names;
    for (const topology::NetworkForm& known : forms) names.push_back(known.name);
    throw ConfigError({where}, fmt::format("'{}' is not one of {}", form, fmt::join(names, ", ")));
  }
  try {
    return found->print(topology);
  } catch (const UnsupportedError& error) {
    throw ConfigError({where}, error.what());
  }
}

}  // namespace coppice::app

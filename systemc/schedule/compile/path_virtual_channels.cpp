#include "schedule/compile/path_virtual_channels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "topology/routing/layered_dependencies.h"

namespace coppice::schedule {
namespace {

using topology::ChannelId;
using topology::Topology;
using topology::VcRange;

// Assigns a layer of virtual channels to every hop of `path`.
std::vector<int> layers_along(topology::LayeredDependencies& dependencies, const ChannelPath& path) {
  std::vector<int> layers(path.size(), 0);
  for (std::size_t i = 1; i < path.size(); ++i) {
    const int layer = layers[i - 1];
    if (dependencies.allows(path[i - 1], path[i], layer)) {
      dependencies.add(path[i - 1], path[i], layer);
      layers[i] = layer;
    } else {
      layers[i] = layer + 1;
    }
  }
  return layers;
}

int longest(std::span<const ChannelPath> paths) {
  std::size_t most = 1;
  for (const ChannelPath& path : paths) most = std::max(most, path.size());
  return static_cast<int>(most);
}

}  // namespace

PathVcs assign_vcs(const Topology& topology, std::span<const ChannelPath> paths, int vcs) {
  topology::LayeredDependencies dependencies(topology, longest(paths));
  std::vector<bool> first(topology.channels().size(), true);
  std::vector<bool> last(topology.channels().size(), true);
  std::vector<std::vector<int>> layers;
  int count = 1;
  for (const ChannelPath& path : paths) {
    layers.push_back(layers_along(dependencies, path));
    count = std::max(count, layers.back().back() + 1);
    for (std::size_t i = 1; i < path.size(); ++i) {
      first[static_cast<std::size_t>(path[i])] = false;
      last[static_cast<std::size_t>(path[i - 1])] = false;
    }
  }
  if (count > vcs) {
    throw UnsupportedError(fmt::format(
        "the paths through the switches of {} need {} virtual channels to avoid deadlock, but there are {}: "
        "increase router.vcs",
        topology.name(), count, vcs));
  }
  PathVcs result;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    auto& ranges = result.emplace_back();
    for (std::size_t i = 0; i < paths[p].size(); ++i) {
      const auto channel = static_cast<std::size_t>(paths[p][i]);
      const bool open = first[channel] || last[channel];
      const int layer = layers[p][i];
      ranges.push_back(open ? VcRange{0, static_cast<std::uint8_t>(vcs)}
                            : VcRange{static_cast<std::uint8_t>(layer * vcs / count),
                                      static_cast<std::uint8_t>((layer + 1) * vcs / count)});
    }
  }
  return result;
}

}  // namespace coppice::schedule

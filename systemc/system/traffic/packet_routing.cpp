#include "system/traffic/packet_routing.h"

#include <fmt/format.h>

#include "base/error.h"
#include "system/machine/build.h"
#include "topology/networks/adaptive_routing.h"

namespace coppice::system {

std::unique_ptr<topology::RoutingFunction> make_packet_routing(const config::Loaded& loaded,
                                                               const topology::Topology& topology) {
  const config::PacketRouting routing = loaded.config.system.router.routing;
  if (routing == config::PacketRouting::kMinimal) {
    auto minimal = build_routing(loaded, topology);
    require_deadlock_free(loaded, topology, *minimal);
    return minimal;
  }
  const topology::Detours detours = routing == config::PacketRouting::kValiant ? topology::Detours::kValiant
                                    : routing == config::PacketRouting::kAdaptive
                                        ? topology::Detours::kAdaptive
                                        : topology::Detours::kUgal;
  try {
    auto detouring = topology::make_detour_routing(topology, loaded.config.system.router.vcs, detours);
    topology::ChannelDependencyGraph graph(topology, loaded.config.system.router.vcs);
    detouring->add_dependencies(graph);
    if (const auto cycle = graph.find_cycle(); !cycle.empty()) {
      throw ModelError(fmt::format("{} routing on {} could deadlock: {}", to_string(routing), topology.name(),
                                   graph.describe(cycle)));
    }
    return detouring;
  } catch (const UnsupportedError& error) {
    throw ConfigError(loaded.place("system.router.routing"),
                      fmt::format("system.router.routing: {}: {}", to_string(routing), error.what()));
  }
}

}  // namespace coppice::system

#include "schedule/compile/effort.h"

#include <algorithm>
#include <cmath>

#include "schedule/compile/symmetric_builder.h"
#include "topology/networks/kinds.h"

namespace coppice::schedule {

double seconds_at(const topology::Topology& topology, double at_1024, double power) {
  return at_1024 * std::pow(topology.num_accelerators() / 1024.0, power);
}

bool looks_alike(const topology::Topology& topology, const CompileRequest& request) {
  if (!topology::info_of(topology.kind()).wraps) return false;
  const topology::Channel& first = topology.channels().front();
  return pattern_pays(request, topology.num_accelerators(), 1) &&
         std::ranges::all_of(topology.channels(), [&](const topology::Channel& channel) {
           return channel.bandwidth == first.bandwidth && channel.latency == first.latency;
         });
}

double seconds_of_messages(const topology::Topology& topology, const CompileRequest&) {
  return seconds_at(topology, 2.5, 2.1);
}

double seconds_of_growth(const topology::Topology& topology, const CompileRequest& request) {
  if (request.root >= 0) return seconds_at(topology, 0.2, 1.2);
  if (topology.num_switches() > 0) return seconds_at(topology, 14, 2.9);
  // In grids the search for a free channel is fast, because nodes have few channels.
  const bool grid = topology::info_of(topology.kind()).grid;
  return grid ? seconds_at(topology, 1, 2.5) : seconds_at(topology, 30, 2.2);
}

}  // namespace coppice::schedule

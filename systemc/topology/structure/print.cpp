#include "topology/structure/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "topology/bounds/bound.h"
#include "topology/networks/kinds.h"
#include "topology/structure/likeness.h"
#include "topology/structure/planes.h"
#include "topology/structure/symmetries.h"

namespace coppice::topology {
namespace {

using Text = std::back_insert_iterator<std::string>;

constexpr double kFemtosecondsEachNanosecond = 1e6;
// The size of an all-reduce. It is arbitrary, because the groups that determine the bound do not depend on
// it.
constexpr Bytes kAnySize = Bytes{1} << 30;

void write_links(const Topology& topology, Text out) {
  std::map<std::pair<double, double>, int> sorts;
  for (const Channel& channel : topology.channels()) {
    ++sorts[{channel.bandwidth.gb_per_s(),
             static_cast<double>(channel.latency) / kFemtosecondsEachNanosecond}];
  }
  for (const auto& [sort, count] : sorts) {
    fmt::format_to(out, "  {} channels of {:.6g} GB/s and {:.6g} ns\n", count, sort.first, sort.second);
  }
}

// Writes the dimensions of a network, if its kind has any.
void write_dimensions(const Topology& network, Text out) {
  std::map<int, Channel> along;
  for (const Channel& channel : network.channels()) along.try_emplace(channel.dimension, channel);
  const bool grid = info_of(network.kind()).grid;
  if (!grid && network.dimension_kinds().empty()) return;
  for (std::size_t d = 0; d < network.dims().size(); ++d) {
    const auto found = along.find(static_cast<int>(d));
    const char* const form =
        grid ? (info_of(network.kind()).wraps ? "ring" : "line") : to_string(network.dimension_kinds()[d]);
    fmt::format_to(out, "  dimension {}: {} of {}", d, form, network.dims()[d]);
    if (found != along.end()) fmt::format_to(out, ", {:.6g} GB/s", found->second.bandwidth.gb_per_s());
    fmt::format_to(out, "\n");
  }
}

void write_planes(const Topology& topology, Text out) {
  const std::vector<Plane> planes = find_planes(topology);
  if (planes.empty()) {
    fmt::format_to(out, "planes: 1\n");
    return;
  }
  fmt::format_to(out, "planes: {}\n", planes.size());
  for (const Plane& plane : planes) {
    fmt::format_to(out, "  {} switches, {:.6g} GB/s per accelerator\n", plane.network.num_switches(),
                   plane.bandwidth.gb_per_s());
  }
}

void write_symmetries(const Topology& topology, Text out) {
  const Symmetries symmetries = find_symmetries(topology);
  std::map<std::pair<bool, std::size_t>, int> orbits;
  for (const auto& orbit : orbits_of(topology, symmetries)) {
    ++orbits[{!topology.is_accelerator(orbit.front()), orbit.size()}];
  }
  fmt::format_to(out, "symmetries: {:.6g}, from {} generators\n", symmetries.size,
                 symmetries.generators.size());
  for (const auto& [sort, count] : orbits) {
    fmt::format_to(out, "  {} set{} of {} equivalent {}\n", count, count == 1 ? "" : "s", sort.second,
                   sort.first ? "switches" : "accelerators");
  }
}

}  // namespace

std::string describe_structure(const Topology& topology) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "{}: {} accelerators, {} switches\n", topology.name(), topology.num_accelerators(),
                 topology.num_switches());
  write_links(topology, out);
  const auto likeness = topology.kind() == Kind::kFile ? find_likeness(topology) : nullptr;
  const Topology& network = likeness ? likeness->network : topology;
  if (likeness) {
    fmt::format_to(out, "like: {}\n",
                   network.kind() == Kind::kFile ? "none of the built-in networks" : network.name());
  }
  write_dimensions(network, out);
  write_planes(topology, out);
  write_symmetries(topology, out);
  if (topology.num_accelerators() > 1) {
    const LeastTime least = least_all_reduce_time(topology, kAnySize);
    fmt::format_to(out, "boxes: {} (they limit the time of an all-reduce)\n", describe_groups(least));
  }
  return text;
}

}  // namespace coppice::topology

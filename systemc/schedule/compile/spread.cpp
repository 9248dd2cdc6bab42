#include "schedule/compile/spread.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/tables/placed_tables.h"
#include "topology/networks/kinds.h"
#include "topology/structure/likeness.h"
#include "topology/structure/planes.h"

namespace coppice::schedule {
namespace {

using topology::Plane;
using topology::Topology;

std::size_t most_channels(const Topology& topology) {
  std::size_t most = 1;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    most = std::max(most, topology.out_channels(node).size());
  }
  return most;
}

Femtoseconds longest_latency(const Plane& plane) {
  Femtoseconds longest = 0;
  for (const topology::Channel& channel : plane.network.channels())
    longest = std::max(longest, channel.latency);
  return longest;
}

// Whether a plane would slow down the collective because its extra latency over all steps of a ring exceeds
// the time in which the fastest plane could transfer this plane's part of the data.
bool holds_up(const Plane& plane, const Plane& fastest, const CompileRequest& request) {
  const double part =
      plane.bandwidth.gb_per_s() / (plane.bandwidth.gb_per_s() + fastest.bandwidth.gb_per_s());
  const auto moved = static_cast<Bytes>(2 * part * static_cast<double>(request.size));
  const Femtoseconds later = longest_latency(plane) - longest_latency(fastest);
  return 2 * (plane.network.num_accelerators() - 1) * later > transfer_time(moved, fastest.bandwidth);
}

// The planes to use, fastest first; empty if the compiler should receive the unmodified network.
std::vector<Plane> planes_to_use(const AlgorithmInfo& info, const Topology& topology,
                                 const CompileRequest& request) {
  // The two parallel channels of a torus dimension of width 2 are its two directions, not two planes.
  const bool whole = !info.one_plane || request.planes == 1 || topology::info_of(topology.kind()).grid ||
                     !topology.in_network().empty() ||
                     static_cast<std::size_t>(request.ni_ports) < most_channels(topology);
  if (whole || request.routing == nullptr) return {};
  std::vector<Plane> planes = topology::find_planes(topology);
  std::ranges::stable_sort(planes, std::greater<>{}, &Plane::bandwidth);
  std::vector<Plane> worthwhile;
  for (Plane& plane : planes) {
    if (!worthwhile.empty() && holds_up(plane, worthwhile.front(), request)) continue;
    worthwhile.push_back(std::move(plane));
  }
  planes = std::move(worthwhile);
  if (request.planes > 0 && planes.size() > static_cast<std::size_t>(request.planes)) {
    planes.erase(planes.begin() + request.planes, planes.end());
  }
  const Bytes least = request.element * topology.num_accelerators();
  if (request.size < least * static_cast<Bytes>(planes.size())) return {};
  return planes;
}

// The bytes of data for each plane. Except for the remainder, each part can be divided into whole elements
// for all accelerators.
std::vector<Bytes> share_out_to(const std::vector<Plane>& planes, const CompileRequest& request, int n) {
  double sum = 0;
  for (const Plane& plane : planes) sum += plane.bandwidth.gb_per_s();
  const Bytes unit = request.element * n;
  std::vector<Bytes> sizes;
  Bytes left = request.size;
  for (const Plane& plane : planes) {
    const double part = static_cast<double>(request.size) * plane.bandwidth.gb_per_s() / sum;
    sizes.push_back(std::min(left, std::max<Bytes>(static_cast<Bytes>(part) / unit, 1) * unit));
    left -= sizes.back();
  }
  // The fastest plane carries the remainder.
  sizes.front() += left;
  return sizes;
}

Schedule compile_plane(const AlgorithmInfo& info, const Topology& topology, const Plane& plane,
                       const CompileRequest& request, Bytes size) {
  const auto likeness = topology::find_likeness(plane.network, /*levels=*/false);
  const auto routing = topology::make_routing(likeness->network, request.routing->num_vcs());
  CompileRequest own = request;
  own.size = size;
  own.routing = routing.get();
  own.ni_ports = static_cast<int>(most_channels(likeness->network));
  own.pattern_beyond = std::numeric_limits<int>::max();
  if (own.root >= 0) own.root = likeness->members[static_cast<std::size_t>(own.root)];
  Schedule schedule = info.make()->compile(likeness->network, own);
  std::vector<NodeId> nodes;
  for (const NodeId node : likeness->nodes) nodes.push_back(plane.nodes[static_cast<std::size_t>(node)]);
  const topology::NetworkMapping in_plane(likeness->network, plane.network, likeness->nodes);
  const topology::NetworkMapping placement(in_plane, topology, plane.nodes, plane.channels);
  nodes.resize(static_cast<std::size_t>(topology.num_accelerators()));
  return in_machine_order(
      map_tables(std::move(schedule),
                 {.nodes = nodes, .ni_ports = request.ni_ports, .port_per_channel = true}, placement),
      nodes);
}

// Adds the tables of a plane to `all`. The plane's data begins at `address`.
void join(Schedule& all, Schedule plane, Bytes address) {
  const auto first_route = static_cast<std::int32_t>(all.routes.size());
  for (std::size_t node = 0; node < all.nodes.size(); ++node) {
    for (std::size_t port = 0; port < plane.nodes[node].ports.size(); ++port) {
      Table& table = plane.nodes[node].ports[port];
      if (table.empty()) continue;
      for (TableEntry& entry : table) {
        if (entry.op == Op::kNop) continue;
        entry.flow += all.flows;
        entry.address += address;
        entry.route += first_route;
      }
      Table& place = all.nodes[node].ports[port];
      if (!place.empty()) throw ModelError("two planes of a network use the same port of an accelerator");
      place = std::move(table);
    }
  }
  std::ranges::move(plane.routes, std::back_inserter(all.routes));
  for (Share& share : plane.shares) {
    share.data.address += address;
    all.shares.push_back(share);
  }
  all.steps = std::max(all.steps, plane.steps);
  all.flows += plane.flows;
  all.chunks = plane.chunks;
  all.ordered_by_lockstep |= plane.ordered_by_lockstep;
  all.numbered_arrivals |= plane.numbered_arrivals;
}

}  // namespace

Schedule compile_spread(const AlgorithmInfo& info, const Topology& topology, const CompileRequest& request) {
  const std::vector<Plane> planes = planes_to_use(info, topology, request);
  if (planes.size() < 2) return info.make()->compile(topology, request);
  const std::vector<Bytes> sizes = share_out_to(planes, request, topology.num_accelerators());
  Schedule all;
  all.algorithm = info.name;
  all.collective = request.collective;
  all.size = request.size;
  all.element = request.element;
  all.nodes.resize(static_cast<std::size_t>(topology.num_accelerators()));
  for (NodeTables& node : all.nodes) node.ports.resize(static_cast<std::size_t>(request.ni_ports));
  Bytes address = 0;
  for (std::size_t p = 0; p < planes.size(); ++p) {
    if (sizes[p] == 0) continue;
    join(all, compile_plane(info, topology, planes[p], request, sizes[p]), address);
    address += sizes[p];
  }
  return all;
}

}  // namespace coppice::schedule

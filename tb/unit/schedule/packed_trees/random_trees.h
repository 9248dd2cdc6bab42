#pragma once

#include <rapidcheck.h>

#include <utility>
#include <vector>

#include "machine.h"
#include "schedule/packed_trees/routed_packing.h"

namespace coppice::schedule {

// Two to six accelerators on a random tree of one to three switches, plus random links. Latencies differ;
// bandwidths are equal if `alike`.
inline Machine random_network(bool alike) {
  const int accelerators = *rc::gen::inRange(2, 7);
  const int switches = *rc::gen::inRange(1, 4);
  topology::Topology graph(topology::Kind::kFile, {}, accelerators, switches);
  const auto link = [&](NodeId a, NodeId b) {
    if (a == b) return;
    const std::int64_t gb_per_s = alike ? 16 : *rc::gen::element(4, 8, 16);
    const Femtoseconds latency = *rc::gen::element(0, 20, 150, 400) * kFemtosecondsPerNanosecond;
    graph.add_channel(a, b, {gb_per_s * 1'000'000'000}, latency);
    graph.add_channel(b, a, {gb_per_s * 1'000'000'000}, latency);
  };
  for (int s = 1; s < switches; ++s) link(accelerators + s, accelerators + *rc::gen::inRange(0, s));
  for (NodeId node = 0; node < accelerators; ++node)
    link(node, accelerators + *rc::gen::inRange(0, switches));
  for (int more = *rc::gen::inRange(0, 4); more > 0; --more) {
    const NodeId a = *rc::gen::inRange(0, accelerators + switches);
    link(a, *rc::gen::inRange(0, accelerators + switches));
  }
  return make_machine(std::move(graph));
}

// One to four random trees that span the machine's accelerators, for reducing, gathering or both.
inline std::vector<PackedTree> random_trees(const Machine& machine, const CompileRequest& request) {
  const auto [up, down] =
      *rc::gen::element(std::pair{true, true}, std::pair{true, false}, std::pair{false, true});
  std::vector<NodeId> roots(static_cast<std::size_t>(*rc::gen::inRange(1, 5)));
  for (NodeId& root : roots) root = *rc::gen::inRange(0, machine.topology.num_accelerators());
  return pack_routed(machine.topology, request, roots, {up, down}, 2).trees;
}

}  // namespace coppice::schedule

#pragma once

#include <rapidcheck.h>

#include "topology/topology.h"

namespace coppice::topology {

inline Bandwidth random_bandwidth() {
  return {*rc::gen::inRange<std::int64_t>(1, 12) * 250'000'000};
}

// A random network of two to six accelerators and up to three switches. A one-way ring connects all nodes,
// and other channels are random.
inline Topology random_topology() {
  const int accelerators = *rc::gen::inRange(2, 7);
  const int switches = *rc::gen::inRange(0, 4);
  Topology topology(Kind::kFile, {}, accelerators, switches);
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    topology.add_channel(node, (node + 1) % topology.num_nodes(), random_bandwidth(), 0);
  }
  const int extra = *rc::gen::inRange(0, 20);
  for (int i = 0; i < extra; ++i) {
    const NodeId src = *rc::gen::inRange(0, topology.num_nodes());
    const NodeId dst = *rc::gen::inRange(0, topology.num_nodes());
    if (src != dst) topology.add_channel(src, dst, random_bandwidth(), 0);
  }
  return topology;
}

// A random network of two to six accelerators without switches: a tree and additional links. Both directions
// of a link are equal.
inline Topology random_symmetric_topology() {
  const int accelerators = *rc::gen::inRange(2, 7);
  Topology topology(Kind::kFile, {}, accelerators, 0);
  const auto link = [&](NodeId a, NodeId b) {
    const Bandwidth bandwidth = random_bandwidth();
    topology.add_channel(a, b, bandwidth, 0);
    topology.add_channel(b, a, bandwidth, 0);
  };
  for (NodeId node = 1; node < accelerators; ++node) link(node, *rc::gen::inRange(0, node));
  const int extra = *rc::gen::inRange(0, 8);
  for (int i = 0; i < extra; ++i) {
    const NodeId a = *rc::gen::inRange(0, accelerators);
    const NodeId b = *rc::gen::inRange(0, accelerators);
    if (a != b) link(a, b);
  }
  return topology;
}

}  // namespace coppice::topology

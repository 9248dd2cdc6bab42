#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "schedule/registry.h"
#include "topology/networks/builders.h"
#include "topology/networks/kinds.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::schedule {

// A topology with one NI port per channel, for which tests compile schedules.
struct Machine {
  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
  int ni_ports = 1;

  CompileRequest request(Collective collective, Bytes size) const {
    return {.collective = collective, .size = size, .ni_ports = ni_ports, .routing = routing.get()};
  }
  Schedule compile(const std::string& algorithm, Collective collective, Bytes size) const {
    return make_compiler(algorithm)->compile(topology, request(collective, size));
  }
};

// Adds the timing of the default machine to `request`. Compilers use it to estimate times and to order
// messages.
inline CompileRequest timed(CompileRequest request) {
  request.timing = {.flit = 16,
                    .router = 5'000'000,
                    .interface_time = 5'000'000,
                    .cycle = 1'000'000,
                    .memory = 4'000'000,
                    .reduction = 4'000'000,
                    .buffer = 318};
  return request;
}

inline Machine make_machine(topology::Topology topology) {
  int ports = 1;
  for (NodeId node = 0; node < topology.num_accelerators(); ++node) {
    ports = std::max(ports, static_cast<int>(topology.out_channels(node).size()));
  }
  auto routing = make_routing(topology, 4);
  return {std::move(topology), std::move(routing), ports};
}

inline Machine torus(const std::vector<int>& dims) {
  const std::vector<topology::LinkSpec> links(dims.size(),
                                              {{16'000'000'000}, 150 * kFemtosecondsPerNanosecond});
  return make_machine(topology::make_torus(dims, links));
}

inline Machine mesh(const std::vector<int>& dims) {
  const std::vector<topology::LinkSpec> links(dims.size(),
                                              {{16'000'000'000}, 150 * kFemtosecondsPerNanosecond});
  return make_machine(topology::make_mesh(dims, links));
}

inline Machine dgx1() {
  const std::vector<topology::LinkSpec> links{{{25'000'000'000}, 700 * kFemtosecondsPerNanosecond}};
  return make_machine(topology::make_dgx1({}, links));
}

// A machine with the topology that `kind` and `dims` describe, and links of 16 GB/s and 150 ns.
inline Machine built(topology::Kind kind, const std::vector<int>& dims) {
  const topology::LinkSpec link{{16'000'000'000}, 150 * kFemtosecondsPerNanosecond};
  return make_machine(topology::make_topology(kind, dims, {&link, 1}));
}

inline Machine fat_tree(const std::vector<int>& dims) {
  return built(topology::Kind::kFatTree, dims);
}

inline Machine bigraph(const std::vector<int>& dims) {
  return built(topology::Kind::kBigraph, dims);
}

// A torus or mesh of 1 to 3 dimensions with widths of 1 to `most`, regardless of RapidCheck's size parameter.
inline Machine random_machine(int most = 5) {
  const auto in = [](int low, int high) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  const auto dims = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(*in(1, 3)), in(1, most));
  return *rc::gen::arbitrary<bool>() ? torus(dims) : mesh(dims);
}

// Accelerators attached to a random tree of switches, plus `more_links` random links, some of which join two
// accelerators. All links are bidirectional and equally fast.
inline Machine random_graph(int accelerators, int switches, int more_links) {
  topology::Topology graph(topology::Kind::kFile, {}, accelerators, switches);
  const auto connect = [&](NodeId a, NodeId b) {
    if (a == b) return;
    graph.add_channel(a, b, {16'000'000'000}, 0);
    graph.add_channel(b, a, {16'000'000'000}, 0);
  };
  const auto any_switch = [&](int before) { return accelerators + *rc::gen::inRange(0, before); };
  for (int s = 1; s < switches; ++s) connect(accelerators + s, any_switch(s));
  for (NodeId node = 0; node < accelerators; ++node) connect(node, any_switch(switches));
  for (int i = 0; i < more_links; ++i) {
    const NodeId a = *rc::gen::inRange(0, accelerators + switches);
    connect(a, *rc::gen::inRange(0, accelerators + switches));
  }
  return make_machine(std::move(graph));
}

inline Collective random_collective() {
  return *rc::gen::element(Collective::kReduceScatter, Collective::kAllGather, Collective::kAllReduce);
}

// A random size in whole elements of 4 bytes, often with fewer elements than accelerators.
inline Bytes random_size() {
  return 4 * *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Bytes>(1, 400));
}

// Calls visit(node, entry) for all entries except nops.
template <typename Visit>
void for_each_entry(const Schedule& schedule, Visit visit) {
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const auto& port : schedule.nodes[node].ports) {
      for (const TableEntry& entry : port) {
        if (entry.op != Op::kNop) visit(static_cast<NodeId>(node), entry);
      }
    }
  }
}

}  // namespace coppice::schedule

#pragma once

#include <rapidcheck.h>

#include <memory>
#include <vector>

#include "schedule/hierarchical/hierarchical.h"
#include "schedule/hierarchical/themis.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"
#include "topology/routing/routing.h"

namespace coppice::schedule {

inline topology::DimensionSpec dimension(topology::DimensionKind kind, int size) {
  const int links = kind == topology::DimensionKind::kRing             ? 2
                    : kind == topology::DimensionKind::kFullyConnected ? size - 1
                                                                       : 1;
  return {kind, size, links, {25'000'000'000}, 700 * kFemtosecondsPerNanosecond};
}

struct HierarchicalMachine {
  explicit HierarchicalMachine(const std::vector<topology::DimensionSpec>& dimensions)
      : topology(topology::make_hierarchy(dimensions)), routing(topology::make_routing(topology, 4)) {}

  CompileRequest request(Collective collective, Bytes size, int chunks) const {
    return {.collective = collective,
            .size = size,
            .ni_ports = static_cast<int>(topology.out_channels(0).size()),
            .routing = routing.get(),
            .chunks = chunks};
  }
  Schedule compile(Collective collective, Bytes size, int chunks) const {
    return HierarchicalCompiler().compile(topology, request(collective, size, chunks));
  }

  topology::Topology topology;
  std::unique_ptr<topology::RoutingFunction> routing;
};

// The program of a chunk of `pieces` pieces. Depending on `collective`, the chunk is reduce-scattered over
// the dimensions in `order`, all-gathered in the reverse order, or both.
inline ChunkProgram program_of(const topology::Topology& topology, int pieces, Collective collective,
                               const DimensionOrder& order) {
  const LatencyModel model(dimension_models(topology));
  const topology::Hierarchy hierarchy(topology);
  std::vector<DimensionAlgorithm> algorithms;
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    algorithms.emplace_back(d, model.dimension(d).kind, model.dimension(d).size);
  }
  const auto way = stages_of(model, mirrored_plan(collective, Bytes{4} * pieces, order));
  const std::vector<ProgramStage> stages(way.begin(), way.end());
  return {hierarchy, algorithms, topology.num_accelerators(), pieces, order, stages};
}

// Random small hierarchies with dimensions of all kinds.
inline std::vector<topology::DimensionSpec> random_dimensions() {
  const auto in = [](int low, int high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
  };
  std::vector<topology::DimensionSpec> dimensions;
  for (int d = in(1, 3); d > 0; --d) {
    const auto kind =
        *rc::gen::element(topology::DimensionKind::kRing, topology::DimensionKind::kFullyConnected,
                          topology::DimensionKind::kSwitch);
    dimensions.push_back(
        dimension(kind, kind == topology::DimensionKind::kSwitch ? 1 << in(1, 2) : in(2, 4)));
  }
  return dimensions;
}

inline Bytes random_data(const HierarchicalMachine& machine, int chunks) {
  const auto pieces = pieces_of_a_chunk(machine.topology.num_accelerators(), true);
  return 4 * (pieces * chunks + *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Bytes>(0, 200)));
}

}  // namespace coppice::schedule

#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/hierarchical/hierarchical.h"
#include "schedule/hierarchical/themis.h"

namespace coppice::schedule {

// Compiles a schedule of equal chunks, in which chunk c is reduce-scattered over the dimensions in the order
// orders[c].
inline Schedule compile_in_orders(const topology::Topology& topology, const CompileRequest& request,
                                  const std::string& algorithm, std::span<const DimensionOrder> orders,
                                  IntraDimension policy) {
  const auto chunks = split_into_chunks(request.size, request.element, static_cast<int>(orders.size()));
  std::vector<ChunkPlan> plans;
  for (std::size_t c = 0; c < orders.size(); ++c) {
    plans.push_back(mirrored_plan(request.collective, chunks[c].bytes, orders[c]));
  }
  return compile_plans(topology, request, algorithm, plans, policy);
}

}  // namespace coppice::schedule

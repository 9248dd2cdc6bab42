#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// The order in which a rank issues its nodes.
struct IssueOrder {
  std::vector<std::size_t> order;  // indices of nodes; incomplete if some nodes wait for each other
  std::int64_t against_ids = 0;    // number of nodes issued before nodes with lower ids on their stream
};

// Issues the lowest id first among the nodes whose `before` (indices into `nodes`) have been issued, and each
// stream in the order of its ids. If a dependency contradicts a stream's ids, the dependency wins.
IssueOrder issue_order(const std::vector<Node>& nodes, const std::vector<std::vector<std::size_t>>& before);

// Whether a node runs on a stream of its accelerator.
bool on_stream(const Node& node);

}  // namespace coppice::workload::chakra

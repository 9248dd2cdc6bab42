#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/chakra/trace.h"

namespace coppice::workload::chakra {

// The order in which a rank issues its nodes.
struct IssueOrder {
  std::vector<std::size_t> order;  // indices of nodes; nodes that wait for each other are missing
  // Number of nodes that were issued before nodes with lower ids on their stream.
  std::int64_t against_ids = 0;
};

// Determines the order. A node is ready once all nodes in its `before` (indices into `nodes`) have been
// issued. The ready node with the lowest id is issued first, and nodes of a stream are issued in the order of
// their ids unless a dependency requires a different order.
IssueOrder issue_order(const std::vector<Node>& nodes, const std::vector<std::vector<std::size_t>>& before);

// Whether a node runs on a stream of its accelerator.
bool on_stream(const Node& node);

}  // namespace coppice::workload::chakra

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/tables/chunk_program.h"

namespace coppice::schedule {

// The nodes, apart from destinations, that a chunk's messages name: the nodes whose partial sums a message
// includes, or the node from which its value came. They are derived from the moves of the chunk's program, on
// demand, because executing the program does not need them.
class MessageFamilies {
 public:
  explicit MessageFamilies(const ChunkProgram& program);

  std::span<const NodeId> of(NodeId node, int message) const {
    const std::size_t at = place(node, message);
    return std::span(nodes_).subspan(ends_[at], ends_[at + 1] - ends_[at]);
  }

 private:
  std::size_t place(NodeId node, int message) const {
    return static_cast<std::size_t>(message) * accelerators_ + static_cast<std::size_t>(node);
  }

  std::size_t accelerators_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> ends_;  // [message index + 1]: end of its nodes in nodes_
};

}  // namespace coppice::schedule

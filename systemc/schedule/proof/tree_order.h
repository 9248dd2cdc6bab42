#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// Proves for the flow of a tree what Causality proves, at a cost proportional to the number of messages
// instead of its square.
//
// All messages carry the same data. Every accelerator sends its sum at most once, after all sums that it
// receives. After that it receives at most one store, from the accelerator to which it sent its sum, and it
// forwards the stored value after all its arrivals. The sender of a stored value has therefore counted the
// receiver's sum, which has counted all sums that arrived at the receiver. The stored value is the only
// arrival that the receiver's sum does not count, and it is a consequence of that sum. Hence an entry either
// counts an arrival or causes it, and every store follows all other arrivals at its accelerator.
class TreeOrder {
 public:
  explicit TreeOrder(const Schedule& schedule);

  // Whether this argument orders the group's messages (given in the order of the replay) and all entries name
  // as parents and children the accelerators on whose messages they depend. If not, use Causality.
  bool holds(const MessageGroup& group);

 private:
  struct Node {
    std::int32_t sums = 0;  // number of sums that arrive
    NodeId stored_from = topology::kNoNode;
    std::int32_t store = -1;  // arrival number of the store
    NodeId summed_at = topology::kNoNode;
    std::size_t first_source = 0;  // index of its first sum's sender in sources_
  };

  bool read(const MessageGroup& group);
  bool follows(const Message& message);
  bool names_sources(const TableEntry& entry, const Node& node);

  const Schedule& schedule_;
  std::vector<Node> nodes_;
  std::vector<NodeId> sources_;  // senders of sums, grouped by the accelerator that receives them
  std::vector<NodeId> named_;
};

}  // namespace coppice::schedule

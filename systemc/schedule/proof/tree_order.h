#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// The proof of Causality for the flow of a tree, at a cost proportional to the messages instead of their
// square.
//
// All messages carry the same data. Every accelerator sends its sum at most once, after all sums that it
// receives. After that it receives at most one store, from the accelerator to which it sent its sum, and it
// forwards the stored value after all its arrivals. The sender of a stored value has therefore counted the
// receiver's sum, which has counted all sums that arrived at the receiver. The stored value is the only
// arrival that the receiver's sum does not count, and it is a consequence of that sum. Hence every arrival is
// either counted or follows from the entry that does not count it, and every store follows all other arrivals
// there.
class TreeOrder {
 public:
  explicit TreeOrder(const Schedule& schedule);

  // Whether this argument orders the group's messages (in the order of the replay) and the entries name as
  // parents and children the accelerators on whose messages they depend. Otherwise, use Causality.
  bool holds(const MessageGroup& group);

 private:
  struct Node {
    std::int32_t sums = 0;  // sums that arrive
    NodeId stored_from = topology::kNoNode;
    std::int32_t store = -1;  // the index of that arrival
    NodeId summed_at = topology::kNoNode;
    std::size_t first_source = 0;  // index of its first sum's sender in sources_
  };

  bool read(const MessageGroup& group);
  bool follows(const Message& message);
  bool names_sources(const TableEntry& entry, const Node& node);

  const Schedule& schedule_;
  std::vector<Node> nodes_;
  std::vector<NodeId> sources_;  // senders of sums, by the accelerator that receives them
  std::vector<NodeId> named_;
};

}  // namespace coppice::schedule

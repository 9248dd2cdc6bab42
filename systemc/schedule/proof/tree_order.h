#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/proof/data_groups.h"

namespace coppice::schedule {

// The proof of Causality for the flow of a tree, at the cost of its messages instead of their square.
//
// All messages are of the same data. Every accelerator sends its sum once at most, when it has counted all
// sums that come to it, and is stored to once at most, after those, by whom it has sent its sum to; what it
// stores on to others it sends when it has counted all arrivals. Then a value that is stored has counted the
// sum of whom it comes to, and that all sums that came there before; and nothing that comes is left uncounted
// but the stored value by the sum that it answers. So every arrival is counted on, or follows from the entry
// that does not count it, and every store from all else that arrives there.
class TreeOrder {
 public:
  explicit TreeOrder(const Schedule& schedule);

  // Whether the group's messages, in the order of the replay, are ordered by this argument and the entries
  // name as parents and children whom they count on. If not, Causality tells.
  bool holds(const MessageGroup& group);

 private:
  struct Node {
    std::int32_t sums = 0;  // that come
    NodeId stored_from = topology::kNoNode;
    std::int32_t store = -1;  // the number of that arrival
    NodeId summed_at = topology::kNoNode;
    std::size_t first_source = 0;  // of the sums, in sources_
  };

  bool read(const MessageGroup& group);
  bool follows(const Message& message);
  bool names_sources(const TableEntry& entry, const Node& node);

  const Schedule& schedule_;
  std::vector<Node> nodes_;
  std::vector<NodeId> sources_;  // of sums, by the accelerator that they come to
  std::vector<NodeId> named_;
};

}  // namespace coppice::schedule

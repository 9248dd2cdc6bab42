#pragma once

#include <cstdint>
#include <vector>

#include "schedule/tables/node_moves.h"
#include "schedule/tables/table.h"

namespace coppice::schedule {

// Tables that look the same from every accelerator. moves() maps the origin's messages to those of any other
// accelerator, so the origin's behaviour represents that of every accelerator.
class SymmetricTables : public TableSource {
 public:
  // The data and the destination of one accelerator's image of a message.
  struct Image {
    Bytes address = 0;
    Bytes bytes = 0;
    NodeId dst = topology::kNoNode;
  };
  virtual const Translations& moves() const = 0;
  // The image of `flow` under the move that maps accelerator `from` to the origin. A message of `flow` that
  // arrives at `from` corresponds to a message of this image that arrives at the origin.
  virtual std::int32_t moved_back_flow(std::int32_t flow, NodeId from) const = 0;
  // Stores the images of entry `i` of a slot, indexed by sender, in `into`. The entry must be a message.
  virtual void read_images(std::size_t slot, std::size_t i, std::vector<Image>& into) const {
    into.resize(moves().nodes());
    TableEntry entry;
    for (std::size_t node = 0; node < into.size(); ++node) {
      read(slot, i, static_cast<NodeId>(node), entry);
      into[node] = {.address = entry.address, .bytes = entry.bytes, .dst = entry.destination()};
    }
  }
};

}  // namespace coppice::schedule

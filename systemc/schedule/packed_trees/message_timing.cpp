#include "schedule/packed_trees/message_timing.h"

#include <algorithm>

namespace coppice::schedule {

using topology::ChannelId;

Femtoseconds MessageTiming::busy(std::span<const ChannelId> path, Bytes bytes, NodeId destination) const {
  Femtoseconds longest = 0;
  bytes = sent_bytes(bytes, timing_.efficiency);
  const bool added = destination >= topology_.num_accelerators() && timing_.adder.bytes_per_second > 0;
  for (const ChannelId id : path) {
    Bandwidth bandwidth = topology_.channel(id).bandwidth;
    if (added) bandwidth = std::min(bandwidth, timing_.adder);
    if (timing_.flit == 0) {
      longest = std::max(longest, transfer_time(bytes, bandwidth));
      continue;
    }
    // Without packets a message has one head flit, even if it has no bytes.
    const Bytes heads = timing_.payload > 0 ? (bytes + timing_.payload - 1) / timing_.payload : 1;
    const Bytes flits = (bytes + timing_.flit - 1) / timing_.flit + heads;
    const Femtoseconds flit = std::max(timing_.cycle, transfer_time(timing_.flit, bandwidth));
    longest = std::max(longest, flits * flit);
  }
  const bool set_up = path.empty() || topology_.is_accelerator(topology_.channel(path.front()).src);
  return longest + (set_up ? timing_.message_setup : 0);
}

Femtoseconds MessageTiming::delay(std::span<const ChannelId> path, Op op) const {
  Femtoseconds sum = timing_.interface_time + timing_.router + timing_.memory;
  if (op == Op::kReduce) sum += timing_.reduction;
  for (const ChannelId id : path) sum += topology_.channel(id).latency + timing_.router;
  return sum;
}

}  // namespace coppice::schedule

#include "fabric/trains/train.h"

#include <algorithm>

namespace coppice::fabric {

Train TrainTiming::train(Bytes bytes, Femtoseconds slowest) const {
  Train train;
  train.flits = framing_.flits(bytes);
  train.packets = framing_.packets(bytes);
  train.packet_flits = framing_.packet_flits(bytes, 0);
  train.pace = std::max(slowest, period_);
  train.tail = cycles(checked_time(train.flits, train.pace) - train.pace);
  train.last_head = cycles(train.last_head_index() * train.pace);
  return train;
}

TrainTiming::Drain TrainTiming::drain(const Train& train, Femtoseconds flit_time) {
  const auto from = [&](std::int64_t head) {
    const Cycles start = cycles(head * train.pace);
    return Drain{start + (train.flits - 1 - head) * flit_time / period_,
                 start * period_ + (train.flits - head) * flit_time};
  };
  if (train.packets == 1) return from(0);
  const auto [known, unknown] = drains_.try_emplace({train.flits, train.packet_flits, train.pace, flit_time});
  if (unknown) {
    for (std::int64_t packet = 0; packet < train.packets; ++packet) {
      const Drain one = from(packet * train.packet_flits);
      known->second.tail = std::max(known->second.tail, one.tail);
      known->second.free = std::max(known->second.free, one.free);
    }
  }
  return known->second;
}

Traversal TrainTiming::pass(const Train& train, Cycles arrival, Cycles tail_arrival,
                            const ChannelPace& channel) {
  Traversal traversal;
  traversal.arrival = arrival;
  traversal.tail_arrival = tail_arrival;
  traversal.head = arrival + routing_and_allocation_;
  traversal.last_head = traversal.head + train.last_head;
  if (channel.cycles > 0) {
    // The last head is the only one that affects the tail.
    const Cycles behind_it = (train.flits - 1 - train.last_head_index()) * channel.cycles;
    traversal.tail = std::max(tail_arrival, traversal.last_head + behind_it);
    traversal.channel_free = traversal.tail + channel.cycles;
  } else {
    const Drain drained = drain(train, channel.flit_time);
    traversal.tail = std::max(tail_arrival, traversal.head + drained.tail);
    // The channel makes up for a flit's wait for the clock edge, which is up to one cycle minus a
    // femtosecond. A flit before the tail may have waited that long.
    const Femtoseconds given_back = period_ - 1;
    const Femtoseconds by_tail = checked_sum(checked_time(tail_arrival + 1, period_), channel.flit_time);
    const Femtoseconds head = checked_time(traversal.head, period_);
    const Femtoseconds by_drain = std::max(checked_sum(head, drained.free), by_tail) - given_back;
    // Flit i arrives at most o(i) cycles after the head, and the channel makes up for the rounding of o(i).
    const Femtoseconds by_pace =
        checked_sum(head, checked_time(train.flits, train.pace) - train.pace + channel.flit_time);
    traversal.next_free = std::min(by_drain, by_pace);
    traversal.channel_free = cycles(traversal.next_free);
  }
  return traversal;
}

std::vector<std::int64_t> TrainTiming::moved_before(const Train& train, Cycles start, Cycles injection_delay,
                                                    std::span<const Leg> legs, Cycles end) const {
  std::vector<Cycles> moves(static_cast<std::size_t>(train.flits));  // cycle in which each flit moves
  for (std::size_t i = 0; i < moves.size(); ++i)
    moves[i] = start + cycles(static_cast<Femtoseconds>(i) * train.pace);
  std::vector<std::int64_t> moved;
  const auto count = [&] { moved.push_back(std::ranges::lower_bound(moves, end) - moves.begin()); };
  count();
  Cycles delay = injection_delay;
  for (const Leg& leg : legs) {
    const Femtoseconds slack = leg.pace.cycles > 0 ? 0 : period_ - 1;
    Femtoseconds next_free = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const bool head = static_cast<std::int64_t>(i) % train.packet_flits == 0;
      const Cycles ready = moves[i] + delay + (head ? routing_and_allocation_ : 0);
      moves[i] = std::max(ready, cycles(next_free));
      next_free = std::max(next_free, moves[i] * period_ - slack) + leg.pace.flit_time;
    }
    count();
    delay = leg.delay;
  }
  return moved;
}

}  // namespace coppice::fabric

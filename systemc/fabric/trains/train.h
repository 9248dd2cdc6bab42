#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "base/time_limit.h"
#include "base/units.h"
#include "fabric/framing.h"

namespace coppice::fabric {

// A message in flight as one train of flits 0 to flits - 1: the head and the following flits of every packet.
struct Train {
  std::int64_t flits = 0;
  std::int64_t packets = 0;
  std::int64_t packet_flits = 0;  // of each packet except the last, including the head
  Femtoseconds pace = 0;          // f: the flit time of the slowest channel on its route, at least one period
  Cycles last_head = 0;  // o(h): from the injection of the first flit to that of the last packet's head
  Cycles tail = 0;       // o(flits - 1): from the injection of the first flit to that of the last

  std::int64_t last_head_index() const { return (packets - 1) * packet_flits; }
};

// The flit time of a channel, and its number of cycles if that is whole, otherwise 0: divisions would
// dominate the cost of a train.
struct ChannelPace {
  ChannelPace() = default;
  ChannelPace(Femtoseconds time, Femtoseconds period)
      : flit_time(time), cycles(time % period == 0 ? time / period : 0) {}

  Femtoseconds flit_time = 0;
  Cycles cycles = 0;
};

// A train's passage through the switch of one router, in absolute cycles.
struct Traversal {
  Cycles arrival = 0;       // when the head reaches the input buffer
  Cycles tail_arrival = 0;  // when the tail reaches it
  Cycles head = 0;          // when the head wins the switch
  Cycles last_head = 0;     // when the last packet's head wins it
  Cycles tail = 0;          // when the tail wins it
  Cycles channel_free =
      0;  // when the channel at the output can first accept another train's head immediately
  // An upper bound on the time when the channel has accepted all flits (Router::occupy_channel); set only for
  // channels whose flit time is not a whole number of cycles.
  Femtoseconds next_free = 0;
};

// The closed form of an undelayed train. Let T be the clock period, f its pace, o(i) = ceil(i f/T), R = r + v
// the routing and VC allocation delay, and g the flit time of the channel at an output port.
//   Injection: flit i leaves the NI at t0 + o(i) (InjectionPort) and reaches the router two cycles later.
//   Router: a packet's head wins the switch R cycles after its arrival; a body flit may win in the cycle in
//     which it arrives, once its head has passed. The channel takes waiting flits floor(g/T) cycles apart
//     over any number of them (Router::occupy_channel carries the rounding of a flit over to the next),
//     so flit i wins in
//       W(i) = max over j <= i of A(j) + (R if j is a head) + floor((i - j) g/T),
//     with A(j) the cycle in which flit j arrived. This holds unless the previous train still occupies the
//     channel for a part of the cycle in which the head wins; otherwise W(i) may be a cycle later
//     (TrainFabric::follows_closely()).
// With k routers behind it and B(k) = t0 + 2 + the delays of the channels and switches so far, a head arrives
// in B(k) + k R + o(i) and wins R later: heads move rigidly, by induction, since o(i) - o(j) >= floor((i - j)
// f/T) and f >= g. Body flits arrive no later than that and no earlier than B(k) + o(i): if the pace is
// slower than the clock they close up behind their head by R per router, as far as the channel allows. In the
// maximum for the tail, all j drop out except the tail itself and the heads; of these only the last packet's
// remains if g is a whole number of cycles, since floor(x) + floor(y) = floor(x + y) then:
//       tail(k) = max(tail arrival, B(k) + (k + 1) R + max over heads q of o(q) + floor((flits - 1 - q)
//           g/T)).
class TrainTiming {
 public:
  TrainTiming(const Framing& framing, Femtoseconds period, Cycles routing_and_allocation)
      : framing_(framing), period_(period), routing_and_allocation_(routing_and_allocation) {}

  // The train for a message of `bytes` on a route whose slowest flit time is `slowest`.
  Train train(Bytes bytes, Femtoseconds slowest) const;

  // The passage through a router that the head reaches in cycle `arrival` and the tail in `tail_arrival`.
  // `channel` is the pace of the output channel; its flit time is at most the train's pace.
  Traversal pass(const Train& train, Cycles arrival, Cycles tail_arrival, const ChannelPace& channel);

  // The earliest cycle in which the tail can win the switch if the channel accepts no flit of the train
  // before `next_free`.
  Cycles tail_behind(Femtoseconds next_free, std::int64_t flits, const ChannelPace& channel) const {
    return cycles(checked_sum(next_free, (flits - 1) * channel.flit_time));
  }

  // An output channel on a train's route, and the cycles from a win of the switch before it to the arrival in
  // the next router.
  struct Leg {
    ChannelPace pace;
    Cycles delay = 0;
  };
  // The flits of a train injected from cycle `start` on that have moved before cycle `end`: the number
  // injected, then for each leg the number that have won the switch. Flits reach the first router
  // `injection_delay` cycles after their injection.
  std::vector<std::int64_t> moved_before(const Train& train, Cycles start, Cycles injection_delay,
                                         std::span<const Leg> legs, Cycles end) const;

  // Converts to whole cycles, rounding up.
  Cycles cycles(Femtoseconds time) const { return (time + period_ - 1) / period_; }
  Cycles routing_and_allocation() const { return routing_and_allocation_; }

 private:
  // When a train's tail can pass a channel whose flit time is not a whole number of cycles, and when the
  // channel is free again, if heads arrive at the train's pace; counted from the first head.
  struct Drain {
    Cycles tail = 0;        // max over heads q of o(q) + floor((flits - 1 - q) g/T)
    Femtoseconds free = 0;  // max over heads q of o(q) T + (flits - q) g
  };
  Drain drain(const Train& train, Femtoseconds flit_time);

  Framing framing_;
  Femtoseconds period_;
  Cycles routing_and_allocation_;
  // [flits, packet flits, pace, flit time].
  std::map<std::tuple<std::int64_t, std::int64_t, Femtoseconds, Femtoseconds>, Drain> drains_;
};

}  // namespace coppice::fabric

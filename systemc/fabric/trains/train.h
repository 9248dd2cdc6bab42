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

// A message in flight as a train of flits, numbered 0 to flits - 1. The train consists of the head and the
// body flits of every packet.
struct Train {
  std::int64_t flits = 0;
  std::int64_t packets = 0;
  std::int64_t packet_flits = 0;  // flits of each packet except the last, including the head
  Femtoseconds pace = 0;          // f: flit time of the slowest channel on the route, but at least one period
  // o(h): number of cycles from the injection of the first flit to that of the last packet's head.
  Cycles last_head = 0;
  // o(flits - 1): number of cycles from the injection of the first flit to that of the last flit.
  Cycles tail = 0;

  std::int64_t last_head_index() const { return (packets - 1) * packet_flits; }
};

// The flit time of a channel. If it is a whole number of cycles, `cycles` is that number, otherwise 0;
// storing it avoids divisions, which would dominate the cost of a train.
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
  Cycles tail_arrival = 0;  // when the tail reaches the input buffer
  Cycles head = 0;          // when the head wins the switch
  Cycles last_head = 0;     // when the last packet's head wins the switch
  Cycles tail = 0;          // when the tail wins the switch
  // The cycle in which the output channel can first accept another train's head immediately.
  Cycles channel_free = 0;
  // An upper bound on the time when the channel has accepted all flits (Router::occupy_channel). Set only for
  // channels whose flit time is not a whole number of cycles.
  Femtoseconds next_free = 0;
};

// The closed form of an undelayed train. Let T be the clock period, f the train's pace, o(i) = ceil(i f/T),
// R = r + v the routing and VC allocation delay, and g the flit time of the channel at an output port.
//   Injection: flit i leaves the NI at t0 + o(i) (InjectionPort) and reaches the router two cycles later.
//   Router: a packet's head wins the switch R cycles after its arrival. A body flit may win in the cycle in
//     which it arrives, once its head has passed. The channel accepts waiting flits floor(g/T) cycles apart
//     over any number of flits (Router::occupy_channel carries the rounding of a flit over to the next), so
//     flit i wins in
//       W(i) = max over j <= i of A(j) + (R if j is a head) + floor((i - j) g/T),
//     where A(j) is the cycle in which flit j arrived. This holds unless the previous train still occupies
//     the channel for a part of the cycle in which the head wins. In that case, W(i) may be a cycle later
//     (TrainFabric::follows_closely()).
// Let the train have passed k routers, and let B(k) = t0 + 2 + the delays of these routers' switches and
// channels. A head then arrives in cycle B(k) + k R + o(i) and wins R cycles later. By induction, heads keep
// their spacing, because o(i) - o(j) >= floor((i - j) f/T) and f >= g. Body flits arrive no later than B(k)
// + k R + o(i) and no earlier than B(k) + o(i): if the pace is slower than the clock, they close up behind
// their head by R cycles per router, as far as the channel allows. In the maximum for the tail, only the tail
// itself and the heads matter. If g is a whole number of cycles, floor(x) + floor(y) = floor(x + y), so only
// the last packet's head matters:
//       tail(k) = max(tail arrival, B(k) + (k + 1) R + max over heads q of o(q) + floor((flits - 1 - q)
//         g/T)).
class TrainTiming {
 public:
  TrainTiming(const Framing& framing, Femtoseconds period, Cycles routing_and_allocation)
      : framing_(framing), period_(period), routing_and_allocation_(routing_and_allocation) {}

  // The train of a message of `bytes` on a route whose slowest channel has the flit time `slowest`.
  Train train(Bytes bytes, Femtoseconds slowest) const;

  // The passage through a router whose input buffer the head reaches in cycle `arrival` and the tail in cycle
  // `tail_arrival`. The flit time of the output channel `channel` must not exceed the train's pace.
  Traversal pass(const Train& train, Cycles arrival, Cycles tail_arrival, const ChannelPace& channel);

  // The earliest cycle in which the tail can win the switch if the channel accepts no flit of the train
  // before `next_free`.
  Cycles tail_behind(Femtoseconds next_free, std::int64_t flits, const ChannelPace& channel) const {
    return cycles(checked_sum(next_free, (flits - 1) * channel.flit_time));
  }

  // An output channel on a train's route, and the number of cycles from a flit's switch grant for this
  // channel until the flit arrives at the next router.
  struct Leg {
    ChannelPace pace;
    Cycles delay = 0;
  };
  // The number of flits that have moved before cycle `end` if the train is injected from cycle `start` on.
  // The first element is the number of injected flits; each further element is the number of flits that have
  // won the switch of one leg. Flits reach the first router `injection_delay` cycles after their injection.
  std::vector<std::int64_t> moved_before(const Train& train, Cycles start, Cycles injection_delay,
                                         std::span<const Leg> legs, Cycles end) const;

  // Converts a time to whole cycles, rounding up.
  Cycles cycles(Femtoseconds time) const { return (time + period_ - 1) / period_; }
  Cycles routing_and_allocation() const { return routing_and_allocation_; }

 private:
  // For a channel whose flit time is not a whole number of cycles: when a train's tail can pass, and when the
  // channel is free again, if heads arrive at the train's pace. Both are counted from the first head.
  struct Drain {
    Cycles tail = 0;        // max over heads q of o(q) + floor((flits - 1 - q) g/T)
    Femtoseconds free = 0;  // max over heads q of o(q) T + (flits - q) g
  };
  Drain drain(const Train& train, Femtoseconds flit_time);

  Framing framing_;
  Femtoseconds period_;
  Cycles routing_and_allocation_;
  // Key: flits, packet flits, pace, flit time.
  std::map<std::tuple<std::int64_t, std::int64_t, Femtoseconds, Femtoseconds>, Drain> drains_;
};

}  // namespace coppice::fabric

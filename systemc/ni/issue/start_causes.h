#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ni/issue/dependency_tracker.h"
#include "ni/memory/message_record.h"

namespace coppice::ni {

// The cause of a message's start, as recorded in its MessageRecord: the arrival that satisfied the message's
// last dependency or, if that arrival was earlier, the issue of the port's previous message.
struct Enabler {
  Cycles at = 0;
  Cycles tail_injected = 0;
  Cycles delay = 0;
  Cycles credit_delay = 0;
};

// The enabler of the next message to be issued at each port.
class Enablers {
 public:
  explicit Enablers(int ports) : ports_(static_cast<std::size_t>(ports)) {}

  // Declares that the next message of `port` from cycle `now` on is `next`, which is nullptr if there is
  // none.
  void expect(int port, const TableEntry* next, const DependencyTracker& tracker, Cycles now) {
    Port& expected = ports_[static_cast<std::size_t>(port)];
    expected = {};
    if (next == nullptr) return;
    expected.flow = next->flow;
    expected.dependencies = next->dependencies;
    if (next->dependencies > 0 && tracker.satisfied(next->flow, next->dependencies))
      expected.enabler.at = now;
  }
  // Records that `arrival` is in memory in cycle `now`. `before` is the number of arrivals of its flow that
  // were counted before it; `tracker` already includes it.
  void arrived(const MessageRecord& arrival, const DependencyTracker& tracker, std::int32_t before,
               Cycles now) {
    const std::int32_t flow = arrival.entry->flow;
    for (Port& port : ports_) {
      if (port.flow != flow || port.dependencies <= before) continue;
      if (!tracker.satisfied(flow, port.dependencies)) continue;
      // Even without contention, the tail is late if the route has a slower channel than the injection
      // channel.
      const Cycles without_contention =
          arrival.head_injected + arrival.zero_load_latency + arrival.serialization - 1;
      const Cycles delay = arrival.tail_ejected - without_contention;
      port.enabler = {now, arrival.tail_injected, delay, std::min(delay, arrival.credit_stall)};
    }
  }
  void prefetch() const { __builtin_prefetch(ports_.data()); }
  const Enabler& operator[](int port) const { return ports_[static_cast<std::size_t>(port)].enabler; }

 private:
  struct Port {
    std::int32_t flow = -1;
    std::int32_t dependencies = 0;
    Enabler enabler;
  };
  std::vector<Port> ports_;
};

}  // namespace coppice::ni

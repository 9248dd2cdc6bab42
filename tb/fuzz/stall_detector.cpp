#include "stall_detector.h"

#include <algorithm>

#include <fmt/format.h>

#include "fabric/route_timing.h"

namespace coppice::fuzz {
namespace {

std::uint64_t pair(std::int64_t high, std::int64_t low) {
  return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
}

}  // namespace

StallDetector::StallDetector(const topology::Topology& topology, const config::SystemConfig& system)
    : topology_(topology), system_(system), period_(system.clock.period()) {}

void StallDetector::require(Cycles due, Cycles now, const std::string& place) {
  if (now <= due || (cycle_ >= 0 && cycle_ <= due)) return;
  cycle_ = due;
  place_ = place;
}

void StallDetector::injected(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) {
  Injection& message = messages_[pair(event.node, event.ni_port)];
  if (packet.first_of_message && event.flit.is_head()) message = {now, 0};
  const Femtoseconds pace = std::max(packet.flit_time, period_);
  require(message.start + cycles(message.flits * pace), now, fmt::format("NI {}", event.node));
  ++message.flits;
  arrivals_[FlitName(packet.tag, packet.index, event.flit.sequence)] = now + fabric::kInjectionDelay;
}

void StallDetector::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) {
  if (event.out_port < 0) {
    injected(event, packet, now);
    return;
  }
  const config::RouterConfig& router = system_.router;
  const bool ejects = event.ni_port >= 0;
  const topology::Channel* channel =
      ejects
          ? nullptr
          : &topology_.channel(topology_.out_channels(event.node)[static_cast<std::size_t>(event.out_port)]);
  const Femtoseconds flit_time =
      ejects ? fabric::ejection_flit_time(system_) : fabric::channel_flit_time(system_, channel->bandwidth);
  const FlitName name(packet.tag, packet.index, event.flit.sequence);
  Cycles& arrival = arrivals_[name];
  Cycles due = arrival;
  if (event.flit.is_head()) due += router.routing_delay + router.vc_alloc_delay;
  const auto own = std::tuple(event.node, event.out_port, packet.tag);
  const auto before = last_sent_.find(own);
  const bool first = packet.first_of_message && event.flit.is_head();
  if (!first && before != last_sent_.end()) due = std::max(due, before->second + cycles(flit_time));
  require(due, now,
          ejects ? fmt::format("ejection at node {}", event.node)
                 : fmt::format("channel {}->{}", channel->src, channel->dst));
  last_sent_[own] = now;
  if (ejects) {
    arrivals_.erase(name);
  } else {
    arrival = now + router.sw_alloc_delay - 1 + router.st_delay + 1 + fabric::flit_latency(system_, *channel);
  }
}

}  // namespace coppice::fuzz

#include "fabric/train_fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "fabric/route_timing.h"
#include "fabric/sim_time.h"

namespace coppice::fabric {

TrainFabric::TrainFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
                         const config::SystemConfig& system, const Framing& framing, int ni_ports,
                         Failure& failure)
    : sc_module(name),
      topology_(&topology),
      framing_(framing),
      ni_ports_(ni_ports),
      period_(system.clock.period()),
      routing_and_allocation_(system.router.routing_delay + system.router.vc_alloc_delay),
      vcs_(system.router.vcs),
      vc_depth_(system.router.vc_depth),
      wake_event_("wake"),
      failure_(&failure) {
  build(system);
  SC_HAS_PROCESS(TrainFabric);
  SC_METHOD(tick);
  sensitive << wake_event_;
  dont_initialize();
}

void TrainFabric::build(const config::SystemConfig& system) {
  const config::RouterConfig& router = system.router;
  const Cycles grant = router.sw_alloc_delay - 1;
  const Cycles traversal = grant + router.st_delay + 1;
  injection_credit_loop_ = kInjectionDelay + routing_and_allocation_ + grant + 1 + kNiChannelLatency;
  for (NodeId node = 0; node < topology_->num_nodes(); ++node) {
    first_output_.push_back(outputs_.size());
    for (const topology::ChannelId id : topology_->out_channels(node)) {
      const topology::Channel& channel = topology_->channel(id);
      const Cycles latency = latency_cycles(channel.latency, period_);
      Output out;
      out.delay = traversal + latency;
      out.credit_loop = out.delay + routing_and_allocation_ + grant + 1 + latency + router.credit_delay;
      out.flit_time = channel_flit_time(system, channel.bandwidth);
      out.to = channel.dst;
      out.channel = id;
      outputs_.push_back(std::move(out));
    }
    if (!topology_->is_accelerator(node)) continue;
    Output ejection;
    ejection.delay = traversal + kNiChannelLatency;
    ejection.credit_loop = ejection.delay + 1 + kNiChannelLatency + router.credit_delay;
    ejection.flit_time = ejection_flit_time(system);
    outputs_.insert(outputs_.end(), static_cast<std::size_t>(ni_ports_), ejection);
  }
  ports_.resize(static_cast<std::size_t>(topology_->num_accelerators()) *
                static_cast<std::size_t>(ni_ports_));
  statistics_.channel_flits.assign(topology_->channels().size(), 0);
}

void TrainFabric::connect(NodeId node, int port, Injector& injector, Ejector& ejector) {
  Port& end = ports_[static_cast<std::size_t>(node * ni_ports_ + port)];
  end.injector = &injector;
  end.ejector = &ejector;
}

void TrainFabric::wake(NodeId node, int port, Cycles at) {
  schedule({at, EventKind::kWake, node * ni_ports_ + port, 0});
}

void TrainFabric::schedule(const Event& event) {
  events_.push(event);
  if (next_tick_ >= 0 && next_tick_ <= event.at) return;
  next_tick_ = event.at;
  wake_event_.notify(to_sc_time(event.at * period_) - sc_core::sc_time_stamp());
}

void TrainFabric::tick() {
  failure_->guard([this] {
    const Cycles now = next_tick_;
    while (!events_.empty() && events_.top().at <= now) {
      const Event event = events_.top();
      events_.pop();
      process(event, now);
    }
    if (events_.empty()) {
      next_tick_ = -1;
      return;
    }
    next_tick_ = events_.top().at;
    wake_event_.notify(to_sc_time((next_tick_ - now) * period_));
  });
}

void TrainFabric::process(const Event& event, Cycles now) {
  Port& port = ports_[static_cast<std::size_t>(event.port)];
  switch (event.kind) {
    case EventKind::kEjected:
      --trains_;
      last_movement_ = now;
      statistics_.flits_ejected += port.ejector->message_ejected(event.message, now);
      break;
    case EventKind::kInjected:
      port.sending = false;
      last_movement_ = now;
      port.injector->message_injected(event.message, now);
      schedule({port.free_at, EventKind::kWake, event.port, 0});
      break;
    case EventKind::kWake:
      if (!port.sending) try_start(event.port, now);
      break;
  }
}

void TrainFabric::try_start(std::int32_t index, Cycles now) {
  const Port& port = ports_[static_cast<std::size_t>(index)];
  const Injector::Pending pending = port.injector->next_message();
  if (pending.message == nullptr) return;
  const Cycles at = std::max(pending.ready, port.free_at);
  if (at > now) {
    schedule({at, EventKind::kWake, index, 0});
  } else {
    start(index, *pending.message, now);
  }
}

void TrainFabric::start(std::int32_t index, const Message& message, Cycles now) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  const std::int64_t flits = framing_.flits(message.bytes);
  const Femtoseconds pace = std::max(message.flit_time, period_);
  const Cycles length = cycles((flits - 1) * pace);  // from head to tail
  require_rigid(message, pace, now);
  if (vcs_ == 1 && port.free_at > 0 && now < port.free_at - cycles(pace) + 1 + routing_and_allocation_) {
    throw ContentionError(
        fmt::format("NI {} at cycle {}: a message follows the one before too closely for one "
                    "virtual channel",
                    message.src, now));
  }

  Cycles at = now + kInjectionDelay + routing_and_allocation_;
  NodeId node = message.src;
  NodeId next = node;
  int ejection_port = 0;
  for (const topology::Hop& hop : *message.route) {
    node = next;
    Output& out = output(node, hop.out_port);
    occupy(node, out, hop.vcs, message, {at, at + length, at + length + cycles(out.flit_time), message.id},
           now);
    statistics_.flit_hops += flits;
    if (out.channel >= 0) {
      statistics_.channel_flits[static_cast<std::size_t>(out.channel)] += flits;
      for (FabricObserver* observer : observers_) observer->channel_busy(out.channel, at, at + length + 1);
    } else {
      ejection_port = hop.out_port - static_cast<int>(topology_->out_channels(node).size());
    }
    next = out.to;
    at += out.delay + (out.channel >= 0 ? routing_and_allocation_ : 0);
  }
  ++trains_;
  statistics_.flits_injected += flits;
  last_movement_ = now;
  port.sending = true;
  port.free_at = now + length + cycles(pace);
  port.injector->message_started(message.id, now);
  schedule({now + length, EventKind::kInjected, index, message.id});
  schedule({at + length, EventKind::kEjected, node * ni_ports_ + ejection_port, message.id});
}

// Conditions 3 and 4 as far as they concern the message alone.
void TrainFabric::require_rigid(const Message& message, Femtoseconds pace, Cycles now) const {
  const auto refuse = [&](const std::string& why) {
    throw ContentionError(fmt::format("message {}->{} at cycle {} does not move as a rigid train: {}",
                                      message.src, message.dst, now, why));
  };
  const std::int64_t packets = framing_.packets(message.bytes);
  const std::int64_t shortest =
      std::min(framing_.packet_flits(message.bytes, 0), framing_.packet_flits(message.bytes, packets - 1));
  if (shortest * pace / period_ < routing_and_allocation_) {
    refuse(fmt::format("a packet of {} flits is over before the next head has a virtual channel", shortest));
  }
  const Cycles covered = vc_depth_ * pace / period_;
  if (covered < injection_credit_loop_) {
    refuse(fmt::format("a buffer of {} flits does not cover the injection channel's credit loop of {} cycles",
                       vc_depth_, injection_credit_loop_));
  }
  if (vcs_ == 1 && packets > 1) refuse("its packets share one virtual channel");
  NodeId node = message.src;
  for (const topology::Hop& hop : *message.route) {
    const Output& out = outputs_[first_output_[static_cast<std::size_t>(node)] + hop.out_port];
    if (covered < out.credit_loop) {
      refuse(fmt::format(
          "a buffer of {} flits does not cover the credit loop of {} cycles at output {} of router {}",
          vc_depth_, out.credit_loop, hop.out_port, node));
    }
    if (hop.vcs.end - hop.vcs.begin == 1 && packets > 1) {
      refuse(
          fmt::format("its packets share one virtual channel at output {} of router {}", hop.out_port, node));
    }
    node = out.to;
  }
}

// Condition 1, and condition 4 between messages.
void TrainFabric::occupy(NodeId node, Output& output, const topology::VcRange& vcs, const Message& message,
                         const Interval& interval, Cycles now) {
  const Cycles gap = vcs.end - vcs.begin == 1 ? routing_and_allocation_ : 0;
  auto& trains = output.trains;
  // No train starts in the past, so what ended before now cannot be met any more.
  trains.erase(trains.begin(), std::find_if(trains.begin(), trains.end(), [&](const Interval& t) {
                 return t.end + routing_and_allocation_ > now;
               }));
  const auto after = std::find_if(trains.begin(), trains.end(),
                                  [&](const Interval& t) { return t.begin >= interval.begin; });
  const auto meets = [&](const Interval& first, const Interval& second) {
    return second.begin < std::max(first.end, first.tail + 1 + gap);
  };
  const bool before_meets = after != trains.begin() && meets(*(after - 1), interval);
  const bool after_meets = after != trains.end() && meets(interval, *after);
  if (before_meets || after_meets) {
    const Interval& other = before_meets ? *(after - 1) : *after;
    const std::string place = output.channel < 0 ? fmt::format("the ejection channel of NI {}", node)
                                                 : fmt::format("channel {}->{}", node, output.to);
    throw ContentionError(fmt::format(
        "contention on {} at cycle {}: the message {}->{} meets another that uses it "
        "in cycles {} to {}",
        place, std::max(interval.begin, other.begin), message.src, message.dst, other.begin, other.tail));
  }
  trains.insert(after, interval);
}

void TrainFabric::check_conservation() const {
  if (statistics_.flits_injected == statistics_.flits_ejected && trains_ == 0) return;
  throw ModelError(fmt::format("{}: {} flits injected, {} ejected, {} trains under way", name(),
                               statistics_.flits_injected, statistics_.flits_ejected, trains_));
}

std::string TrainFabric::describe_packets(int /*limit*/) const {
  return fmt::format("  {} messages are under way\n", trains_);
}

}  // namespace coppice::fabric

// The life cycle of flows in the fluid fabric: their rates, the bytes that wait in buffers, and their end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/time_limit.h"
#include "fabric/fluid/fluid_fabric.h"

namespace coppice::fabric {
namespace {

// The relative difference below which two rates are treated as equal.
constexpr double kSame = 1e-9;

bool faster(double rate, double other) {
  return rate > other * (1 + kSame);
}

}  // namespace

FluidFabric::FlowIndex FluidFabric::new_flow() {
  if (free_flows_.empty()) {
    free_flows_.push_back(static_cast<FlowIndex>(flows_.size()));
    flows_.emplace_back();
  }
  const FlowIndex index = free_flows_.back();
  free_flows_.pop_back();
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  const std::uint32_t version = flow.version;
  flow = Flow{};
  flow.version = version + 1;
  return index;
}

MaxMinRates::FlowId FluidFabric::add_rate(FlowIndex index, std::span<const std::int32_t> links) {
  const MaxMinRates::FlowId id = rates_.add(links);
  if (static_cast<std::size_t>(id) >= flow_of_.size()) flow_of_.resize(static_cast<std::size_t>(id) + 1, -1);
  flow_of_[static_cast<std::size_t>(id)] = index;
  return id;
}

void FluidFabric::progress(Flow& flow, Femtoseconds now) const {
  const double time = static_cast<double>(now - flow.since) / kFemto;
  if (flow.injecting()) flow.injected += flow.up_rate * time;
  flow.drained += (flow.whole() ? flow.up_rate : flow.down_rate) * time;
  flow.since = now;
}

// Handles the next event of a flow: its last byte has left the port or has arrived, or its buffers are full
// or empty.
void FluidFabric::advance(FlowIndex index) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  if (now_ >= kLongestTime) throw TimeLimitError("the run");
  progress(flow, now_);
  touch(index);
  unsettled_ = true;
  if (flow.injecting() && flow.bytes - flow.injected <= flow.rounding()) leave_port(index);
  if (!flow.injecting() && flow.bytes - flow.drained <= flow.rounding()) finish(index);
}

void FluidFabric::leave_port(FlowIndex index) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  Port& port = ports_[static_cast<std::size_t>(flow.port)];
  const bool whole = flow.whole();
  const bool all_through = flow.bytes - flow.drained <= flow.rounding();
  flow.injected = flow.bytes;
  if (all_through) flow.drained = flow.bytes;
  account(flow);
  show_rate(flow.port, 0);
  if (all_through || !whole) {
    rates_.remove(std::exchange(flow.up, kNone));
  } else {
    flow.down = std::exchange(flow.up, kNone);
    flow.down_rate = flow.up_rate;
    rates_.reroute(flow.down, std::span(flow.links).subspan(flow.split));
  }
  if (whole && all_through) flow.split = flow.links.size();
  vacate(std::span(flow.links).first(flow.split), now_);
  space_.trim(flow.links, flow.split, flow.waiting(), flow.held);
  port.flow = -1;
  schedule({next_cycle(now_), EventKind::kInjected, flow.port, flow.message, 0});
}

void FluidFabric::finish(FlowIndex index) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  Port& port = ports_[static_cast<std::size_t>(flow.port)];
  if (std::abs(flow.bytes - flow.drained) > flow.rounding()) {
    throw ModelError(fmt::format("{}: message {} of {} bytes from {} ended, but {} bytes were not sent",
                                 name(), flow.message, flow.bytes, flow.port / ni_ports_,
                                 flow.bytes - flow.drained));
  }
  bytes_carried_ += flow.drained;
  flow.drained = flow.bytes;
  account(flow);
  if (flow.down != kNone) rates_.remove(std::exchange(flow.down, kNone));
  if (flow.split < flow.links.size()) vacate(std::span(flow.links).subspan(flow.split), now_);
  space_.release(flow.links, flow.held);
  schedule({next_cycle(now_ + flow.latency * period_), EventKind::kEjected, flow.ejection, flow.message, 0});
  std::erase(port.flows, index);
  ++flow.version;
  free_flows_.push_back(index);
}

void FluidFabric::touch(FlowIndex index) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  if (std::exchange(flow.touched_in, settlement_) != settlement_) touched_.push_back(index);
}

// Rates depend on which messages are split, and which messages must be split depends on the rates. The loop
// terminates because each message is split at most once, and is merged again if splitting does not help.
void FluidFabric::update_rates() {
  unsettled_ = false;
  for (bool settled = false; !settled;) {
    for (const MaxMinRates::FlowId id : rates_.update()) {
      const FlowIndex index = flow_of_[static_cast<std::size_t>(id)];
      Flow& flow = flows_[static_cast<std::size_t>(index)];
      progress(flow, now_);
      touch(index);
      if (id == flow.up) {
        flow.up_rate = rates_.rate(id);
        show_rate(flow.port, flow.up_rate);
      } else {
        flow.down_rate = rates_.rate(id);
      }
    }
    settled = true;
    for (const FlowIndex index : touched_) {
      if (decide(index)) settled = false;
    }
  }
  for (const FlowIndex index : touched_) predict(index);
  touched_.clear();
  ++settlement_;
}

// Splits or merges the message if its rates require this. Returns whether the rates must then be updated.
bool FluidFabric::decide(FlowIndex index) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  if (!flow.injecting()) return false;
  const double waiting = flow.waiting();
  if (!flow.whole()) {
    const bool empty = waiting <= flow.rounding() && faster(flow.down_rate, flow.up_rate);
    const bool full = waiting >= flow.window - flow.rounding() && faster(flow.up_rate, flow.down_rate);
    if (empty) flow.drained = flow.injected;
    if (empty || full) merge(flow);
    return empty || full;
  }
  if (flow.split_in == settlement_) return false;
  const bool anything_waits = waiting > flow.rounding();
  std::size_t held_at =
      faster(rates_.capacity(flow.links.front()), flow.up_rate) ? rates_.bottleneck(flow.up) : 0;
  if (anything_waits && held_at < flow.split) return split(index, flow.split);
  if (held_at == 0) return false;
  // Bytes that wait in a buffer have not passed the links after it.
  if (anything_waits) held_at = std::min(held_at, flow.split);
  const double window = room(flow, held_at);
  if (window < waiting + static_cast<double>(framing_.flit)) return false;
  flow.window = window;
  return split(index, held_at);
}

// The number of bytes of the message that fit before a link. All flits of a packet use the same virtual
// channel.
double FluidFabric::room(Flow& flow, std::size_t before) {
  const auto most = [&](std::size_t i) {
    const int vcs =
        i == 0 ? system_->router.vcs : (*flow.route)[i - 1].vcs.end - (*flow.route)[i - 1].vcs.begin;
    const auto places =
        static_cast<double>(flow.flits > flow.packet_flits ? vcs : 1) * system_->router.vc_depth;
    return places * static_cast<double>(framing_.flit);
  };
  return space_.reserve(flow.links, before, flow.bytes - flow.drained, most, flow.held);
}

bool FluidFabric::split(FlowIndex index, std::size_t at) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  account(flow);
  flow.split = at;
  flow.split_in = settlement_;
  rates_.reroute(flow.up, std::span(flow.links).first(at));
  flow.down = add_rate(index, std::span(flow.links).subspan(at));
  flow.down_rate = 0;
  return true;
}

void FluidFabric::merge(Flow& flow) {
  account(flow);
  rates_.remove(std::exchange(flow.down, kNone));
  rates_.reroute(flow.up, flow.links);
}

// Predicts the flow's next event, assuming that its rates do not change before then.
void FluidFabric::predict(FlowIndex index) {
  Flow& flow = flows_[static_cast<std::size_t>(index)];
  if (!flow.injecting() && flow.down == kNone) return;  // the flow has ended
  ++flow.version;
  double left = std::numeric_limits<double>::infinity();
  const auto at_rate = [&](double bytes, double rate) {
    if (rate > 0) left = std::min(left, std::max(bytes, 0.0) / rate);
  };
  if (flow.injecting()) at_rate(flow.bytes - flow.injected, flow.up_rate);
  if (!flow.whole()) at_rate(flow.bytes - flow.drained, flow.down_rate);
  if (flow.injecting() && !flow.whole()) {
    if (faster(flow.down_rate, flow.up_rate)) at_rate(flow.waiting(), flow.down_rate - flow.up_rate);
    if (faster(flow.up_rate, flow.down_rate))
      at_rate(flow.window - flow.waiting(), flow.up_rate - flow.down_rate);
  }
  if (left == std::numeric_limits<double>::infinity()) return;  // the flow is stalled
  // The end of another flow may speed up this flow before then, so a time beyond the limit is not an error
  // yet.
  const double femtoseconds = std::round(left * kFemto);
  const auto beyond = static_cast<double>(kLongestTime - now_);
  const Femtoseconds at =
      femtoseconds < beyond ? now_ + static_cast<Femtoseconds>(femtoseconds) : kLongestTime;
  schedule({at, EventKind::kFlow, index, 0, flow.version});
}

// Adds the bytes transferred since the last call to the totals of the flow's links.
void FluidFabric::account(Flow& flow) {
  const std::span<const std::int32_t> links = flow.links;
  const double up = flow.injected - std::exchange(flow.up_counted, flow.injected);
  const double down = flow.drained - std::exchange(flow.down_counted, flow.drained);
  if (flow.whole()) {
    carry(links, up);
    return;
  }
  if (flow.injecting()) carry(links.first(flow.split), up);
  if (flow.split < links.size()) carry(links.subspan(flow.split), down);
}

void FluidFabric::carry(std::span<const std::int32_t> links, double bytes) {
  for (const std::int32_t link : links) {
    const auto at = static_cast<std::size_t>(link);
    carried_[at] += bytes;
    if (at < statistics_.channel_flits.size()) {
      statistics_.channel_flits[at] = std::llround(carried_[at] / static_cast<double>(framing_.flit));
    }
  }
}

void FluidFabric::occupy(std::span<const std::int32_t> links, Femtoseconds now) {
  for (const std::int32_t link : links) {
    const auto channel = static_cast<std::size_t>(link);
    if (channel < busy_.size() && busy_[channel].flows++ == 0) {
      busy_[channel].since = now;
      busy_[channel].carried = carried_[channel];
    }
  }
}

void FluidFabric::vacate(std::span<const std::int32_t> links, Femtoseconds now) {
  for (const std::int32_t link : links) {
    const auto channel = static_cast<std::size_t>(link);
    if (channel >= busy_.size() || --busy_[channel].flows > 0 || observers_.empty()) continue;
    // The last flit wins the switch one flit time before the channel is free again.
    const Cycles flit = next_cycle(channel_flit_time(*system_, topology_->channel(link).bandwidth)) / period_;
    const Cycles begin = next_cycle(busy_[channel].since) / period_;
    const Cycles end = std::max(begin + 1, next_cycle(now) / period_ - flit + 1);
    const double bytes = carried_[channel] - busy_[channel].carried;
    const auto rate = static_cast<double>(topology_->channel(link).bandwidth.bytes_per_second);
    const auto used = static_cast<Femtoseconds>(bytes / rate * kFemto);
    for (FabricObserver* observer : observers_) observer->channel_busy(link, begin, end, used);
  }
}

void FluidFabric::show_rate(std::int32_t port, double rate) const {
  const auto now = static_cast<Femtoseconds>(sc_core::sc_time_stamp().value());
  for (FabricObserver* observer : observers_) {
    observer->flow_rate(port / ni_ports_, port % ni_ports_, rate, now);
  }
}

}  // namespace coppice::fabric

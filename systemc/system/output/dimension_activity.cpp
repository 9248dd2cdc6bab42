#include "system/output/dimension_activity.h"

#include <algorithm>
#include <utility>

#include "fabric/route_timing.h"

namespace coppice::system {

void TimeWindows::add(std::size_t series, Femtoseconds begin, Femtoseconds end, Femtoseconds spent,
                      std::int64_t count) {
  __extension__ using Wide = __int128;
  while (end > window_ * static_cast<Femtoseconds>(kMost)) join();
  if (begin >= end) return;
  auto& windows = spent_[series];
  auto window = static_cast<std::size_t>(begin / window_);
  Femtoseconds window_end = static_cast<Femtoseconds>(window + 1) * window_;
  Femtoseconds counted = 0;
  for (; window_end < end; ++window, window_end += window_) {
    if (windows.size() <= window) windows.resize(window + 1, 0);
    const auto by_now = static_cast<Femtoseconds>(Wide{window_end - begin} * spent / (end - begin));
    windows[window] += count * (by_now - counted);
    counted = by_now;
  }
  if (windows.size() <= window) windows.resize(window + 1, 0);
  windows[window] += count * (spent - counted);
}

void TimeWindows::join() {
  window_ *= 2;
  for (auto& windows : spent_) {
    if (windows.size() % 2 != 0) windows.push_back(0);
    for (std::size_t w = 0; w < windows.size() / 2; ++w) windows[w] = windows[2 * w] + windows[2 * w + 1];
    windows.resize(windows.size() / 2);
  }
}

TimeWindows TimeWindows::until(Femtoseconds end) const {
  TimeWindows whole = *this;
  while (end > whole.window_ * static_cast<Femtoseconds>(kMost)) whole.join();
  return whole;
}

std::vector<double> TimeWindows::parts(std::size_t series, double count, Femtoseconds end) const {
  std::vector<double> parts;
  const auto& windows = spent_[series];
  for (Femtoseconds begin = 0; begin < end; begin += window_) {
    const std::size_t w = parts.size();
    const auto spent = static_cast<double>(w < windows.size() ? windows[w] : 0);
    parts.push_back(spent / count / static_cast<double>(std::min(window_, end - begin)));
  }
  return parts;
}

DimensionActivity::DimensionActivity(const topology::Topology& topology, const config::SystemConfig& system,
                                     std::vector<const schedule::Schedule*> schedules)
    : topology_(&topology),
      schedules_(std::move(schedules)),
      period_(system.clock.period()),
      out_ports_(topology.out_channels(0).size()),
      ports_(topology.dimension_kinds().size(), 0),
      free_at_(static_cast<std::size_t>(topology.num_accelerators()) * out_ports_, 0),
      covered_(static_cast<std::size_t>(topology.num_accelerators()) * out_ports_),
      windows_(2 * topology.dimension_kinds().size(), period_) {
  for (const topology::ChannelId id : topology.out_channels(0)) {
    const topology::Channel& channel = topology.channel(id);
    dimension_.push_back(static_cast<std::size_t>(channel.dimension));
    ++ports_[dimension_.back()];
    flit_time_.push_back(fabric::channel_flit_time(system, channel.bandwidth));
  }
}

void DimensionActivity::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& /*packet*/,
                                  Cycles now) {
  if (event.out_port < 0 || event.ni_port >= 0 || event.node >= topology_->num_accelerators()) return;
  const auto port = static_cast<std::size_t>(event.out_port);
  keep_busy(static_cast<std::size_t>(event.node) * out_ports_ + port, now * period_, now * period_,
            flit_time_[port]);
}

// If a flit takes a fractional number of cycles, the next flit may be granted the channel up to a cycle
// before the first one ends. It then follows immediately.
void DimensionActivity::keep_busy(std::size_t port, Femtoseconds begin, Femtoseconds last_flit,
                                  Femtoseconds used) {
  Femtoseconds& free_at = free_at_[port];
  const Femtoseconds start = std::max(free_at, begin);
  const Femtoseconds end = std::max(start, last_flit) + flit_time_[port % out_ports_];
  add(0, port, start, end, std::min(used, end - start));
  free_at = end;
}

void DimensionActivity::channel_busy(topology::ChannelId id, Cycles begin, Cycles end, Femtoseconds used) {
  const topology::Channel& channel = topology_->channel(id);
  if (!topology_->is_accelerator(channel.src)) return;
  // Cycle `end` - 1 is the one in which the last flit won the switch.
  keep_busy(port_of(channel), begin * period_, (end - 1) * period_, used);
}

void DimensionActivity::channels_busy(std::span<const topology::ChannelId> images, Cycles begin, Cycles end,
                                      Femtoseconds used) {
  topology::ChannelId tracked = images.front();
  const topology::Channel& channel = topology_->channel(tracked);
  if (images.size() > 1 && topology_->is_accelerator(channel.src)) {
    if (images_of(port_of(channel)) == nullptr) add_images(images);
    const std::size_t port = images_of(port_of(channel))->tracked;
    tracked = topology_->out_channels(static_cast<topology::NodeId>(port / out_ports_))[port % out_ports_];
  }
  channel_busy(tracked, begin, end, used);
}

void DimensionActivity::add_images(std::span<const topology::ChannelId> images) {
  if (image_numbers_.empty()) image_numbers_.assign(free_at_.size(), -1);
  Images added{free_at_.size(), std::vector<std::int64_t>(ports_.size(), 0)};
  for (const topology::ChannelId id : images) {
    const std::size_t port = port_of(topology_->channel(id));
    added.tracked = std::min(added.tracked, port);
    ++added.count[dimension_[port % out_ports_]];
    image_numbers_[port] = static_cast<int>(images_.size());
  }
  images_.push_back(std::move(added));
}

void DimensionActivity::message_completed(const ni::MessageRecord& message, std::size_t schedule) {
  const auto& route = schedules_[schedule]->routes[static_cast<std::size_t>(message.entry->route)];
  const std::size_t out_port = route.front().out_port;
  if (out_port >= out_ports_ || !topology_->is_accelerator(message.src)) return;
  const std::size_t port = static_cast<std::size_t>(message.src) * out_ports_ + out_port;
  const Images* const images = images_of(port);
  cover(images == nullptr ? port : images->tracked,
        {message.dependencies_met * period_, message.completed * period_});
}

// A port's messages to different accelerators may overtake each other, so the message that is reported last
// may have begun first.
void DimensionActivity::cover(std::size_t port, Span span) {
  // The maximum number of spans per port. If there are more, the oldest two are merged, including the gap
  // between them.
  constexpr std::size_t kMost = 32;
  std::vector<Span>& covered = covered_[port];
  const auto count = [&](Femtoseconds begin, Femtoseconds end) {
    add(ports_.size(), port, begin, end, end - begin);
  };
  Femtoseconds uncounted = span.end;  // time after this has already been counted
  Span joined = span;
  while (!covered.empty() && covered.back().end >= span.begin) {
    const Span last = covered.back();
    covered.pop_back();
    count(last.end, uncounted);
    uncounted = last.begin;
    joined = {std::min(joined.begin, last.begin), std::max(joined.end, last.end)};
  }
  count(span.begin, uncounted);
  covered.push_back(joined);
  if (covered.size() <= kMost) return;
  covered[1].begin = covered[0].begin;
  covered.erase(covered.begin());
}

void DimensionActivity::add(std::size_t first, std::size_t port, Femtoseconds begin, Femtoseconds end,
                            Femtoseconds spent) {
  const Images* const images = images_of(port);
  if (images == nullptr) {
    windows_.add(first + dimension_[port % out_ports_], begin, end, spent);
    return;
  }
  for (std::size_t d = 0; d < images->count.size(); ++d) {
    if (images->count[d] > 0) windows_.add(first + d, begin, end, spent, images->count[d]);
  }
}

DimensionActivity DimensionActivity::until(Femtoseconds end) const {
  DimensionActivity whole = *this;
  whole.windows_ = windows_.until(end);
  return whole;
}

std::vector<double> DimensionActivity::busy(std::size_t d, Femtoseconds end) const {
  return windows_.parts(d, ports(d), end);
}

std::vector<double> DimensionActivity::active(std::size_t d, Femtoseconds end) const {
  return windows_.parts(ports_.size() + d, ports(d), end);
}

}  // namespace coppice::system

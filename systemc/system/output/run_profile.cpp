#include "system/output/run_profile.h"

#include <algorithm>
#include <cmath>

#include "fabric/route_timing.h"

namespace coppice::system {

RunProfile::RunProfile(const topology::Topology& topology, const config::SystemConfig& system)
    : topology_(&topology),
      period_(system.clock.period()),
      busy_(topology.channels().size(), 0),
      windows_(std::min(topology.channels().size(), kMostWindowed), period_) {
  for (const topology::Channel& channel : topology.channels()) {
    flit_time_.push_back(fabric::channel_flit_time(system, channel.bandwidth));
  }
}

void RunProfile::message_completed(const ni::MessageRecord& message) {
  if (++in_all_ > static_cast<std::int64_t>(kMostMessages)) return;
  const Cycles issued = std::max(message.issued, message.port_free_since);
  const Cycles data_here = std::clamp(message.dependencies_met, message.port_free_since, issued);
  messages_.push_back({message.src, message.src_port, message.port_free_since, data_here, issued,
                       message.head_injected, message.tail_injected, message.completed, message.entry->flow,
                       message.entry->op == schedule::Op::kReduce ? 0 : 1, message.entry->step, message.dst});
}

void RunProfile::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& /*packet*/, Cycles now) {
  if (event.out_port < 0 || event.ni_port >= 0) return;
  const topology::ChannelId channel =
      topology_->out_channels(event.node)[static_cast<std::size_t>(event.out_port)];
  const Femtoseconds begin = now * period_;
  const Femtoseconds flit_time = flit_time_[static_cast<std::size_t>(channel)];
  add_busy(channel, begin, begin + flit_time, flit_time);
}

void RunProfile::channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) {
  if (end <= begin) return;
  const Femtoseconds last_flit = flit_time_[static_cast<std::size_t>(channel)];
  add_busy(channel, begin * period_, (end - 1) * period_ + last_flit, used);
}

void RunProfile::add_busy(topology::ChannelId channel, Femtoseconds begin, Femtoseconds end,
                          Femtoseconds used) {
  channels_seen_ = true;
  const auto c = static_cast<std::size_t>(channel);
  const Femtoseconds spent = std::min(used, end - begin);
  busy_[c] += spent;
  if (c < kMostWindowed) windows_.add(c, begin, end, spent);
}

nlohmann::ordered_json RunProfile::to_json(Cycles cycles) const {
  const Femtoseconds end = cycles * period_;
  const auto ns = [](Femtoseconds time) {
    return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
  };
  nlohmann::ordered_json json{{"cycle_ns", ns(period_)}, {"time_ns", ns(end)}};
  if (channels_seen_ && end > 0) {
    constexpr double kPlaces = 1e4;
    auto busy = nlohmann::ordered_json::array();
    auto windows = nlohmann::ordered_json::array();
    for (std::size_t c = 0; c < busy_.size(); ++c) {
      busy.push_back(std::round(kPlaces * static_cast<double>(busy_[c]) / static_cast<double>(end)) /
                     kPlaces);
      if (c >= kMostWindowed) continue;
      auto percents = nlohmann::ordered_json::array();
      for (const double part : windows_.parts(c, 1, end)) {
        percents.push_back(static_cast<int>(std::lround(100 * std::min(part, 1.0))));
      }
      windows.push_back(std::move(percents));
    }
    json["busy"] = std::move(busy);
    json["windows"] = {{"length_ns", ns(windows_.window())}, {"busy", std::move(windows)}};
  }
  json["messages"] = messages_;
  json["messages_in_all"] = in_all_;
  return json;
}

nlohmann::ordered_json drawing_of(const topology::Topology& topology) {
  auto channels = nlohmann::ordered_json::array();
  for (const topology::Channel& channel : topology.channels()) {
    channels.push_back({channel.src, channel.dst, channel.bandwidth.gb_per_s()});
  }
  return {{"name", topology.name()},       {"kind", topology::to_string(topology.kind())},
          {"dims", topology.dims()},       {"accelerators", topology.num_accelerators()},
          {"nodes", topology.num_nodes()}, {"channels", std::move(channels)}};
}

}  // namespace coppice::system

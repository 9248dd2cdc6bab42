#include "system/output/trace_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "fabric/route_timing.h"

namespace coppice::system {

TraceWriter::TraceWriter(const std::string& path, const topology::Topology& topology,
                         const config::SystemConfig& system, int ni_ports)
    : file_("--trace", path),
      topology_(topology),
      ni_ports_(static_cast<std::size_t>(ni_ports)),
      period_(system.clock.period()),
      buffers_(topology, system),
      intervals_(topology.channels().size()) {
  for (const topology::Channel& channel : topology.channels()) {
    const Femtoseconds flit = fabric::channel_flit_time(system, channel.bandwidth);
    flit_cycles_.push_back((flit + period_ - 1) / period_);
  }
  add_interfaces();
}

void TraceWriter::add_interfaces() {
  const PerfettoFile::Track group = file_.add_group("network interfaces");
  first_interface_ = group + 1;
  for (topology::NodeId node = 0; node < topology_.num_nodes(); ++node) {
    for (std::size_t port = 0; port < ni_ports_; ++port)
      file_.add_track(group, fmt::format("NI {} port {}", node, port));
    for (std::size_t port = 0; port < ni_ports_; ++port)
      file_.add_counter(group, fmt::format("NI {} port {} rate", node, port), "GB/s");
    file_.add_track(group, fmt::format("NI {} receives", node));
  }
}

PerfettoFile::Track TraceWriter::port_track(topology::NodeId node, int port) const {
  return first_interface_ + static_cast<std::size_t>(node) * (2 * ni_ports_ + 1) +
         static_cast<std::size_t>(port);
}

PerfettoFile::Track TraceWriter::rate_track(topology::NodeId node, int port) const {
  return port_track(node, port) + ni_ports_;
}

PerfettoFile::Track TraceWriter::arrivals_track(topology::NodeId node) const {
  return port_track(node, 0) + 2 * ni_ports_;
}

void TraceWriter::add_wait(PerfettoFile::Track track, const char* name, Cycles begin, Cycles end) {
  if (begin < end) file_.add_slice(track, file_.number_of(name), begin * period_, end * period_);
}

void TraceWriter::message_completed(const ni::MessageRecord& message) {
  const PerfettoFile::Track track = port_track(message.src, message.src_port);
  const Cycles issued = std::max(message.issued, message.port_free_since);
  const Cycles data_here = std::clamp(message.dependencies_met, message.port_free_since, issued);
  add_wait(track, "wait: dependency", message.port_free_since, data_here);
  add_wait(track, "wait: lockstep", data_here, issued);
  add_wait(track, "memory", issued, message.head_injected);
  const std::uint32_t name =
      file_.number_of(fmt::format("{} flow {}", schedule::to_string(message.entry->op), message.entry->flow));
  file_.add_slice(track, name, message.head_injected * period_, (message.tail_injected + 1) * period_,
                  {++messages_, false},
                  {{file_.number_of("step"), std::int64_t{message.entry->step}},
                   {file_.number_of("to"), std::int64_t{message.dst}},
                   {file_.number_of("flits"), message.flits}});
  const Femtoseconds arrived = message.completed * period_;
  file_.add_slice(arrivals_track(message.dst), name, arrived, arrived, {messages_, true},
                  {{file_.number_of("from"), std::int64_t{message.src}}});
}

void TraceWriter::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& packet, Cycles now) {
  buffers_.flit_sent(event, packet, now);
  if (event.out_port < 0 || event.ni_port >= 0) return;
  const auto channel =
      static_cast<std::size_t>(topology_.out_channels(event.node)[static_cast<std::size_t>(event.out_port)]);
  auto& intervals = intervals_[channel];
  const Cycles end = now + flit_cycles_[channel];
  if (!intervals.empty() && now <= intervals.back().end && intervals.back().use == 1) {
    intervals.back().end = end;
  } else {
    intervals.push_back({now, end, 1});
  }
}

void TraceWriter::channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) {
  const auto place = static_cast<std::size_t>(channel);
  const Cycles done = end - 1 + flit_cycles_[place];
  const double share = static_cast<double>(used) / static_cast<double>(period_ * (done - begin));
  // If the fraction of time for which a channel is used exceeds this, it is shown as fully used, since flit
  // times are rounded up to whole cycles.
  constexpr double kDense = 0.9;
  intervals_[place].push_back({begin, done, share > kDense ? 1 : share});
}

void TraceWriter::flow_rate(topology::NodeId node, int ni_port, double bytes_per_second, Femtoseconds at) {
  file_.set_counter(rate_track(node, ni_port), bytes_per_second * 1e-9, at);
}

void TraceWriter::name_actor(int actor, const std::string& text) {
  if (!actors_) actors_ = file_.add_group(actors_name_);
  actor_tracks_.resize(std::max(actor_tracks_.size(), static_cast<std::size_t>(actor) + 1));
  actor_tracks_[static_cast<std::size_t>(actor)] = file_.add_track(*actors_, text);
}

void TraceWriter::actor_phase(int actor, const std::string& text, Femtoseconds begin, Femtoseconds end) {
  if (end <= begin) return;
  file_.add_slice(actor_tracks_[static_cast<std::size_t>(actor)], file_.number_of(text), begin, end);
}

void TraceWriter::actor_event(int actor, const std::string& text, const nlohmann::ordered_json& details,
                              Femtoseconds at) {
  std::vector<PerfettoFile::Argument> arguments;
  for (const auto& [name, value] : details.items()) {
    PerfettoFile::Argument argument{file_.number_of(name), {}};
    if (value.is_number_integer()) {
      argument.value = value.get<std::int64_t>();
    } else if (value.is_number()) {
      argument.value = value.get<double>();
    } else {
      argument.value = value.is_string() ? value.get<std::string>() : value.dump();
    }
    arguments.push_back(std::move(argument));
  }
  file_.add_slice(actor_tracks_[static_cast<std::size_t>(actor)], file_.number_of(text), at, at, {},
                  arguments);
}

// Sorts the intervals first, since trains are reported when they start, not in the order in which they reach
// a channel.
void TraceWriter::write_use(topology::ChannelId channel, PerfettoFile::Track group) {
  auto& intervals = intervals_[static_cast<std::size_t>(channel)];
  if (intervals.empty()) return;
  std::ranges::stable_sort(intervals, {}, &Interval::begin);
  const topology::Channel& ends = topology_.channel(channel);
  const PerfettoFile::Track track =
      file_.add_counter(group, fmt::format("channel {}->{}", ends.src, ends.dst), "%");
  constexpr double kPercent = 100;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    file_.set_counter(track, kPercent * intervals[i].use, intervals[i].begin * period_);
    const bool goes_on = i + 1 < intervals.size() && intervals[i + 1].begin <= intervals[i].end;
    if (!goes_on) file_.set_counter(track, 0, intervals[i].end * period_);
  }
  intervals = {};
}

void TraceWriter::write_levels(topology::ChannelId channel, PerfettoFile::Track group) {
  const auto levels = buffers_.levels(channel);
  if (levels.empty()) return;
  const topology::Channel& ends = topology_.channel(channel);
  const PerfettoFile::Track track =
      file_.add_counter(group, fmt::format("buffer {}->{}", ends.src, ends.dst), "flits");
  for (const BufferLevels::Level& level : levels) file_.set_counter(track, level.most, level.from * period_);
}

void TraceWriter::finish() {
  const PerfettoFile::Track group = file_.add_group("channels, and the buffers at their ends");
  for (topology::ChannelId channel = 0; channel < static_cast<topology::ChannelId>(intervals_.size());
       ++channel) {
    write_use(channel, group);
    write_levels(channel, group);
  }
  file_.finish();
}

}  // namespace coppice::system

#include "system/output/trace_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fabric/route_timing.h"
#include "system/output/time_breakdown.h"

namespace coppice::system {
namespace {

constexpr int kNiProcess = 1;
constexpr int kChannelProcess = 2;
constexpr int kActorProcess = 3;

double microseconds(Femtoseconds time) {
  return static_cast<double>(time) * 1e-9;
}

}  // namespace

TraceWriter::TraceWriter(const std::string& path, const topology::Topology& topology,
                         const config::SystemConfig& system, int ni_ports)
    : output_("--trace", path),
      topology_(topology),
      ni_ports_(ni_ports),
      period_(system.clock.period()),
      intervals_(topology.channels().size()) {
  for (std::size_t c = 0; c < intervals_.size(); ++c) {
    const Femtoseconds flit = fabric::channel_flit_time(system, topology.channels()[c].bandwidth);
    intervals_[c].flit_cycles = (flit + period_ - 1) / period_;
  }
  output_.append("[\n");
  name_tracks();
}

void TraceWriter::event(const std::string& json) {
  if (!first_) output_.append(",\n");
  output_.append(json);
  first_ = false;
}

void TraceWriter::name(const char* kind, int process, std::int64_t track, const std::string& text) {
  event(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", kind, process,
                    track, nlohmann::json(text).dump()));
}

void TraceWriter::name_tracks() {
  name("process_name", kNiProcess, 0, "network-interface ports");
  name("process_name", kChannelProcess, 0, "channels");
  for (topology::NodeId node = 0; node < topology_.num_accelerators(); ++node) {
    for (int port = 0; port < ni_ports_; ++port) {
      name("thread_name", kNiProcess, node * ni_ports_ + port, fmt::format("NI {} port {}", node, port));
    }
  }
  for (std::size_t c = 0; c < topology_.channels().size(); ++c) {
    const topology::Channel& channel = topology_.channels()[c];
    name("thread_name", kChannelProcess, static_cast<std::int64_t>(c),
         fmt::format("channel {}->{}", channel.src, channel.dst));
  }
}

void TraceWriter::slice(int process, std::int64_t track, const std::string& name, Cycles begin, Cycles end) {
  if (end <= begin) return;
  const double us_per_cycle = static_cast<double>(period_) * 1e-9;
  event(fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.6f},"dur":{:.6f}}})", name, process,
                    track, static_cast<double>(begin) * us_per_cycle,
                    static_cast<double>(end - begin) * us_per_cycle));
}

void TraceWriter::message_completed(const ni::MessageRecord& message) {
  const std::int64_t track = message.src * ni_ports_ + message.src_port;
  const Cycles issued = std::max(message.issued, message.port_free_since);
  const Cycles data_here = std::clamp(message.dependencies_met, message.port_free_since, issued);
  slice(kNiProcess, track, "wait: dependency", message.port_free_since, data_here);
  slice(kNiProcess, track, "wait: lockstep", data_here, issued);
  slice(kNiProcess, track, "memory", issued, message.head_injected);
  slice(kNiProcess, track,
        fmt::format("{} flow {} step {} to {}", schedule::to_string(message.entry->op), message.entry->flow,
                    message.entry->step, message.dst),
        message.head_injected, message.tail_injected + 1);
}

void TraceWriter::flit_sent(const fabric::FlitEvent& event, const fabric::Packet& /*packet*/, Cycles now) {
  if (event.out_port < 0 || event.ni_port >= 0) return;
  const topology::ChannelId channel =
      topology_.out_channels(event.node)[static_cast<std::size_t>(event.out_port)];
  Interval& interval = intervals_[static_cast<std::size_t>(channel)];
  if (interval.begin >= 0 && now > interval.end) close_interval(channel);
  if (interval.begin < 0) interval.begin = now;
  interval.end = now + interval.flit_cycles;
}

void TraceWriter::channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) {
  const Cycles done = end - 1 + intervals_[static_cast<std::size_t>(channel)].flit_cycles;
  const double share = static_cast<double>(used) / static_cast<double>(period_ * (done - begin));
  // Above this share a channel counts as busy throughout, since a flit's time is rounded up to whole cycles.
  constexpr double kDense = 0.9;
  const std::string name = share > kDense ? "busy" : fmt::format("busy: {:.0f}% of the time", 100 * share);
  slice(kChannelProcess, channel, name, begin, done);
}

void TraceWriter::flow_rate(topology::NodeId node, int ni_port, double bytes_per_second, Femtoseconds at) {
  const std::int64_t track = node * ni_ports_ + ni_port;
  event(fmt::format(
      R"({{"ph":"C","name":"NI {} port {} rate","pid":{},"tid":{},"ts":{:.6f},"args":{{"GB/s":{:.6f}}}}})",
      node, ni_port, kNiProcess, track, microseconds(at), bytes_per_second * 1e-9));
}

void TraceWriter::name_actor(int actor, const std::string& text) {
  if (!std::exchange(has_actors_, true)) name("process_name", kActorProcess, 0, actors_);
  name("thread_name", kActorProcess, actor, text);
}

void TraceWriter::actor_phase(int actor, const std::string& text, Femtoseconds begin, Femtoseconds end) {
  if (end <= begin) return;
  event(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{:.6f},"dur":{:.6f}}})",
                    nlohmann::json(text).dump(), kActorProcess, actor, microseconds(begin),
                    microseconds(end - begin)));
}

void TraceWriter::actor_event(int actor, const std::string& text, const nlohmann::ordered_json& details,
                              Femtoseconds at) {
  event(fmt::format(R"({{"ph":"i","s":"t","name":"{}","pid":{},"tid":{},"ts":{:.6f},"args":{}}})", text,
                    kActorProcess, actor, microseconds(at), details.dump()));
}

void TraceWriter::close_interval(topology::ChannelId channel) {
  Interval& interval = intervals_[static_cast<std::size_t>(channel)];
  if (interval.begin < 0) return;
  slice(kChannelProcess, channel, "busy", interval.begin, interval.end);
  interval.begin = -1;
}

void TraceWriter::finish() {
  for (std::size_t c = 0; c < intervals_.size(); ++c) close_interval(static_cast<topology::ChannelId>(c));
  output_.append("\n]\n");
  output_.commit();
}

}  // namespace coppice::system

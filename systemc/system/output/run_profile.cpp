#include "system/output/run_profile.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fabric/route_timing.h"
#include "system/output/packed_numbers.h"
#include "topology/networks/kinds.h"
#include "topology/structure/likeness.h"

namespace coppice::system {

RunProfile::RunProfile(const topology::Topology& topology, const config::SystemConfig& system,
                       const fabric::Fabric& fabric, bool trees)
    : topology_(&topology),
      fabric_(&fabric),
      period_(system.clock.period()),
      windows_(std::min(topology.channels().size(), kMostWindowed), period_),
      trees_(trees) {
  for (const topology::Channel& channel : topology.channels()) {
    flit_time_.push_back(fabric::channel_flit_time(system, channel.bandwidth));
  }
  messages_.reserve(kMostMessages);
}

void RunProfile::message_completed(const ni::MessageRecord& message) {
  ++in_all_;
  sample_if_due(message.completed);
  if (trees_) add_edge(message);
  if (message.src >= kept_) return;
  if (messages_.size() >= kMostMessages) {
    kept_ = std::max(1, std::min(kept_, topology_->num_interfaces()) / 2);
    std::erase_if(messages_, [this](const Line& line) { return line[0] >= kept_; });
    if (message.src >= kept_ || messages_.size() >= kMostMessages) return;
  }
  const Cycles issued = std::max(message.issued, message.port_free_since);
  const Cycles data_here = std::clamp(message.dependencies_met, message.port_free_since, issued);
  messages_.push_back({message.src, message.src_port, message.port_free_since,
                       data_here - message.port_free_since, issued - data_here,
                       message.head_injected - issued, message.tail_injected - message.head_injected,
                       message.completed - message.tail_injected, message.entry->flow,
                       message.entry->op == schedule::Op::kReduce ? 0 : 1, message.entry->step, message.dst});
}

// In a tree, a node has one parent per phase, so its first message in a phase determines the edge.
void RunProfile::add_edge(const ni::MessageRecord& message) {
  const Cycles flow = message.entry->flow;
  auto place = std::ranges::find(flows_, flow);
  if (place == flows_.end()) {
    // A flow's tree is kept only if all its edges fit into the limit. A tree has at most one edge per node
    // per phase.
    const std::size_t most = kMostEdges / (2 * static_cast<std::size_t>(topology_->num_interfaces()));
    if (flows_.size() >= std::clamp<std::size_t>(most, 1, kMostTrees)) return;
    flows_.push_back(flow);
    place = flows_.end() - 1;
    has_parent_.resize(flows_.size() * 2 * static_cast<std::size_t>(topology_->num_nodes()));
  }
  const bool reduces = message.entry->op == schedule::Op::kReduce;
  const auto number = static_cast<std::size_t>(2 * (place - flows_.begin()) + (reduces ? 0 : 1));
  const auto child = static_cast<std::size_t>(reduces ? message.src : message.dst);
  const std::size_t edge = number * static_cast<std::size_t>(topology_->num_nodes()) + child;
  if (has_parent_[edge]) return;
  has_parent_[edge] = true;
  edges_.push_back({flow, reduces ? 0 : 1, message.src, message.dst, message.entry->step});
}

void RunProfile::channel_busy(topology::ChannelId channel, Cycles begin, Cycles end, Femtoseconds used) {
  if (samples_.started() || end <= begin) return;
  const auto c = static_cast<std::size_t>(channel);
  if (c < kMostWindowed) {
    const Femtoseconds from = begin * period_;
    const Femtoseconds to = (end - 1) * period_ + flit_time_[c];
    windows_.add(c, from, to, std::min(used, to - from));
  }
  if (++exact_ == kMostExact) sample_from(begin);
}

void RunProfile::sample_if_due(Cycles now) {
  if (samples_.started() && samples_.due(now * period_))
    samples_.take(now * period_, fabric_->statistics().channel_flits);
}

void RunProfile::sample_from(Cycles now) {
  sampled_from_ = now;
  constexpr Cycles kFirstInterval = 64;
  samples_.start(now * period_, std::max(windows_.window(), kFirstInterval * period_),
                 fabric_->statistics().channel_flits);
}

std::string RunProfile::levels_of(std::size_t channel, Femtoseconds end) const {
  static constexpr std::string_view kDigits =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string levels;
  for (const double part : windows_.parts(channel, 1, end)) {
    levels +=
        kDigits[static_cast<std::size_t>(std::lround(std::clamp(part, 0.0, 1.0) * (kDigits.size() - 1)))];
  }
  return levels;
}

nlohmann::ordered_json RunProfile::to_json(Cycles cycles) {
  const Femtoseconds end = cycles * period_;
  if (samples_.started()) {
    samples_.take(end, fabric_->statistics().channel_flits);
    samples_.add_to(windows_, std::min(flit_time_.size(), kMostWindowed), flit_time_);
  }
  const auto ns = [](Femtoseconds time) {
    return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
  };
  windows_ = windows_.until(end);
  nlohmann::ordered_json json{{"cycle_ns", ns(period_)}, {"time_ns", ns(end)}};
  if (exact_ > 0 || samples_.started()) {
    auto busy = nlohmann::ordered_json::array();
    for (std::size_t c = 0; c < std::min(flit_time_.size(), kMostWindowed); ++c)
      busy.push_back(levels_of(c, end));
    json["windows"] = {{"length_ns", ns(windows_.window())}};
    if (samples_.started()) json["windows"]["sampled_from_ns"] = ns(sampled_from_ * period_);
    json["windows"]["busy"] = std::move(busy);
  }
  std::string messages;
  for (const Line& line : messages_) {
    for (const Cycles number : line) append_packed(messages, number);
  }
  json["messages"] = std::move(messages);
  json["messages_in_all"] = in_all_;
  json["messages_kept"] = messages_.size();
  const bool of_all = kept_ == std::numeric_limits<topology::NodeId>::max();
  json["messages_of"] = of_all ? topology_->num_interfaces() : kept_;
  if (!trees_) return json;
  std::string trees;
  for (const auto& edge : edges_) {
    for (const Cycles number : edge) append_packed(trees, number);
  }
  json["trees"] = std::move(trees);
  return json;
}

nlohmann::ordered_json drawing_of(const topology::Topology& topology) {
  auto channels = nlohmann::ordered_json::array();
  for (const topology::Channel& channel : topology.channels()) {
    channels.push_back({channel.src, channel.dst, channel.bandwidth.gb_per_s(), channel.dimension});
  }
  nlohmann::ordered_json json{{"name", topology.name()},
                              {"accelerators", topology.num_accelerators()},
                              {"nodes", topology.num_nodes()},
                              {"channels", std::move(channels)}};
  const auto likeness =
      topology.kind() == topology::Kind::kFile ? topology::find_likeness(topology) : nullptr;
  const topology::Topology& network = likeness ? likeness->network : topology;
  const topology::KindInfo& kind = topology::info_of(network.kind());
  if (kind.grid) {
    json["dims"] = network.dims();
    json["wraps"] = kind.wraps;
    if (likeness) json["places"] = likeness->members;
  }
  return json;
}

}  // namespace coppice::system

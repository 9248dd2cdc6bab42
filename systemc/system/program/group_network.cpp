#include "system/program/group_network.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/index.h"
#include "config/keys/dimensions.h"
#include "schedule/tables/placed_tables.h"
#include "topology/networks/builders.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"

namespace coppice::system {
namespace {

using topology::Channel;
using topology::ChannelId;
using topology::NodeId;
using topology::Topology;

// The values of each coordinate in ascending order; empty unless the group contains every combination of
// these values.
std::vector<std::vector<int>> box_of(const std::vector<std::vector<int>>& coordinates) {
  std::vector<std::set<int>> values(coordinates.front().size());
  for (const auto& place : coordinates) {
    for (std::size_t d = 0; d < place.size(); ++d) values[d].insert(place[d]);
  }
  std::size_t product = 1;
  std::vector<std::vector<int>> box;
  for (const auto& taken : values) {
    product *= taken.size();
    box.emplace_back(taken.begin(), taken.end());
  }
  return product == coordinates.size() ? box : std::vector<std::vector<int>>{};
}

// The bandwidth and latency of a node's channel along a dimension of a grid.
topology::LinkSpec link_along(const Topology& machine, NodeId node, int dimension) {
  for (const ChannelId id : machine.out_channels(node)) {
    const Channel& channel = machine.channel(id);
    if (channel.dimension == dimension) return {channel.bandwidth, channel.latency};
  }
  return {};
}

}  // namespace

GroupNetwork::GroupNetwork(const config::Loaded& loaded, const Topology& machine,
                           const topology::RoutingFunction& routing, std::vector<NodeId> accelerators,
                           GroupRouting ways, const topology::Likeness* likeness)
    : loaded_(&loaded),
      machine_(&machine),
      machine_routing_(&routing),
      likeness_(likeness),
      view_(likeness != nullptr ? &likeness->network : &machine),
      nodes_(std::move(accelerators)) {
  if (ways == GroupRouting::kRouted) {
    route();
    return;
  }
  if (static_cast<int>(nodes_.size()) == machine.num_accelerators()) {
    std::iota(nodes_.begin(), nodes_.end(), 0);
    shape_ = "whole";
    return;
  }
  if (likeness_ != nullptr &&
      (!likeness_->fabric_channels.empty() || likeness_->network.kind() == topology::Kind::kFile)) {
    view_ = machine_;
  }
  if (!find_grid() && !find_levels() && !find_links()) route();
}

NodeId GroupNetwork::in_view(NodeId node) const {
  return view_ == machine_ ? node : likeness_->members[index(node)];
}

NodeId GroupNetwork::from_view(NodeId node) const {
  return view_ == machine_ ? node : likeness_->nodes[index(node)];
}

NodeId GroupNetwork::member(NodeId accelerator) const {
  return static_cast<NodeId>(std::ranges::find(nodes_, accelerator) - nodes_.begin());
}

bool GroupNetwork::find_grid() {
  const topology::KindInfo& info = topology::info_of(view_->kind());
  if (!info.grid) return false;
  std::vector<std::vector<int>> coordinates;
  for (const NodeId node : nodes_) coordinates.push_back(view_->coordinates(in_view(node)));
  const auto box = box_of(coordinates);
  if (box.empty()) return false;
  std::vector<int> widths;
  std::vector<topology::LinkSpec> links;
  std::size_t around = 0;  // the number of dimensions that the group spans completely
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].size() == 1) continue;
    if (box[d].back() - box[d].front() + 1 != static_cast<int>(box[d].size())) return false;
    if (static_cast<int>(box[d].size()) == view_->dims()[d]) ++around;
    widths.push_back(static_cast<int>(box[d].size()));
    links.push_back(link_along(*view_, in_view(nodes_.front()), static_cast<int>(d)));
  }
  const bool wraps = info.wraps && around == widths.size();
  if (info.wraps && !wraps && around > 0) return false;
  kind_ = Kind::kGrid;
  topology_ = std::make_unique<Topology>(wraps ? topology::make_torus(widths, links)
                                               : topology::make_mesh(widths, links));
  shape_ = fmt::format("{} {}", wraps ? "torus" : "mesh", fmt::join(widths, "x"));
  for (const auto& link : links)
    shape_ += fmt::format(" {} {}", link.bandwidth.bytes_per_second, link.latency);
  for (NodeId node = 0; node < topology_->num_accelerators(); ++node) {
    const std::vector<int> within = topology_->coordinates(node);
    std::vector<int> place;
    std::size_t spanned = 0;
    for (const auto& values : box) {
      place.push_back(values.size() == 1 ? values.front()
                                         : values[static_cast<std::size_t>(within[spanned++])]);
    }
    nodes_[index(node)] = from_view(view_->node_at(place));
  }
  routing_ = topology::make_routing(*topology_, loaded_->config.system.router.vcs);
  placement_.emplace(*topology_, *machine_, nodes_);
  return true;
}

bool GroupNetwork::find_levels() {
  if (view_->kind() != topology::Kind::kHierarchy) return false;
  const topology::Hierarchy hierarchy(*view_);
  const auto dimensions = hierarchy.dimensions();
  std::vector<std::vector<int>> coordinates;
  for (const NodeId node : nodes_) {
    auto& place = coordinates.emplace_back();
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      place.push_back(hierarchy.coordinate(in_view(node), d));
    }
  }
  const auto box = box_of(coordinates);
  if (box.empty()) return false;
  const auto specs =
      likeness_ != nullptr ? likeness_->dimensions : config::dimensions_to_build(loaded_->config.system);
  std::vector<topology::DimensionSpec> spanned;
  std::vector<std::size_t> numbers;  // indices of the machine's dimensions
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d].size() == 1) continue;
    const auto size = static_cast<int>(box[d].size());
    // Some nodes of a switch form a smaller switch; other kinds of dimension must be complete.
    if (size != dimensions[d].size && specs[d].kind != topology::DimensionKind::kSwitch) return false;
    spanned.push_back(specs[d]);
    spanned.back().size = size;
    spanned.back().in_network = false;
    numbers.push_back(d);
  }
  kind_ = Kind::kLevels;
  topology_ = std::make_unique<Topology>(topology::make_hierarchy(spanned));
  shape_ = "levels";
  for (const std::size_t d : numbers) shape_ += fmt::format(" {} of {}", box[d].size(), d);
  const topology::Hierarchy own(*topology_);
  const auto lanes = topology::lanes_of(*topology_);
  const auto lanes_there = topology::lanes_of(*view_);
  const auto behind = [](const Topology& network, NodeId node, const topology::Lane& lane) {
    return network.channel(network.out_channels(node)[static_cast<std::size_t>(lane.out_port)]).dst;
  };
  NodeId corner = in_view(nodes_.front());
  for (const NodeId node : nodes_) corner = std::min(corner, in_view(node));
  std::vector<NodeId> placed(index(topology_->num_nodes()), topology::kNoNode);
  for (NodeId node = 0; node < topology_->num_accelerators(); ++node) {
    NodeId there = corner;
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      const auto coordinate = index(own.coordinate(node, d));
      there = hierarchy.peer(there, numbers[d], box[numbers[d]][coordinate]);
    }
    placed[index(node)] = from_view(there);
    nodes_[index(node)] = from_view(there);
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      for (std::size_t lane = 0; lane < lanes[d].size(); ++lane) {
        placed[index(behind(*topology_, node, lanes[d][lane]))] =
            from_view(behind(*view_, there, lanes_there[numbers[d]][lane]));
      }
    }
  }
  routing_ = topology::make_routing(*topology_, loaded_->config.system.router.vcs);
  placement_.emplace(*topology_, *machine_, std::move(placed));
  return true;
}

bool GroupNetwork::find_links() {
  if (machine_->num_switches() > 0) return false;
  std::vector<NodeId> own(index(machine_->num_accelerators()), topology::kNoNode);
  for (std::size_t i = 0; i < nodes_.size(); ++i) own[index(nodes_[i])] = static_cast<NodeId>(i);
  auto linked = std::make_unique<Topology>(topology::Kind::kFile, std::vector<int>{},
                                           static_cast<int>(nodes_.size()), 0);
  for (const NodeId node : nodes_) {
    for (const ChannelId id : machine_->out_channels(node)) {
      const Channel& channel = machine_->channel(id);
      const NodeId to = own[index(channel.dst)];
      if (to == topology::kNoNode) continue;
      linked->add_channel(own[index(node)], to, channel.bandwidth, channel.latency);
    }
  }
  try {
    routing_ = topology::make_routing(*linked, loaded_->config.system.router.vcs);
  } catch (const UnsupportedError&) {
    return false;  // the links do not connect the group, or the routing needs too many virtual channels
  }
  kind_ = Kind::kLinks;
  topology_ = std::move(linked);
  shape_ = fmt::format("links of {}", fmt::join(nodes_, " "));
  placement_.emplace(*topology_, *machine_, nodes_);
  return true;
}

void GroupNetwork::route() {
  kind_ = Kind::kRouted;
  topology::LinkSpec slowest{machine_->channel(0).bandwidth, 0};
  for (const NodeId node : nodes_) {
    for (const ChannelId id : machine_->out_channels(node)) {
      slowest.bandwidth = std::min(slowest.bandwidth, machine_->channel(id).bandwidth);
      slowest.latency = std::max(slowest.latency, machine_->channel(id).latency);
    }
  }
  const std::vector<int> dims{static_cast<int>(nodes_.size())};
  const std::vector<topology::LinkSpec> links{slowest};
  topology_ = std::make_unique<Topology>(topology::make_switch(dims, links));
  routing_ = topology::make_routing(*topology_, loaded_->config.system.router.vcs);
  shape_ = fmt::format("routed {} {} {}", nodes_.size(), slowest.bandwidth.bytes_per_second, slowest.latency);
}

bool GroupNetwork::placed_like(const GroupNetwork& other,
                               const std::function<ChannelId(ChannelId)>& image) const {
  if (kind_ != other.kind_ || placement_.has_value() != other.placement_.has_value()) return false;
  if (!placement_) return true;
  const std::size_t channels = topology_->channels().size();
  if (other.topology_->channels().size() != channels) return false;
  for (std::size_t id = 0; id < channels; ++id) {
    const auto own = static_cast<ChannelId>(id);
    const ChannelId here = image(placement_->channel_id(own));
    if (here < 0 || here != image(other.placement_->channel_id(own))) return false;
  }
  return true;
}

schedule::Schedule GroupNetwork::place(schedule::Schedule schedule, int ni_ports) const {
  if (whole()) return schedule;
  const schedule::TableMapping places{
      .nodes = nodes_, .ni_ports = ni_ports, .port_per_channel = loaded_->config.system.ni.ports == 0};
  if (placement_) return schedule::map_tables(std::move(schedule), places, *placement_);
  return schedule::reroute_tables(std::move(schedule), places, [&](NodeId src, NodeId dst) {
    return topology::machine_route(*machine_, *machine_routing_, src, dst, ni_ports);
  });
}

}  // namespace coppice::system

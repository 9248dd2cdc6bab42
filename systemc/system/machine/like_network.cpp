#include "system/machine/like_network.h"

#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/tables/placed_tables.h"
#include "topology/networks/kinds.h"

namespace coppice::system {

using topology::NodeId;
using topology::Route;
namespace {

constexpr std::size_t kHopsThroughASwitch = 3;  // the last hop leaves the network

}  // namespace

LikeNetwork::LikeNetwork(const config::Loaded& loaded, const topology::Topology& machine,
                         const topology::RoutingFunction& routing, int ni_ports)
    : loaded_(&loaded), machine_(&machine), routing_(&routing), ni_ports_(ni_ports) {
  if (topology::info_of(machine.kind()).described_by != topology::DescribedBy::kFile) return;
  // Tables refer to reducing switches by number, and a likeness could renumber these switches.
  if (machine.num_interfaces() > machine.num_accelerators()) return;
  likeness_ = topology::find_likeness(machine);
  try {
    own_routing_ = topology::make_routing(likeness_->network, loaded.config.system.router.vcs);
  } catch (const UnsupportedError&) {
    likeness_.reset();  // the likeness needs more virtual channels than the machine has
  }
}

NodeId LikeNetwork::member(NodeId accelerator) const {
  return likeness_ && accelerator >= 0 ? likeness_->members[static_cast<std::size_t>(accelerator)]
                                       : accelerator;
}

schedule::Schedule LikeNetwork::adopt(schedule::Schedule schedule) const {
  if (!likeness_) return schedule;
  const auto accelerators = static_cast<std::size_t>(machine_->num_accelerators());
  const schedule::TableMapping places{.nodes = std::span(likeness_->nodes).first(accelerators),
                                      .ni_ports = ni_ports_,
                                      .port_per_channel = loaded_->config.system.ni.ports == 0};
  const std::vector<topology::ChannelId>& channels = likeness_->fabric_channels;
  if (!channels.empty()) {
    const topology::NetworkMapping placement(likeness_->network, *machine_, likeness_->nodes, channels);
    const auto route = [&](NodeId src, const Route& own, NodeId dst) {
      Route same = placement.route(src, own, ni_ports_, places.port_per_channel);
      // Messages through fabrics, and routed messages through other accelerators, use the machine's routes.
      if (!same.empty() && own.size() <= kHopsThroughASwitch) return same;
      return topology::machine_route(*machine_, *routing_, places.nodes[static_cast<std::size_t>(src)],
                                     places.nodes[static_cast<std::size_t>(dst)], ni_ports_);
    };
    schedule = schedule::map_tables(std::move(schedule), places, route);
  } else {
    const topology::NetworkMapping placement(likeness_->network, *machine_, likeness_->nodes);
    schedule = schedule::map_tables(std::move(schedule), places, placement);
  }
  return schedule::in_machine_order(std::move(schedule), places.nodes);
}

schedule::Schedule LikeNetwork::adopt_blocks(schedule::Schedule schedule) const {
  if (!likeness_) return schedule;
  const auto n = static_cast<Bytes>(machine_->num_accelerators());
  const Bytes block_bytes = schedule.size / (n * n);
  const Bytes parts = schedule.flows / (n * n);
  const auto there = [&](Bytes member) { return Bytes{likeness_->nodes[static_cast<std::size_t>(member)]}; };
  for (schedule::NodeTables& node : schedule.nodes) {
    for (schedule::Table& table : node.ports) {
      for (schedule::TableEntry& entry : table) {
        if (entry.op == schedule::Op::kNop) continue;
        const Bytes block = entry.flow / parts;
        const Bytes moved = there(block / n) * n + there(block % n);
        entry.flow = static_cast<std::int32_t>(moved * parts + entry.flow % parts);
        entry.address += (moved - block) * block_bytes;
      }
    }
  }
  schedule = adopt(std::move(schedule));
  schedule.shares.clear();  // blocks are renumbered along with their accelerators
  return schedule;
}

}  // namespace coppice::system

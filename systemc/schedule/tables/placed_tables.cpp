#include "schedule/tables/placed_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"

namespace coppice::schedule {
namespace {

using topology::Route;

// Maps tables one at a time. Entries of a node with the same key share one stored route.
class Placer {
 public:
  // Returns the key of an entry; entries of a node with the same key take the same path.
  using KeyOf = std::function<std::int32_t(const TableEntry&)>;
  using RouteOf = std::function<Route(NodeId src, const TableEntry&)>;

  Placer(const TableMapping& places, const Schedule& schedule, KeyOf key_of, RouteOf route_of)
      : places_(places),
        algorithm_(schedule.algorithm),
        key_of_(std::move(key_of)),
        route_of_(std::move(route_of)) {}

  std::vector<Table> place(NodeId node, std::vector<Table>& own) {
    std::vector<Table> ports(static_cast<std::size_t>(places_.ni_ports));
    for (std::size_t p = 0; p < own.size(); ++p) {
      std::vector<TableEntry> entries = std::move(own[p].entries());
      if (entries.empty()) continue;
      for (TableEntry& entry : entries) {
        if (entry.op != Op::kNop) rewrite(node, entry);
      }
      Table& table = ports[port_of(entries, p) % ports.size()];
      if (!table.empty()) {
        throw ModelError(fmt::format("accelerator {}: {} has two tables for port {}", placed(node),
                                     algorithm_, port_of(entries, p)));
      }
      table = Table(std::move(entries));
    }
    return ports;
  }

  std::vector<Route> take_routes() { return std::move(routes_); }

 private:
  NodeId placed(NodeId node) const {
    const bool known = node >= 0 && node < static_cast<NodeId>(places_.nodes.size());
    return known ? places_.nodes[static_cast<std::size_t>(node)] : node;
  }

  void rewrite(NodeId node, TableEntry& entry) {
    const auto number = static_cast<std::int32_t>(routes_.size());
    const auto [found, first] = numbers_.try_emplace({node, key_of_(entry)}, number);
    if (first) routes_.push_back(route_of_(node, entry));
    entry.route = found->second;
    entry.parent = placed(entry.parent);
    for (NodeId& child : entry.children) child = placed(child);
  }

  std::size_t port_of(const std::vector<TableEntry>& entries, std::size_t port) const {
    if (!places_.port_per_channel) return port;
    const auto message = std::ranges::find_if(entries, [](const auto& entry) { return entry.route >= 0; });
    return message == entries.end() ? port
                                    : routes_[static_cast<std::size_t>(message->route)].front().out_port;
  }

  const TableMapping& places_;
  std::string algorithm_;
  KeyOf key_of_;
  RouteOf route_of_;
  std::vector<Route> routes_;
  std::map<std::pair<NodeId, std::int32_t>, std::int32_t> numbers_;
};

Schedule place_all(Schedule schedule, Placer placer) {
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    auto& own = schedule.nodes[node].ports;
    own = placer.place(static_cast<NodeId>(node), own);
  }
  schedule.routes = placer.take_routes();
  return schedule;
}

}  // namespace

Schedule map_tables(Schedule schedule, const TableMapping& places,
                    const topology::NetworkMapping& placement) {
  return map_tables(std::move(schedule), places, [&](NodeId src, const Route& own, NodeId) {
    return placement.route(src, own, places.ni_ports, places.port_per_channel);
  });
}

Schedule map_tables(Schedule schedule, const TableMapping& places,
                    const std::function<Route(NodeId src, const Route& own, NodeId dst)>& route) {
  const std::vector<Route> own = std::exchange(schedule.routes, {});
  Placer placer(
      places, schedule, [](const TableEntry& entry) { return entry.route; },
      [&](NodeId src, const TableEntry& entry) {
        return route(src, own[static_cast<std::size_t>(entry.route)], entry.destination());
      });
  return place_all(std::move(schedule), std::move(placer));
}

Schedule in_machine_order(Schedule schedule, std::span<const NodeId> nodes) {
  if (schedule.collective != Collective::kAllReduce || !schedule.shares.empty()) {
    schedule.shares = share_out(schedule);
    for (Share& share : schedule.shares) share.owner = nodes[static_cast<std::size_t>(share.owner)];
  }
  std::vector<NodeTables> ordered(schedule.nodes.size());
  for (std::size_t node = 0; node < ordered.size(); ++node) {
    ordered[static_cast<std::size_t>(nodes[node])] = std::move(schedule.nodes[node]);
  }
  schedule.nodes = std::move(ordered);
  return schedule;
}

Schedule reroute_tables(Schedule schedule, const TableMapping& places,
                        const std::function<Route(NodeId src, NodeId dst)>& route) {
  Placer placer(
      places, schedule, [](const TableEntry& entry) { return entry.destination(); },
      [&](NodeId src, const TableEntry& entry) {
        return route(places.nodes[static_cast<std::size_t>(src)],
                     places.nodes[static_cast<std::size_t>(entry.destination())]);
      });
  return place_all(std::move(schedule), std::move(placer));
}

}  // namespace coppice::schedule

#include "schedule/tables/ni_overhead.h"

#include <algorithm>
#include <bit>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace coppice::schedule {
namespace {

constexpr int kByte = 8;

// Bits of a field that holds 0 to `most`.
int bits_for(std::int64_t most) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0))));
}

Bytes bytes_for(std::int64_t bits) {
  return (bits + kByte - 1) / kByte;
}

int route_bits(const topology::Topology& topology, const Schedule& schedule, int ports) {
  std::size_t hops = 0;
  std::set<std::pair<int, int>> vcs;
  for (const topology::Route& route : schedule.routes) {
    hops = std::max(hops, route.size());
    for (const topology::Hop& hop : route) vcs.emplace(hop.vcs.begin, hop.vcs.end);
  }
  std::size_t outputs = 1;
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    const std::size_t ejection = topology.is_accelerator(node) ? static_cast<std::size_t>(ports) : 0;
    outputs = std::max(outputs, topology.out_channels(node).size() + ejection);
  }
  const int hop =
      bits_for(static_cast<std::int64_t>(outputs) - 1) + bits_for(static_cast<std::int64_t>(vcs.size()) - 1);
  return static_cast<int>(hops) * hop;
}

// The largest values of the fields.
struct Extremes {
  std::int64_t dependencies = 0;
  std::int64_t step = 0;
  Bytes address = 0;
  Bytes bytes = 0;
  Bytes padded = 0;
  std::int64_t arrival = 0;
  bool pads = false;

  void add(const TableEntry& entry) {
    dependencies = std::max<std::int64_t>(dependencies, entry.dependencies);
    step = std::max<std::int64_t>(step, entry.step);
    address = std::max(address, entry.address);
    bytes = std::max(bytes, entry.bytes);
    padded = std::max(padded, entry.message_bytes());
    arrival = std::max<std::int64_t>(arrival, entry.arrival);
    pads = pads || entry.padding > 0;
  }
};

template <typename Visit>
void for_each_entry(const Schedule& schedule, Visit visit) {
  for (const NodeTables& node : schedule.nodes) {
    for (const auto& port : node.ports) port.for_each_entry(visit);
  }
}

TableLayout make_layout(const topology::Topology& topology, const Schedule& schedule,
                        const MessageLength& longest, int ports) {
  Extremes most;
  for_each_entry(schedule, [&](const TableEntry& entry) { most.add(entry); });
  TableLayout layout;
  layout.flow = bits_for(schedule.flows - 1);
  layout.dependencies = bits_for(most.dependencies);
  layout.step = bits_for(most.step);
  layout.address = bits_for(most.address / schedule.element);
  layout.elements = bits_for(most.bytes / schedule.element);
  layout.padded_elements = most.pads ? bits_for(most.padded / schedule.element) : 0;
  layout.flits = bits_for(longest.flits);
  layout.packets = bits_for(longest.packets);
  layout.arrival = schedule.numbered_arrivals ? bits_for(most.arrival) : 0;
  layout.route = route_bits(topology, schedule, ports);
  return layout;
}

}  // namespace

std::vector<std::pair<const char*, int>> TableLayout::fields() const {
  return {{"op", op},
          {"flow", flow},
          {"dependencies", dependencies},
          {"step", step},
          {"address", address},
          {"elements", elements},
          {"padded_elements", padded_elements},
          {"flits", flits},
          {"packets", packets},
          {"arrival", arrival},
          {"route", route}};
}

int TableLayout::entry_bits() const {
  int sum = 0;
  for (const auto& [name, bits] : fields()) sum += bits;
  return sum;
}

Bytes longest_message(const Schedule& schedule) {
  Bytes longest = 0;
  for_each_entry(schedule,
                 [&](const TableEntry& entry) { longest = std::max(longest, entry.message_bytes()); });
  return longest;
}

NiOverhead ni_overhead(const topology::Topology& topology, const Schedule& schedule,
                       const MessageLength& longest) {
  NiOverhead overhead;
  overhead.accelerators = schedule.accelerators();
  std::int64_t sum = 0;
  for (const NodeTables& node :
       std::span(schedule.nodes).first(static_cast<std::size_t>(overhead.accelerators))) {
    overhead.ports = std::max(overhead.ports, static_cast<int>(node.ports.size()));
    std::int64_t entries = 0;
    for (const auto& port : node.ports) {
      const auto count = static_cast<std::int64_t>(port.size());
      overhead.port_entries = std::max(overhead.port_entries, count);
      entries += count;
    }
    overhead.node_entries = std::max(overhead.node_entries, entries);
    sum += entries;
  }
  if (overhead.accelerators > 0) {
    overhead.mean_node_entries = static_cast<double>(sum) / overhead.accelerators;
  }
  overhead.layout = make_layout(topology, schedule, longest, overhead.ports);
  overhead.table_bytes = bytes_for(overhead.node_entries * overhead.layout.entry_bits());
  overhead.dependency_bytes = bytes_for(std::int64_t{schedule.flows} * overhead.layout.dependencies);
  overhead.counter_bytes =
      bytes_for(std::int64_t{overhead.ports} * (overhead.layout.step + NiOverhead::kLockstepBits));
  return overhead;
}

std::string to_text(const NiOverhead& overhead) {
  std::string fields;
  for (const auto& [name, bits] : overhead.layout.fields()) {
    if (bits > 0) fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", name, bits);
  }
  return fmt::format(
      "network interface: entries of {} bits ({})\n"
      "  at most {} entries an accelerator (mean {:.1f}), {} a port; {} bytes: tables {}, arrival counts {}, "
      "timestep and lockstep counters {}\n",
      overhead.layout.entry_bits(), fields, overhead.node_entries, overhead.mean_node_entries,
      overhead.port_entries, overhead.node_bytes(), overhead.table_bytes, overhead.dependency_bytes,
      overhead.counter_bytes);
}

nlohmann::ordered_json to_json(const NiOverhead& overhead) {
  nlohmann::ordered_json widths;
  for (const auto& [name, bits] : overhead.layout.fields()) widths[name] = bits;
  return {{"accelerators", overhead.accelerators},
          {"ports", overhead.ports},
          {"entry_bits", overhead.layout.entry_bits()},
          {"field_bits", std::move(widths)},
          {"entries_per_port_max", overhead.port_entries},
          {"entries_per_node_max", overhead.node_entries},
          {"entries_per_node_mean", overhead.mean_node_entries},
          {"table_bytes_per_node", overhead.table_bytes},
          {"dependency_bytes_per_node", overhead.dependency_bytes},
          {"counter_bytes_per_node", overhead.counter_bytes},
          {"bytes_per_node", overhead.node_bytes()}};
}

}  // namespace coppice::schedule

#include "schedule/tables/ni_overhead.h"

#include <algorithm>
#include <bit>
#include <set>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schedule/tables/alike_entries.h"
#include "schedule/tables/table_loop.h"

namespace coppice::schedule {
namespace {

constexpr int kByte = 8;

// The width in bits of a field that holds 0 to `most`.
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

TableLayout make_layout(const topology::Topology& topology, const Schedule& schedule,
                        const MessageLength& longest, int ports) {
  Extremes most;
  for_each_alike_entry_of_any(schedule, [&](const TableEntry& entry) { most.add(entry); });
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

// The width in bits of a field that holds `least` to `most`, in two's complement if necessary.
int bits_between(std::int64_t least, std::int64_t most) {
  if (least >= 0) return bits_for(most);
  return std::max(bits_for(most), bits_for(-least - 1)) + 1;
}

struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;

  void add(std::int64_t value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  int bits() const { return bits_between(least, most); }
};

// Folds the tables of all accelerators; returns nullopt if that saves nothing.
std::optional<FoldedTables> fold_tables(const Schedule& schedule, const NiOverhead& plain) {
  if (schedule.repetition.step == 0) return std::nullopt;
  FoldedTables folded;
  Range flow;
  Range address;
  Range step;
  std::int64_t iterations = 0;
  std::int64_t sum = 0;
  for (const NodeTables& node :
       std::span(schedule.nodes).first(static_cast<std::size_t>(plain.accelerators))) {
    std::int64_t lines = 0;
    for (const auto& port : node.ports) {
      const TableLoop loop(port, schedule.repetition);
      for (const TableLine& line : loop.lines()) {
        flow.add(line.base.flow);
        address.add(line.base.address / schedule.element);
        step.add(line.base.step);
      }
      iterations = std::max<std::int64_t>(iterations, loop.iterations());
      const auto count = static_cast<std::int64_t>(loop.lines().size());
      folded.port_lines = std::max(folded.port_lines, count);
      lines += count;
    }
    folded.node_lines = std::max(folded.node_lines, lines);
    sum += lines;
  }
  folded.mean_node_lines = static_cast<double>(sum) / std::max(plain.accelerators, 1);
  folded.layout = plain.layout;
  folded.layout.flow = flow.bits();
  folded.layout.address = address.bits();
  folded.layout.step = step.bits();
  folded.layout.first = bits_for(iterations - 1);
  folded.layout.end = bits_for(iterations);
  folded.table_bytes = bytes_for(folded.node_lines * folded.layout.entry_bits());
  const TableLayout& full = plain.layout;
  // The loop registers hold the iteration, the number of lines, and the strides with their accumulated
  // offsets.
  const int registers =
      2 * (full.flow + full.address + full.step) + folded.layout.end + bits_for(folded.port_lines);
  folded.loop_bytes = bytes_for(std::int64_t{plain.ports} * registers);
  if (folded.table_bytes + folded.loop_bytes >= plain.table_bytes) return std::nullopt;
  return folded;
}

nlohmann::ordered_json widths_of(const TableLayout& layout) {
  nlohmann::ordered_json widths;
  for (const auto& [name, bits] : layout.fields()) widths[name] = bits;
  return widths;
}

std::string widths_text(const TableLayout& layout) {
  std::string fields;
  for (const auto& [name, bits] : layout.fields()) {
    if (bits > 0) fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", name, bits);
  }
  return fields;
}

}  // namespace

std::vector<std::pair<const char*, int>> TableLayout::fields() const {
  std::vector<std::pair<const char*, int>> all{{"op", op},
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
  if (end > 0) all.insert(all.end(), {{"first", first}, {"end", end}});
  return all;
}

int TableLayout::entry_bits() const {
  int sum = 0;
  for (const auto& [name, bits] : fields()) sum += bits;
  return sum;
}

Bytes longest_message(const Schedule& schedule) {
  Bytes longest = 0;
  for_each_alike_entry_of_any(
      schedule, [&](const TableEntry& entry) { longest = std::max(longest, entry.message_bytes()); });
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
  overhead.folded = fold_tables(schedule, overhead);
  return overhead;
}

std::string to_text(const NiOverhead& overhead) {
  std::string text = fmt::format("network interface: entries of {} bits ({})\n", overhead.layout.entry_bits(),
                                 widths_text(overhead.layout));
  if (overhead.folded) {
    const FoldedTables& folded = *overhead.folded;
    text += fmt::format(
        "  at most {} entries per accelerator (mean {:.1f}), {} per port; {} bytes unfolded\n"
        "  folded, since pieces repeat: lines of {} bits ({})\n"
        "  at most {} lines per accelerator (mean {:.1f}), {} per port; {} bytes: tables {}, loop registers "
        "{}, ",
        overhead.node_entries, overhead.mean_node_entries, overhead.port_entries, overhead.table_bytes,
        folded.layout.entry_bits(), widths_text(folded.layout), folded.node_lines, folded.mean_node_lines,
        folded.port_lines, overhead.held_bytes(), folded.table_bytes, folded.loop_bytes);
  } else {
    text +=
        fmt::format("  at most {} entries per accelerator (mean {:.1f}), {} per port; {} bytes: tables {}, ",
                    overhead.node_entries, overhead.mean_node_entries, overhead.port_entries,
                    overhead.node_bytes(), overhead.table_bytes);
  }
  return text + fmt::format("arrival counts {}, timestep and lockstep counters {}\n",
                            overhead.dependency_bytes, overhead.counter_bytes);
}

nlohmann::ordered_json to_json(const NiOverhead& overhead) {
  nlohmann::ordered_json json{{"accelerators", overhead.accelerators},
                              {"ports", overhead.ports},
                              {"entry_bits", overhead.layout.entry_bits()},
                              {"field_bits", widths_of(overhead.layout)},
                              {"entries_per_port_max", overhead.port_entries},
                              {"entries_per_node_max", overhead.node_entries},
                              {"entries_per_node_mean", overhead.mean_node_entries},
                              {"table_bytes_per_node", overhead.table_bytes},
                              {"dependency_bytes_per_node", overhead.dependency_bytes},
                              {"counter_bytes_per_node", overhead.counter_bytes},
                              {"bytes_per_node", overhead.node_bytes()}};
  if (overhead.folded) {
    const FoldedTables& folded = *overhead.folded;
    json["folded"] = {
        {"line_bits", folded.layout.entry_bits()},       {"field_bits", widths_of(folded.layout)},
        {"lines_per_port_max", folded.port_lines},       {"lines_per_node_max", folded.node_lines},
        {"lines_per_node_mean", folded.mean_node_lines}, {"table_bytes_per_node", folded.table_bytes},
        {"loop_bytes_per_node", folded.loop_bytes},      {"bytes_per_node", overhead.held_bytes()}};
  }
  return json;
}

}  // namespace coppice::schedule

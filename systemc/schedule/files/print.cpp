#include "schedule/files/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "schedule/tables/table_loop.h"

namespace coppice::schedule {
namespace {

using nlohmann::ordered_json;
using topology::Topology;

std::string ways_out(const Topology& topology, NodeId node, std::size_t port, std::size_t ports) {
  std::vector<NodeId> neighbours;
  const auto out = topology.out_channels(node);
  for (std::size_t i = port; i < out.size(); i += ports) neighbours.push_back(topology.channel(out[i]).dst);
  return fmt::format("{}", fmt::join(neighbours, ", "));
}

std::string node_or_dash(NodeId node) {
  return node == topology::kNoNode ? "-" : std::to_string(node);
}

std::vector<std::string> cells_of(const TableEntry& entry) {
  if (entry.op == Op::kNop) {
    return {std::to_string(entry.step),
            to_string(entry.op),
            "-",
            "-",
            "-",
            "-",
            "-",
            std::to_string(entry.bytes),
            "-",
            "-"};
  }
  return {std::to_string(entry.step),
          to_string(entry.op),
          std::to_string(entry.flow),
          std::to_string(entry.destination()),
          node_or_dash(entry.parent),
          entry.children.empty() ? "-" : fmt::format("{}", fmt::join(entry.children, ",")),
          std::to_string(entry.address),
          std::to_string(entry.bytes),
          std::to_string(entry.dependencies),
          std::to_string(entry.route)};
}

// Right-aligns numbers and left-aligns words, in columns that are as wide as their contents require.
void print_table(std::string& text, const Table& entries) {
  std::vector<std::vector<std::string>> rows{
      {"step", "op", "flow", "to", "parent", "children", "address", "bytes", "after", "route"}};
  for (const TableEntry& entry : entries) rows.push_back(cells_of(entry));
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text +=
          i == 1 ? fmt::format("  {:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += '\n';
  }
}

ordered_json entry_json(const TableEntry& entry, bool numbered) {
  ordered_json json;
  json["op"] = to_string(entry.op);
  json["step"] = entry.step;
  json["bytes"] = entry.bytes;
  if (entry.op == Op::kNop) return json;
  json["flow"] = entry.flow;
  json["parent"] = entry.parent == topology::kNoNode ? ordered_json(nullptr) : ordered_json(entry.parent);
  json["children"] = std::vector<NodeId>(entry.children.begin(), entry.children.end());
  json["dependencies"] = entry.dependencies;
  if (numbered) json["arrival"] = entry.arrival;
  if (entry.padding > 0) json["padding"] = entry.padding;
  json["address"] = entry.address;
  json["route"] = entry.route;
  return json;
}

ordered_json header_json(const Topology& topology, const Schedule& schedule, const CheckReport& report) {
  ordered_json json;
  json["schema"] = "coppice.schedule/1";
  json["algorithm"] = schedule.algorithm;
  json["collective"] = to_string(schedule.collective);
  json["topology"] = topology.name();
  json["size"] = schedule.size;
  if (schedule.copies > 1) json["copies"] = schedule.copies;
  json["element"] = schedule.element;
  json["steps"] = schedule.steps;
  json["least_steps"] =
      schedule.least_steps == 0 ? ordered_json(nullptr) : ordered_json(schedule.least_steps);
  json["flows"] = schedule.flows;
  json["ordered_by_lockstep"] = schedule.ordered_by_lockstep;
  if (schedule.numbered_arrivals) json["numbered_arrivals"] = true;
  for (const Share& share : schedule.shares) {
    json["shares"].push_back(
        {{"owner", share.owner}, {"address", share.data.address}, {"bytes", share.data.bytes}});
  }
  json["contention_free"] = report.contention_free;
  json["shared"] = ordered_json::array();
  for (const SharedChannel& shared : report.shared) json["shared"].push_back(to_string(topology, shared));
  json["routes"] = ordered_json::array();
  for (const topology::Route& route : schedule.routes) {
    ordered_json hops = ordered_json::array();
    for (const topology::Hop& hop : route) {
      hops.push_back({{"out_port", hop.out_port}, {"vcs", {hop.vcs.begin, hop.vcs.end}}});
    }
    json["routes"].push_back(std::move(hops));
  }
  return json;
}

ordered_json line_json(const TableLine& line, bool numbered) {
  ordered_json json = entry_json(line.base, numbered);
  json["first"] = line.first;
  json["end"] = line.end;
  return json;
}

// Appends to `header` the text that `print` writes for every port of every node. Entries are formatted
// individually, because a document tree of millions of entries would need ten times as much memory as the
// text.
template <typename Print>
std::string with_ports(const ordered_json& header, const Schedule& schedule, Print print) {
  std::string text = header.dump();
  text.pop_back();  // removes the closing brace
  text += ",\n\"nodes\":[";
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    text += node == 0 ? "\n{\"ports\":[" : ",\n{\"ports\":[";
    const auto& ports = schedule.nodes[node].ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (port > 0) text += ",";
      print(text, ports[port]);
    }
    text += "]}";
  }
  text += "\n]}\n";
  return text;
}

void print_loop(std::string& text, const TableLoop& loop, bool numbered) {
  text += fmt::format("{{\"entries\":{},\"lines\":[", loop.entries());
  const char* separator = "\n";
  for (const TableLine& line : loop.lines()) {
    text += separator + line_json(line, numbered).dump();
    separator = ",\n";
  }
  text += "]}";
}

}  // namespace

std::string to_text(const Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead) {
  std::string text =
      fmt::format("{} {} on {}: {} bytes, {} flows, {} timesteps", schedule.algorithm,
                  collective_name(schedule), topology.name(), schedule.size, schedule.flows, schedule.steps);
  if (schedule.least_steps > 0) {
    text += fmt::format(" (lower bound for trees: {})", schedule.least_steps);
  }
  text += '\n';
  text += "every contribution is added once and every final value is delivered";
  text +=
      schedule.ordered_by_lockstep ? ", in the order that the lockstep enforces\n" : ", under any timing\n";
  text += report.contention_free ? "no two messages share a channel at the same time\n"
                                 : "messages share channels:\n";
  for (const SharedChannel& shared : report.shared) text += "  " + to_string(topology, shared) + "\n";
  if (overhead) text += to_text(*overhead);
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    const auto& ports = schedule.nodes[node].ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (ports[port].empty()) continue;
      const auto id = static_cast<NodeId>(node);
      text += fmt::format("\n{} {} port {} (channels to {})\n",
                          topology.is_accelerator(id) ? "accelerator" : "switch", node, port,
                          ways_out(topology, id, port, ports.size()));
      print_table(text, ports[port]);
    }
  }
  return text;
}

std::string to_json(const Topology& topology, const Schedule& schedule, const CheckReport& report,
                    const std::optional<NiOverhead>& overhead) {
  ordered_json header = header_json(topology, schedule, report);
  if (overhead) header["ni_overhead"] = to_json(*overhead);
  return with_ports(header, schedule, [&](std::string& text, const Table& table) {
    text += "[";
    for (std::size_t i = 0; i < table.size(); ++i) {
      text += i == 0 ? "\n" : ",\n";
      text += entry_json(table[i], schedule.numbered_arrivals).dump();
    }
    text += "]";
  });
}

std::string to_tables(const Topology& topology, const Schedule& schedule, const CheckReport& report,
                      bool nops) {
  ordered_json header = header_json(topology, schedule, report);
  header["schema"] = "coppice.tables/1";
  const Repetition& stride = schedule.repetition;
  header["stride"] = {{"flow", stride.flow}, {"address", stride.address}, {"step", stride.step}};
  return with_ports(header, schedule, [&](std::string& text, const Table& table) {
    print_loop(text, TableLoop(table, stride, nops), schedule.numbered_arrivals);
  });
}

std::string to_dot(const Topology& topology, const Schedule& schedule) {
  std::string text = fmt::format("digraph schedule {{\n  label=\"{} {} on {}\";\n  node [shape=circle];\n",
                                 schedule.algorithm, collective_name(schedule), topology.name());
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    fmt::format_to(std::back_inserter(text), "  {};\n", node);
  }
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const auto& port : schedule.nodes[node].ports) {
      for (const TableEntry& entry : port) {
        if (entry.op == Op::kNop) continue;
        fmt::format_to(
            std::back_inserter(text),
            "  {} -> {} [label=\"{}\", color=\"{:.4f} 0.9 0.7\", style={}, tooltip=\"flow {}\"];\n", node,
            entry.destination(), entry.step, static_cast<double>(entry.flow) / std::max(schedule.flows, 1),
            entry.op == Op::kReduce ? "dashed" : "solid", entry.flow);
      }
    }
  }
  text += "}\n";
  return text;
}

}  // namespace coppice::schedule

#include "topology/files/print.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "topology/files/graph_file.h"

namespace coppice::topology {
namespace {

double ns_of(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

// Returns the name of a node. Switches are named s0, s1 and so on.
std::string graph_node(const Topology& topology, NodeId node) {
  return topology.is_accelerator(node) ? std::to_string(node)
                                       : fmt::format("s{}", node - topology.num_accelerators());
}

bool alike(const Channel& a, const Channel& b) {
  return a.bandwidth == b.bandwidth && a.latency == b.latency;
}

}  // namespace

std::string to_graph(const Topology& topology) {
  std::string text = fmt::format("accelerators {}\n", topology.num_accelerators());
  if (topology.num_switches() > 0) text += fmt::format("switches {}\n", topology.num_switches());
  const auto channels = topology.channels();
  // Whether channels `i` and `i + 1` form a bidirectional link.
  const auto is_link = [&](std::size_t i) {
    return i + 1 < channels.size() && channels[i].src == channels[i + 1].dst &&
           channels[i].dst == channels[i + 1].src && alike(channels[i], channels[i + 1]);
  };
  for (std::size_t i = 0; i < channels.size();) {
    const Channel& first = channels[i];
    const bool link = is_link(i);
    const std::size_t step = link ? 2 : 1;
    const auto repeats = [&](std::size_t at) {
      return at < channels.size() && channels[at].src == first.src && channels[at].dst == first.dst &&
             alike(channels[at], first) && is_link(at) == link;
    };
    std::size_t count = 1;
    while (count < kMaxMultiplicity && repeats(i + count * step)) ++count;
    fmt::format_to(std::back_inserter(text), "{} {} {} {} bandwidth \"{}\" latency \"{}\"{}\n",
                   link ? "link" : "channel", graph_node(topology, first.src), link ? "--" : "->",
                   graph_node(topology, first.dst), format_bandwidth(first.bandwidth),
                   format_duration(first.latency), count > 1 ? fmt::format(" x{}", count) : "");
    i += count * step;
  }
  return text;
}

std::string to_dot(const Topology& topology) {
  std::string text = fmt::format("digraph topology {{\n  label=\"{}\";\n", topology.name());
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    fmt::format_to(std::back_inserter(text), "  {} [shape={}];\n", node,
                   topology.is_accelerator(node) ? "circle" : "box");
  }
  for (const Channel& channel : topology.channels()) {
    const std::string bandwidth = format_bandwidth(channel.bandwidth);
    fmt::format_to(std::back_inserter(text),
                   "  {} -> {} [label=\"{}\", bandwidth=\"{}\", latency=\"{}\", dimension={}];\n",
                   channel.src, channel.dst, bandwidth, bandwidth, format_duration(channel.latency),
                   channel.dimension);
  }
  return text + "}\n";
}

std::string to_graphml(const Topology& topology) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "  <key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
      "  <key id=\"bandwidth\" for=\"edge\" attr.name=\"bandwidth_gb_s\" attr.type=\"double\"/>\n"
      "  <key id=\"latency\" for=\"edge\" attr.name=\"latency_ns\" attr.type=\"double\"/>\n"
      "  <key id=\"dimension\" for=\"edge\" attr.name=\"dimension\" attr.type=\"int\"/>\n"
      "  <graph id=\"topology\" edgedefault=\"directed\">\n";
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    fmt::format_to(std::back_inserter(text), "    <node id=\"n{}\"><data key=\"kind\">{}</data></node>\n",
                   node, topology.is_accelerator(node) ? "accelerator" : "switch");
  }
  std::size_t id = 0;
  for (const Channel& channel : topology.channels()) {
    fmt::format_to(std::back_inserter(text),
                   "    <edge id=\"e{}\" source=\"n{}\" target=\"n{}\"><data key=\"bandwidth\">{}</data>"
                   "<data key=\"latency\">{}</data><data key=\"dimension\">{}</data></edge>\n",
                   id++, channel.src, channel.dst, channel.bandwidth.gb_per_s(), ns_of(channel.latency),
                   channel.dimension);
  }
  return text + "  </graph>\n</graphml>\n";
}

std::string to_tacos(const Topology& topology) {
  if (topology.num_switches() > 0) {
    throw UnsupportedError(fmt::format("TACOS cannot express switches, but {} has {}: write graphml or dot",
                                       topology.name(), topology.num_switches()));
  }
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
  std::string text = fmt::format("{}\nSrc,Dest,Latency (ns),Bandwidth (GB/s)\n", topology.num_accelerators());
  for (const Channel& channel : topology.channels()) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", channel.src, channel.dst,
                   ns_of(channel.latency),
                   static_cast<double>(channel.bandwidth.bytes_per_second) / kGibibyte);
  }
  return text;
}

std::span<const NetworkForm> network_forms() {
  static constexpr NetworkForm kForms[] = {{"graph", to_graph},
                                           {"graphml", to_graphml},
                                           {"dot", to_dot},
                                           {"infragraph", to_infragraph},
                                           {"tacos", to_tacos}};
  return kForms;
}

nlohmann::ordered_json to_json(const Topology& topology) {
  std::size_t switch_ports = 0;
  double bandwidth = 0;
  double injection = 0;
  for (NodeId node = topology.num_accelerators(); node < topology.num_nodes(); ++node) {
    switch_ports += topology.out_channels(node).size();
  }
  for (const Channel& channel : topology.channels()) {
    bandwidth += channel.bandwidth.gb_per_s();
    if (topology.is_accelerator(channel.src)) injection += channel.bandwidth.gb_per_s();
  }
  return {{"schema", "coppice.topology/1"},
          {"name", topology.name()},
          {"accelerators", topology.num_accelerators()},
          {"switches", topology.num_switches()},
          {"switch_ports", switch_ports},
          {"channels", topology.channels().size()},
          {"links", static_cast<double>(topology.channels().size()) / 2},
          {"bandwidth_gb_s", bandwidth},
          {"injection_gb_s", injection / topology.num_accelerators()}};
}

}  // namespace coppice::topology

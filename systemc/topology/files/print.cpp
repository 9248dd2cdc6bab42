#include "topology/files/print.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace coppice::topology {
namespace {

double ns_of(Femtoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kFemtosecondsPerNanosecond);
}

}  // namespace

std::string to_dot(const Topology& topology) {
  std::string text = fmt::format("digraph topology {{\n  label=\"{}\";\n", topology.name());
  for (NodeId node = 0; node < topology.num_nodes(); ++node) {
    fmt::format_to(std::back_inserter(text), "  {} [shape={}];\n", node,
                   topology.is_accelerator(node) ? "circle" : "box");
  }
  for (const Channel& channel : topology.channels()) {
    fmt::format_to(std::back_inserter(text), "  {} -> {} [label=\"{:g} GB/s\", tooltip=\"{:g} ns\"];\n",
                   channel.src, channel.dst, channel.bandwidth.gb_per_s(), ns_of(channel.latency));
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

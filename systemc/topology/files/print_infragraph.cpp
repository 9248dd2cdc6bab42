#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "topology/files/print.h"

namespace coppice::topology {
namespace {

using LinkKind = std::pair<Bandwidth, Femtoseconds>;

std::string endpoint(const Topology& topology, NodeId node) {
  return topology.is_accelerator(node) ? fmt::format("xpu[{}]", node)
                                       : fmt::format("switch[{}]", node - topology.num_accelerators());
}

void require_links(const Topology& topology) {
  std::map<std::tuple<NodeId, NodeId, Bandwidth, Femtoseconds>, int> surplus;
  for (const Channel& c : topology.channels()) {
    const auto [low, high] = std::minmax(c.src, c.dst);
    surplus[{low, high, c.bandwidth, c.latency}] += c.src == low ? 1 : -1;
  }
  for (const auto& [link, more] : surplus) {
    if (more == 0) continue;
    throw UnsupportedError(
        fmt::format("InfraGraph has only bidirectional links, but nodes {} and {} are joined by a one-way "
                    "channel: write graph, graphml or dot",
                    std::get<0>(link), std::get<1>(link)));
  }
}

}  // namespace

std::string to_infragraph(const Topology& topology) {
  require_links(topology);
  std::map<LinkKind, std::size_t> kinds;
  std::string links;
  std::string edges;
  // The number of channels that have already been written as part of a link with the reverse channel.
  std::map<std::tuple<NodeId, NodeId, Bandwidth, Femtoseconds>, int> open;
  for (const Channel& c : topology.channels()) {
    int& written = open[{c.src, c.dst, c.bandwidth, c.latency}];
    if (written > 0) {
      --written;
      continue;
    }
    ++open[{c.dst, c.src, c.bandwidth, c.latency}];
    const auto [kind, fresh] = kinds.emplace(LinkKind{c.bandwidth, c.latency}, kinds.size());
    if (fresh) {
      fmt::format_to(std::back_inserter(links),
                     "  - name: link_{}\n    physical:\n      bandwidth: {{choice: gigabytes_per_second, "
                     "gigabytes_per_second: {}}}\n      latency: {{choice: ns, ns: {}}}\n",
                     kind->second, c.bandwidth.gb_per_s(),
                     static_cast<double>(c.latency) / static_cast<double>(kFemtosecondsPerNanosecond));
    }
    fmt::format_to(
        std::back_inserter(edges),
        "  - {{ep1: {{component: \"{}\"}}, ep2: {{component: \"{}\"}}, scheme: one2one, link: link_{}}}\n",
        endpoint(topology, c.src), endpoint(topology, c.dst), kind->second);
  }
  std::string text = fmt::format(
      "name: network\ndescription: {}\ndevices:\n- name: machine\n  components:\n"
      "  - {{name: xpu, choice: xpu, count: {}}}\n",
      topology.name(), topology.num_accelerators());
  if (topology.num_switches() > 0) {
    text += fmt::format("  - {{name: switch, choice: switch, count: {}}}\n", topology.num_switches());
  }
  return text + "  links:\n" + links + "  edges:\n" + edges +
         "instances:\n- {name: machine, device: machine, count: 1}\nlinks: []\nedges: []\n";
}

}  // namespace coppice::topology

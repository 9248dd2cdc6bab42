#include "rtl_writer/design.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "schedule/tables/table_loop.h"

namespace coppice::rtl_writer {
namespace {

int power_of_two(std::int64_t least) {
  return static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, least))));
}

// The number of bits that can represent the numbers 0 to `count` - 1; at least one.
int index_bits(int count) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1))));
}

std::size_t longest_table(const Design& design) {
  std::size_t most = 0;
  for (const schedule::NodeTables& node : design.schedule.nodes) {
    for (const schedule::Table& table : node.ports) {
      const schedule::TableLoop loop(table, design.schedule.repetition, design.system().ni.lockstep);
      most = std::max(most, loop.lines().size());
    }
  }
  return most;
}

}  // namespace

int links_of(const topology::Topology& topology, NodeId node) {
  return static_cast<int>(std::max(topology.in_channels(node).size(), topology.out_channels(node).size()));
}

Shape shape_of(const Design& design) {
  constexpr Bytes kWord = 4;
  constexpr int kFewestEntries = 2;
  constexpr int kFewestFlows = 4;
  const config::SystemConfig& system = design.system();
  Shape shape;
  shape.ports = design.ni_ports;
  shape.flit_bits = static_cast<int>(8 * system.flit);
  shape.vcs = system.router.vcs;
  shape.vc_bits = index_bits(shape.vcs);
  shape.credits = system.router.vc_depth;
  shape.depth = std::max(2, power_of_two(shape.credits));
  shape.entries = std::max(kFewestEntries, power_of_two(static_cast<std::int64_t>(longest_table(design))));
  shape.flows = std::max(kFewestFlows, power_of_two(design.schedule.flows));
  shape.words = (design.schedule.size + kWord - 1) / kWord;
  int most_ports = 1;
  for (NodeId node = 0; node < design.topology.num_nodes(); ++node) {
    const int own = design.topology.is_accelerator(node) ? design.ni_ports : 0;
    most_ports = std::max(most_ports, links_of(design.topology, node) + own);
  }
  shape.hop_port_bits = index_bits(most_ports);
  shape.hops = 1;
  for (const topology::Route& route : design.schedule.routes) {
    shape.hops = std::max(shape.hops, static_cast<int>(route.size()));
  }
  return shape;
}

}  // namespace coppice::rtl_writer

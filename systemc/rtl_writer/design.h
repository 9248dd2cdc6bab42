#pragma once

#include <cstdint>

#include "config/loader.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::rtl_writer {

using topology::NodeId;

// A design to be written in Verilog: a network, and a collective among all its accelerators. The nodes of
// the schedule are the accelerators of the topology, in the same order. All references must outlive the
// design.
struct Design {
  const config::Loaded& loaded;
  const topology::Topology& topology;
  const schedule::Schedule& schedule;
  int ni_ports;

  const config::SystemConfig& system() const { return loaded.config.system; }
  int tiles() const { return topology.num_accelerators(); }
};

// The number of ports of a node's router that lead to channels: its number of incoming or of outgoing
// channels, whichever is larger.
int links_of(const topology::Topology& topology, NodeId node);

// The parameters that all nodes share, named as in rtl/tile/lite_tile.v. Each has the smallest value that the
// design permits.
struct Shape {
  int ports = 0;
  int flit_bits = 0;
  int vcs = 0;
  int vc_bits = 0;
  int depth = 0;    // flits per buffer; a power of two
  int credits = 0;  // slots of a buffer that a neighbour may use
  int entries = 0;  // lines in the largest table of a port, rounded up to a power of two
  int flows = 0;    // number of flows, rounded up to a power of two
  int hop_port_bits = 0;
  int hops = 0;
  std::int64_t words = 0;  // words in an accelerator's gradient buffer

  int hop_bits() const { return hop_port_bits + 2 * vc_bits; }
  int route_bits() const { return hops * hop_bits(); }
};
Shape shape_of(const Design& design);

// The number of bits before the route in a head flit.
inline constexpr int kHeadBits = 81;

// Throws ConfigError if the Verilog cannot run the design in the same number of cycles as the model. The
// error names the key and a valid value.
void require_verilog(const Design& design);

}  // namespace coppice::rtl_writer

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "config/files/hardware_file.h"
#include "config/files/technology.h"
#include "config/loader.h"
#include "topology/topology.h"

namespace coppice::system {

// The properties of a router that determine its area.
struct RouterShape {
  int ports = 0;  // ports to neighbours and to the network interface
  int vcs = 0;
  int vc_depth = 0;  // in flits
  int flit_bits = 0;
};

// The properties of a network interface that determine its area. `entries` is the number of entries in its
// largest table.
struct InterfaceShape {
  int ports = 0;
  int flit_bits = 0;
  int buffer = 0;  // in flits per port
  std::int64_t entries = 0;
  std::int64_t flows = 0;
};

// An area in um2, in the technology of the synthesised designs.
struct Area {
  double logic = 0;
  double macros = 0;
};

Area router_area(const config::HardwareTable& table, const RouterShape& shape);
Area interface_area(const config::HardwareTable& table, const InterfaceShape& shape);

// Whether the parameters are within the range of the synthesised designs.
bool in_range(const RouterShape& shape);
bool in_range(const InterfaceShape& shape);

// Reads the table named by hardware.energies or, if that key is not set, the built-in table from the
// installation or the source tree.
config::HardwareTable hardware_table(const config::Loaded& loaded);

// The `hardware` section for a machine. It contains the area per accelerator, including its share of the
// switches, and the total areas of routers, interfaces and switches, in mm2. `ni_overhead` is the result's
// section of this name; if it is null, tables are assumed to be empty.
nlohmann::ordered_json hardware_area(const config::Loaded& loaded, const topology::Topology& topology,
                                     const nlohmann::ordered_json& ni_overhead);

// Adds `hardware` to a result if hardware.technology is set: the area and, if flits were counted, the energy
// of data movement. For a training iteration, only the all-reduces count.
void add_hardware(nlohmann::ordered_json& result, const config::Loaded& loaded);

}  // namespace coppice::system

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "config/files/hardware_file.h"
#include "config/loader.h"
#include "topology/topology.h"

namespace coppice::system {

// A router as its area sees it.
struct RouterShape {
  int ports = 0;  // to neighbours and to the network interface
  int vcs = 0;
  int vc_depth = 0;  // flits
  int flit_bits = 0;
};

// A network interface likewise; entries are of the fullest port.
struct InterfaceShape {
  int ports = 0;
  int flit_bits = 0;
  int buffer = 0;  // flits of a port
  std::int64_t entries = 0;
  std::int64_t flows = 0;
};

// um2 in the technology of the points, macros included.
double router_um2(const config::HardwareTable& table, const RouterShape& shape);
double interface_um2(const config::HardwareTable& table, const InterfaceShape& shape);

// Whether it lies between the points that were synthesised.
bool in_range(const RouterShape& shape);
bool in_range(const InterfaceShape& shape);

// hardware.energies, else the shipped file: beside the command if that is installed, else of the sources.
config::HardwareTable hardware_table(const config::Loaded& loaded);

// `hardware` of a machine: the area of an accelerator with its share of the switches, in mm2, and its parts,
// for all accelerators together. `ni_overhead` is that of a result; if it is null, tables count as empty.
nlohmann::ordered_json hardware_area(const config::Loaded& loaded, const topology::Topology& topology,
                                     const nlohmann::ordered_json& ni_overhead);

// Adds `hardware` to a result if hardware.technology is set: area and, if flits were counted, the energy of
// data movement. An iteration counts as its all-reduces.
void add_hardware(nlohmann::ordered_json& result, const config::Loaded& loaded);

}  // namespace coppice::system

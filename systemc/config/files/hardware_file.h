#pragma once

#include <string>

namespace coppice::config {

// The contents of a file such as configs/hardware/osu018.yaml, which explains them. Members are named after
// the file's keys.
struct HardwareTable {
  double area_nanometres = 0;
  double nand2_um2 = 0;
  double macro_um2_per_bit = 0;
  double entry_bits = 0;
  double queue = 0;
  double router_input = 0;
  double router_pair = 0;
  double router_crossbar = 0;
  double router_width = 0;
  double interface_port = 0;
  double interface_pair = 0;
  double interface_width = 0;
  double interface_flow = 0;
  double interface_port_flow = 0;
  double energy_nanometres = 0;
  double volts = 0;
  double logic_nanometres = 0;
  double logic_volts = 0;
  double router_flit_pj = 0;
  double router_bit_pj = 0;
  double router_bit_port_pj = 0;
  double fp32_add_pj = 0;
  double table_entry_pj = 0;
  double sram_64_bits_pj = 0;
  double sram_bytes = 0;
  double link_pj_per_bit = 0;
  double memory_pj_per_bit = 0;
};

// Reads a hardware file. Every key is required; throws ConfigError if one is missing or has an invalid value.
HardwareTable read_hardware_file(const std::string& path);

}  // namespace coppice::config

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The parameters of the network and its testbench, as localparams for an include file.
std::string parameters_text(const Design& design, const Shape& shape, std::int64_t boot_writes,
                            Cycles model_cycles);

// Module `network`: tiles, switches, the links between them, and one port for the registers of all tiles.
std::string network_text(const Design& design, const Shape& shape);

// The file that tb/network/bench.v includes: the network, a memory for each tile, and the signals to be
// observed.
std::string connections_text(const Design& design);

// The value that fill_in() substitutes for `@name@`.
struct Replacement {
  std::string name;
  std::string value;
};
std::string fill_in(std::string text, const std::vector<Replacement>& replacements);

}  // namespace coppice::rtl_writer

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The parameters of the network and of its testbench, as localparams in an include file.
std::string parameters_text(const Design& design, const Shape& shape, std::int64_t boot_writes,
                            Cycles model_cycles);

// The module `network`. It contains the tiles, the switches, the links between them, and a single port for
// the registers of all tiles.
std::string network_text(const Design& design, const Shape& shape);

// The file that tb/network/bench.v includes. It contains the network, a memory for each tile, and the signals
// that the testbench observes.
std::string connections_text(const Design& design);

// The value that fill_in() substitutes for `@name@`.
struct Replacement {
  std::string name;
  std::string value;
};
std::string fill_in(std::string text, const std::vector<Replacement>& replacements);

}  // namespace coppice::rtl_writer

#pragma once

#include <span>
#include <string>

#include "base/units.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The texts of the project files that accompany the Verilog. `sources` are the paths in the folder of the
// network's Verilog files, including headers.
std::string makefile_text();
std::string file_list_text(std::span<const std::string> sources);
std::string fusesoc_text(const Design& design, std::span<const std::string> sources);
std::string bender_text(std::span<const std::string> sources);
std::string sdc_text(const Design& design);
std::string readme_text(const Design& design, const Shape& shape, Cycles model_cycles);

}  // namespace coppice::rtl_writer

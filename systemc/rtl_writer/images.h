#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The register writes that load the tables and settings of a network (rtl/network/boot.v), as text for
// $readmemh. A comment precedes the writes for each tile and port.
struct BootImage {
  std::string text;
  std::int64_t writes = 0;
};
// Throws ConfigError if a value is too large for its register.
BootImage boot_image(const Design& design, const Shape& shape);

// The contents of a memory of fp32 values, as text for $readmemh.
std::string memory_image(std::span<const float> values);

}  // namespace coppice::rtl_writer

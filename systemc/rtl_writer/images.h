#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rtl_writer/design.h"

namespace coppice::rtl_writer {

// The register writes that load a network's tables and settings (rtl/network/boot.v): a text for $readmemh,
// with a comment before each tile and port.
struct BootImage {
  std::string text;
  std::int64_t writes = 0;
};
// Throws ConfigError if a value does not fit into its register.
BootImage boot_image(const Design& design, const Shape& shape);

// The image of a memory of fp32 values, for $readmemh.
std::string memory_image(std::span<const float> values);

}  // namespace coppice::rtl_writer

#pragma once

#include <string>

namespace coppice::system {

// Elaborates the kernel and walks its hierarchy: one line per module, followed by one line per port, export
// or socket with the name of its binding.
std::string describe_hierarchy();

}  // namespace coppice::system

#pragma once

#include <string>

namespace coppice::system {

// Elaborates the kernel and walks its hierarchy: a line per module, and under it a line per port, export or
// socket with the name of its binding.
std::string describe_hierarchy();

}  // namespace coppice::system

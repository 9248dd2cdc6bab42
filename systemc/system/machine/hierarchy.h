#pragma once

#include <string>

namespace coppice::system {

// Elaborates the kernel and lists its hierarchy: one line per module, followed by a line for each of its
// ports, exports and sockets, with the name of the object to which it is bound.
std::string describe_hierarchy();

}  // namespace coppice::system

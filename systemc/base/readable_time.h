#pragma once

#include <string>

namespace coppice {

// Formats a time for readers, with four digits and a suitable unit: "7.473 ms" for 7472680 ns. Result files
// contain nanoseconds instead.
std::string readable_time(double nanoseconds);

}  // namespace coppice

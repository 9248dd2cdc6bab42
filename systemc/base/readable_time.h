#pragma once

#include <string>

namespace coppice {

// Formats a time for human readers, with four digits and a suitable unit: 7472680 ns becomes "7.473 ms".
// Result files contain nanoseconds instead.
std::string readable_time(double nanoseconds);

}  // namespace coppice

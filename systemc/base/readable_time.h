#pragma once

#include <string>

namespace coppice {

// Formats a time in human-readable form: four digits, in the unit that keeps the number short, such as "7.473
// ms" for 7472680 ns. Result files contain nanoseconds instead.
std::string readable_time(double nanoseconds);

}  // namespace coppice

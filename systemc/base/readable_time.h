#pragma once

#include <string>

namespace coppice {

// A time for people: four digits and the unit that keeps them short, such as "7.473 ms" of 7472680 ns.
// Results keep their nanoseconds.
std::string readable_time(double nanoseconds);

}  // namespace coppice

#pragma once

#include <string>

namespace coppice {

// A time for people: four digits with the unit that keeps them short, such as "7.473 ms" for 7472680 ns.
// Results keep their nanoseconds.
std::string readable_time(double nanoseconds);

}  // namespace coppice

#pragma once

#include <string_view>
#include <vector>

namespace coppice {

// The units that the parse_* functions of base/units.h accept, in ascending order.
std::vector<std::string_view> bytes_units();
std::vector<std::string_view> bandwidth_units();
std::vector<std::string_view> duration_units();
std::vector<std::string_view> frequency_units();

}  // namespace coppice

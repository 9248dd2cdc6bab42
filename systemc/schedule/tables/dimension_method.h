#pragma once

namespace coppice::schedule {

// What a dimension of a hierarchy runs (schedule/tables/dimension_algorithm.h).
enum class DimensionMethod { kRing, kDirect, kHalvingDoubling };
const char* to_string(DimensionMethod method);

}  // namespace coppice::schedule

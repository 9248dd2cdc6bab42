#pragma once

namespace coppice::schedule {

// The algorithm of a dimension of a hierarchy (schedule/tables/dimension_algorithm.h).
enum class DimensionMethod { kRing, kDirect, kHalvingDoubling };
const char* to_string(DimensionMethod method);

}  // namespace coppice::schedule

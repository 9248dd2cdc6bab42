#pragma once

namespace coppice::schedule {

// The algorithm that runs in one dimension of a hierarchy (schedule/tables/dimension_algorithm.h).
enum class DimensionMethod { kRing, kDirect, kHalvingDoubling };
const char* to_string(DimensionMethod method);

}  // namespace coppice::schedule

#include "schedule/tables/dimension_method.h"

namespace coppice::schedule {

const char* to_string(DimensionMethod method) {
  switch (method) {
    case DimensionMethod::kRing:
      return "ring";
    case DimensionMethod::kDirect:
      return "direct";
    case DimensionMethod::kHalvingDoubling:
      return "halving_doubling";
  }
  return "?";
}

}  // namespace coppice::schedule

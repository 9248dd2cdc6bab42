#include "support/shipped_config.h"

namespace coppice::testing {

std::string shipped_config(const std::string& path) {
  return std::string(COPPICE_CONFIGS) + "/" + path;
}

}  // namespace coppice::testing

#include "workload/model.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace coppice::workload {

std::int64_t Model::parameters() const {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const Layer& layer) { return sum + layer.parameters(); });
}

std::int64_t Model::macs() const {
  return std::accumulate(layers.begin(), layers.end(), std::int64_t{0},
                         [](std::int64_t sum, const Layer& layer) { return sum + layer.macs(); });
}

std::vector<std::string> model_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    if (entry.path().extension() == ".csv") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace coppice::workload

#include "system/machine/model_files.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "config/document/nearest.h"
#include "config/files/file_kind.h"
#include "workload/scale_sim.h"

namespace coppice::system {
namespace {

constexpr const char* kKey = "training.model";
constexpr const char* kExtension = ".csv";

bool is_path(const std::string& model) {
  return model.find('/') != std::string::npos || model.ends_with(kExtension);
}

std::filesystem::path table_path(const std::string& model) {
  return is_path(model) ? std::filesystem::path(model)
                        : std::filesystem::path(model_folder()) / (model + kExtension);
}

std::string absent(const std::string& model) {
  if (is_path(model)) return fmt::format("{}: the layer table {} does not exist", kKey, model);
  const std::vector<std::string> known = known_models();
  if (known.empty()) {
    return fmt::format("{}: no models found in {}: write the path of a layer table", kKey, model_folder());
  }
  return fmt::format(
      "{}: unknown model '{}'; did you mean '{}'? Write the path of a layer table or a known model: {}", kKey,
      model, config::nearest(model, known), fmt::join(known, ", "));
}

}  // namespace

// If the program is installed, the folder is found relative to the executable, so an installation can be
// moved; otherwise it is in the source tree.
std::string model_folder() {
  std::error_code none;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path installed = command.parent_path().parent_path() / "share/coppice/workloads";
  if (!command.empty() && std::filesystem::is_directory(installed, none)) return installed.string();
  return COPPICE_WORKLOADS;
}

std::vector<std::string> known_models() {
  return workload::model_names(model_folder());
}

workload::Model load_model(const config::Loaded& loaded) {
  const std::string& model = loaded.config.training.model;
  const std::filesystem::path path = table_path(model);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw ConfigError(loaded.place(kKey), absent(model));
  return config::read_as({config::FileKind::kLayers}, path.string(),
                         [&] { return workload::import_scale_sim(path.string()); });
}

}  // namespace coppice::system

#include "app/outputs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/interrupt.h"
#include "base/error.h"
#include "base/input_file.h"

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

// Whether two names refer to the same regular file. The file need not exist.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

// Collects all strings in a configuration, some of which are file names.
void collect_texts(const nlohmann::ordered_json& value, std::vector<std::string>& texts) {
  if (value.is_string()) texts.push_back(value.get<std::string>());
  if (!value.is_structured()) return;
  for (const auto& part : value) collect_texts(part, texts);
}

void refuse_if_read(const std::string& option, const std::string& path) {
  if (!was_read(path)) return;
  throw ConfigError({option + " " + path}, fmt::format("'{}' is also an input; name another file", path));
}

}  // namespace

Outputs::Outputs(const std::string& path, const config::Loaded& loaded) : inputs_{path} {
  collect_texts(config::to_json(loaded.config), inputs_);
  for (const auto& [key, place] : loaded.places) inputs_.push_back(place.file);
  const auto no_file = [](const std::string& name) {
    std::error_code ignored;
    return !fs::is_regular_file(name, ignored);
  };
  inputs_.erase(std::remove_if(inputs_.begin() + 1, inputs_.end(), no_file), inputs_.end());
}

system::ResultFile* Outputs::add(const std::string& option, const std::string& path) {
  if (path.empty()) return nullptr;
  const SourceLocation where{option + " " + path};
  for (const std::string& input : inputs_) {
    if (!same_file(path, input)) continue;
    throw ConfigError(where, fmt::format("'{}' is also {}; name another file", path,
                                         input == inputs_.front() ? "the configuration" : "an input"));
  }
  refuse_if_read(option, path);
  for (const system::ResultFile& file : files_) {
    if (same_file(path, file.path())) {
      throw ConfigError(where, fmt::format("'{}' is already another output; name another file", path));
    }
  }
  system::ResultFile& file = files_.emplace_back(option, path);
  if (file.direct()) return &file;
  remove_when_ended(file.temporary_path().c_str());
  if (option == "--fst") remove_when_ended((file.temporary_path() + ".hier").c_str());
  return &file;
}

void Outputs::refuse_inputs() const {
  for (const system::ResultFile& file : files_) refuse_if_read(file.option(), file.path());
}

}  // namespace coppice::app

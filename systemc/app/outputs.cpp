#include "app/outputs.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::app {
namespace {

namespace fs = std::filesystem;

// Whether both names lead to one regular file, which need not exist.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

}  // namespace

system::ResultFile* Outputs::add(const std::string& option, const std::string& path) {
  if (path.empty()) return nullptr;
  const SourceLocation where{option + " " + path};
  if (same_file(path, input_)) {
    throw ConfigError(where, fmt::format("'{}' is the configuration; name another file", path));
  }
  for (const system::ResultFile& file : files_) {
    if (same_file(path, file.path())) {
      throw ConfigError(where, fmt::format("'{}' is another output already; name another file", path));
    }
  }
  return &files_.emplace_back(option, path);
}

}  // namespace coppice::app

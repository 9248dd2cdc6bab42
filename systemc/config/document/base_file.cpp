#include "config/document/base_file.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/document/values.h"

namespace coppice::config {
namespace {

constexpr const char* kKey = "base";
constexpr int kDeepest = 8;

// The folder of configurations next to an installed command; if the command is not installed, configs/ of the
// source tree.
std::filesystem::path shipped_folder() {
  std::error_code none;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path installed = command.parent_path().parent_path() / "share/coppice";
  if (!command.empty() && std::filesystem::is_directory(installed / "machines", none)) return installed;
  return COPPICE_CONFIGS;
}

std::string find_base(const Node& value) {
  const std::string& name = read_text(value, kKey, "the name of a configuration, such as machines/h100_hgx8");
  const std::vector<std::filesystem::path> folders{std::filesystem::path(value.place.file).parent_path(),
                                                   std::filesystem::path(), shipped_folder()};
  std::error_code absent;
  for (const std::filesystem::path& folder : folders) {
    for (const std::string& file : {name, name + ".yaml"}) {
      const std::filesystem::path path = folder / file;
      if (std::filesystem::is_regular_file(path, absent)) return path.string();
    }
  }
  throw ConfigError(
      value.place,
      fmt::format(
          "base: no configuration {0} or {0}.yaml found next to {1}, in the working directory or in {2}",
          name, value.place.file, shipped_folder().string()));
}

void expand(Node& root, int depth) {
  const auto found = std::ranges::find(root.children, kKey, &Node::name);
  if (found == root.children.end()) return;
  const Node value = std::move(*found);
  root.children.erase(found);
  if (depth == kDeepest) {
    throw ConfigError(
        value.place,
        fmt::format("base: more than {} files extend one another: look for a file that extends itself",
                    kDeepest));
  }
  Node base = read_document(find_base(value));
  expand(base, depth + 1);
  merge(base, root);
  std::swap(base.children, root.children);
}

}  // namespace

void expand_base(Node& root) {
  expand(root, 0);
}

}  // namespace coppice::config

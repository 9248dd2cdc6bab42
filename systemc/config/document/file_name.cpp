#include "config/document/file_name.h"

#include <filesystem>
#include <system_error>

#include "config/document/values.h"

namespace coppice::config {

std::string read_file_name(const Node& value, std::string_view path, std::string_view expected) {
  std::string name = read_text(value, path, expected);
  std::error_code absent;
  if (std::filesystem::exists(name, absent)) return name;
  const std::filesystem::path beside = std::filesystem::path(value.place.file).parent_path() / name;
  return std::filesystem::exists(beside, absent) ? beside.string() : name;
}

}  // namespace coppice::config

#include "config/document/file_name.h"

#include <filesystem>
#include <system_error>

#include "config/document/values.h"

namespace coppice::config {
namespace {

bool is_there(const std::filesystem::path& path) {
  constexpr std::string_view kRank = "{rank}";
  std::string name = path.string();
  if (const std::size_t rank = name.find(kRank); rank != std::string::npos) {
    name.replace(rank, kRank.size(), "0");
  }
  std::error_code absent;
  return std::filesystem::exists(name, absent);
}

}  // namespace

std::string read_file_name(const Node& value, std::string_view path, std::string_view expected) {
  std::string name = read_text(value, path, expected);
  if (is_there(name)) return name;
  const std::filesystem::path beside = std::filesystem::path(value.place.file).parent_path() / name;
  return is_there(beside) ? beside.string() : name;
}

std::string read_name_or_file(const Node& value, std::string_view path, std::string_view expected) {
  const std::string& name = read_text(value, path, expected);
  return name.find_first_of("/.") == std::string::npos ? name : read_file_name(value, path, expected);
}

}  // namespace coppice::config

#include "config/settings/loaded.h"

namespace coppice::config {

std::string enclosing_section(const std::string& path) {
  const std::size_t end = path.find_last_of(".[");
  return end == std::string::npos ? std::string() : path.substr(0, end);
}

bool Loaded::was_set(const std::string& key) const {
  const auto found = places.find(key);
  return found != places.end() && !(from_result && found->second.file == top.file);
}

SourceLocation Loaded::place(const std::string& key) const {
  for (std::string path = key; !path.empty(); path = enclosing_section(path)) {
    if (const auto found = places.find(path); found != places.end()) return found->second;
  }
  return top;
}

}  // namespace coppice::config

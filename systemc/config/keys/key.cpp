#include "config/keys/key.h"

#include <utility>

namespace coppice::config {
namespace {

// The default value, which serves as the example if none is given.
std::string example_of(const Key& key) {
  const nlohmann::ordered_json value = key.write(Config{});
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Key Key::shown_as(std::string text) && {
  example = std::move(text);
  return std::move(*this);
}

Key Key::of_form(std::string text) && {
  form = std::move(text);
  return std::move(*this);
}

Key Key::with_parts(std::vector<KeyPart> of_items) && {
  parts = std::move(of_items);
  return std::move(*this);
}

Key Key::unless_usual(nlohmann::ordered_json usual) && {
  if (example.empty()) example = example_of(*this);
  write = [written = std::move(write), usual = std::move(usual)](const Config& config) {
    nlohmann::ordered_json value = written(config);
    return value == usual ? nlohmann::ordered_json() : value;
  };
  return std::move(*this);
}

Key Key::written_if(std::function<bool(const Config& config)> applies) && {
  if (example.empty()) example = example_of(*this);
  write = [written = std::move(write), applies = std::move(applies)](const Config& config) {
    return applies(config) ? written(config) : nlohmann::ordered_json();
  };
  return std::move(*this);
}

Key Key::excused_if(std::function<bool(const Loaded& loaded, Purpose purpose)> need_not) && {
  excused = std::move(need_not);
  return std::move(*this);
}

void declare(std::vector<Key>& keys, Key key, std::string summary, Purposes used, IdleRule idle,
             Purposes required) {
  key.summary = std::move(summary);
  key.used = used;
  key.idle = std::move(idle);
  key.required = required;
  if (key.example.empty()) key.example = example_of(key);
  keys.push_back(std::move(key));
}

}  // namespace coppice::config

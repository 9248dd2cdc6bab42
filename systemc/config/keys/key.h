#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include <nlohmann/json.hpp>

#include "config/document/document.h"
#include "config/settings/loaded.h"

namespace coppice::config {

// A set of purposes.
class Purposes {
 public:
  constexpr Purposes() = default;
  constexpr Purposes(std::initializer_list<Purpose> purposes) {
    for (const Purpose purpose : purposes) bits_ |= bit(purpose);
  }
  constexpr bool has(Purpose purpose) const { return (bits_ & bit(purpose)) != 0; }

 private:
  static constexpr unsigned bit(Purpose purpose) { return 1U << static_cast<unsigned>(purpose); }
  unsigned bits_ = 0;
};

// Other facts that decide whether a key has an effect.
struct Use {
  Purpose purpose = Purpose::kRun;
  bool records_waves = true;
};

// All there is to know of one key of the configuration. Everything that depends on which keys there are is
// derived from the list of them: reading, suggestions, missing keys, warnings, and the resolved
// configuration.
struct Key {
  std::string path;       // "system.link.bandwidth"
  std::string example;    // a value that would be right, for messages
  std::string form{};     // what values may be: "a whole number from 1 to 32"; key_descriptions.h where empty
  std::string summary{};  // what it decides, a sentence of key_descriptions.h
  nlohmann::ordered_json schema;  // JSON Schema of the values that `read` accepts (document/value_schema.h)
  // Reads the value into the configuration; throws ConfigError at the value.
  std::function<void(const Node& value, Config& config)> read;
  // The value as it would be written; null if there is none and no default either.
  std::function<nlohmann::ordered_json(const Config& config)> write;
  Purposes required;  // where it must be set
  // Whether the key may be missing, given the other keys; null if it is always required.
  std::function<bool(const Loaded& loaded, Purpose purpose)> excused;
  Purposes used;  // where it can change the outcome
  // Why it changes nothing nevertheless, given the rest of the configuration; empty if it does.
  std::function<std::string(const Config& config, const Use& use)> idle;
};

}  // namespace coppice::config

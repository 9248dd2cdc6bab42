#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

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

// Properties of the run that determine whether a key has an effect.
struct Use {
  Purpose purpose = Purpose::kRun;
  bool records_waves = true;
};

// A field of the items of a key's list, such as routing.jobs[].model.
struct KeyPart {
  std::string name;     // "model"
  std::string summary;  // its meaning, in one sentence
  std::string form;     // its possible values
};

// Returns the reason why a key has no effect in a configuration; empty if it has an effect.
using IdleRule = std::function<std::string(const Config& config, const Use& use)>;

// A configuration key, declared once (key_builders.h). Everything that depends on the set of keys is derived
// from these declarations: reading, suggestions, missing keys, warnings, the resolved configuration, `coppice
// schema`, `coppice explain`, the man pages and the reference.
struct Key {
  std::string path;               // "system.link.bandwidth"
  std::string example;            // a valid value, for messages; empty: the default
  std::string form{};             // its possible values: "a whole number from 1 to 32"
  std::string summary{};          // its meaning, in one sentence
  std::vector<KeyPart> parts{};   // fields of the items of its list
  nlohmann::ordered_json schema;  // JSON Schema of the values that `read` accepts (document/value_schema.h)
  // Reads the value into the configuration; throws ConfigError at the value.
  std::function<void(const Node& value, Config& config)> read;
  // Returns the value as a file would contain it; null if there is neither a value nor a default.
  std::function<nlohmann::ordered_json(const Config& config)> write;
  Purposes required;  // purposes that require it
  // Whether the key may be missing, given the other keys; null if it is always required.
  std::function<bool(const Loaded& loaded, Purpose purpose)> excused;
  Purposes used;  // purposes for which it can change the result
  IdleRule idle;  // returns why the key has no effect for these purposes in a configuration

  // Each of these functions returns the key with another property.
  Key shown_as(std::string text) &&;  // an example other than the default
  Key of_form(std::string text) &&;   // its possible values
  Key with_parts(std::vector<KeyPart> of_items) &&;
  Key unless_usual(nlohmann::ordered_json usual) &&;  // omitted from results while its value is `usual`
  Key written_if(std::function<bool(const Config& config)> applies) &&;
  Key excused_if(std::function<bool(const Loaded& loaded, Purpose purpose)> need_not) &&;
};

// Adds a key with its meaning, the purposes that read it, a rule for when it has no effect, and the purposes
// that require it.
void declare(std::vector<Key>& keys, Key key, std::string summary, Purposes used, IdleRule idle = nullptr,
             Purposes required = {});

}  // namespace coppice::config

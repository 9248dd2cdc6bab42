#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/document/document.h"
#include "config/settings/loaded.h"

namespace coppice::config {

// A set of Purpose values.
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

// The aspects of a configuration's use that determine whether a key has an effect.
struct Use {
  Purpose purpose = Purpose::kRun;
  bool records_waves = true;
};

// A field of the items of a key whose value is a list, such as routing.jobs[].model.
struct KeyPart {
  std::string name;     // "model"
  std::string summary;  // its meaning, in one sentence
  std::string form;     // its possible values
};

// Returns why a key has no effect in a configuration, or an empty string if it has an effect.
using IdleRule = std::function<std::string(const Config& config, const Use& use)>;

// A configuration key, which is declared once with key_builders.h. Everything that depends on the set of keys
// is derived from these declarations: reading, suggestions, errors about missing keys, warnings, the resolved
// configuration, `coppice schema`, `coppice explain`, the man pages and the reference.
struct Key {
  std::string path;               // "system.link.bandwidth"
  std::string example;            // a valid value to show in messages; empty: the default
  std::string form{};             // its possible values, such as "a whole number from 1 to 32"
  std::string summary{};          // its meaning, in one sentence
  std::vector<KeyPart> parts{};   // for a list: the fields of its items
  nlohmann::ordered_json schema;  // JSON Schema of the values that `read` accepts (document/value_schema.h)
  // Stores the value in the configuration; throws ConfigError at the value if it is invalid.
  std::function<void(const Node& value, Config& config)> read;
  // Returns the value in the form in which a file would contain it; null if the key has neither a value nor a
  // default.
  std::function<nlohmann::ordered_json(const Config& config)> write;
  Purposes required;  // the purposes for which the key must be set
  // Whether a required key may be missing, given the other keys; nullptr if it may never be missing.
  std::function<bool(const Loaded& loaded, Purpose purpose)> excused;
  Purposes used;  // the purposes for which the key can change the result
  // Returns why the key has no effect in a configuration that is used for one of these purposes.
  IdleRule idle;

  // Each of these functions changes one property of the key, and returns the key.
  Key shown_as(std::string text) &&;  // sets an example that differs from the default
  Key of_form(std::string text) &&;   // describes the possible values
  Key with_parts(std::vector<KeyPart> of_items) &&;
  Key unless_usual(nlohmann::ordered_json usual) &&;  // results omit the key while its value is `usual`
  Key written_if(std::function<bool(const Config& config)> applies) &&;
  Key excused_if(std::function<bool(const Loaded& loaded, Purpose purpose)> need_not) &&;
};

// Adds a key with its meaning, the purposes for which it is used, the rule for when it has no effect, and the
// purposes for which it is required.
void declare(std::vector<Key>& keys, Key key, std::string summary, Purposes used, IdleRule idle = nullptr,
             Purposes required = {});

}  // namespace coppice::config

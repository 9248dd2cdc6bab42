#pragma once

#include <string>

#include "base/time_limit.h"
#include "config/loader.h"

namespace coppice::system {

// Returns the result of `run`. Rethrows a TimeLimitError as a ConfigError at `key`, the key that sets the
// data size.
template <typename F>
auto within_time(const config::Loaded& loaded, const std::string& key, F&& run) {
  try {
    return run();
  } catch (const TimeLimitError& error) {
    throw ConfigError(loaded.place(key), key + ": " + error.what() + ": use less data or more bandwidth");
  }
}

}  // namespace coppice::system

#pragma once

#include <string>

#include "base/time_limit.h"
#include "config/loader.h"

namespace coppice::system {

// What `run` returns. Its TimeLimitError becomes a ConfigError at `key`, which says how much there is to do.
template <typename F>
auto within_time(const config::Loaded& loaded, const std::string& key, F&& run) {
  try {
    return run();
  } catch (const TimeLimitError& error) {
    throw ConfigError(loaded.place(key), key + ": " + error.what() + ": use less data or more bandwidth");
  }
}

}  // namespace coppice::system

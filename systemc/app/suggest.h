#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace coppice::app {

// A suggestion for a command line that was rejected: a similar command or option, or --set if an option has
// the name of a configuration key. Empty if nothing is similar. `count` and `arguments` are those of main().
std::string suggestion(const CLI::App& coppice, int count, const char* const* arguments);

}  // namespace coppice::app

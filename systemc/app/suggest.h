#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace coppice::app {

// A suggestion for a rejected command line: a similar command or option, or --set for a configuration key.
// Empty if nothing is similar. `count` and `arguments` are main()'s.
std::string suggestion(const CLI::App& coppice, int count, const char* const* arguments);

}  // namespace coppice::app

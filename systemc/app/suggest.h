#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace coppice::app {

// What a command line that was refused probably meant: a command or option spelt otherwise, or a key of the
// configuration, which --set overrides. Empty if nothing comes near. `arguments` as main() has them.
std::string suggestion(const CLI::App& coppice, int count, const char* const* arguments);

}  // namespace coppice::app

#pragma once

#include "app/command.h"

namespace coppice::app {

// Adds `coppice explore`, which runs the Python package.
Command add_explore(CLI::App& parent);

}  // namespace coppice::app

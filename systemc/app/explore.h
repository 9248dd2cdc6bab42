#pragma once

#include "app/command.h"

namespace coppice::app {

// Adds `coppice explore`, which starts the Python package.
Command add_explore(CLI::App& parent);

}  // namespace coppice::app

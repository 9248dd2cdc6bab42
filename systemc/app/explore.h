#pragma once

#include "app/command.h"

namespace coppice::app {

// Adds `coppice explore`, which hands over to the Python package.
Command add_explore(CLI::App& parent);

}  // namespace coppice::app

#pragma once

#include "app/command.h"

namespace coppice::app {

// Adds `coppice calibrate`, which starts the Python package.
Command add_calibrate(CLI::App& parent);

}  // namespace coppice::app

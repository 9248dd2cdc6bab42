#pragma once

#include "app/command.h"

namespace coppice::app {

// Adds `coppice calibrate`, which runs the Python package.
Command add_calibrate(CLI::App& parent);

}  // namespace coppice::app

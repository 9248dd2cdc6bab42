#pragma once

#include "app/command.h"

namespace coppice::app {

// Adds `coppice rtl CONFIG --out FOLDER`.
Command add_rtl(CLI::App& parent);

}  // namespace coppice::app

#pragma once

#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// system.accelerator.*: what computes layers.
void add_accelerator_keys(std::vector<Key>& keys);

}  // namespace coppice::config

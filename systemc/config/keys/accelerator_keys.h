#pragma once

#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// system.accelerator.*: the model of computation.
void add_accelerator_keys(std::vector<Key>& keys);

}  // namespace coppice::config

#pragma once

#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// The keys of programs that share a machine, and of what fails while programs run.
void add_job_keys(std::vector<Key>& keys);

}  // namespace coppice::config

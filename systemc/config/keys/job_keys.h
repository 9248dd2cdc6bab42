#pragma once

#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// The keys of jobs that share a machine, and of failures while programs run.
void add_job_keys(std::vector<Key>& keys);

}  // namespace coppice::config

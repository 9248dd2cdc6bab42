#pragma once

#include <vector>

#include "config/keys/key.h"

namespace coppice::config {

// system.topology.failed_spines and failed_links: of Clos networks.
void add_failure_keys(std::vector<Key>& keys, Purposes used);

// routing.*: the keys of `coppice route`.
void add_routing_keys(std::vector<Key>& keys);

}  // namespace coppice::config

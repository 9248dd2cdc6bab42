#pragma once

#include "config/keys/key.h"

namespace coppice::config {

// system.ni.protocols: a list of ways to send messages, {name, efficiency, setup, launch, from, up_to,
// algorithms, operations, ranks}, of which the fastest that applies is used.
Key protocols_key();

// system.switch.reduction_bandwidth.
Key reduction_bandwidth_key();

}  // namespace coppice::config

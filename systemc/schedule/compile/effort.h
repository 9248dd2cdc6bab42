#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// CPU seconds that grow with a power of the number of accelerators: `at_1024` of them, on 1,024.
double seconds_at(const topology::Topology& topology, double at_1024, double power);

// Whether one accelerator's tables are made and executed for all: on a torus, ring or fully connected group
// of equal channels, where pattern_pays().
bool looks_alike(const topology::Topology& topology, const CompileRequest& request);

// AutomaticTrial::seconds of algorithms with a message from every accelerator to every other, or so.
double seconds_of_messages(const topology::Topology& topology, const CompileRequest& request);

// AutomaticTrial::seconds of trees for all accelerators that are built together, one edge of each at a time.
double seconds_of_growth(const topology::Topology& topology, const CompileRequest& request);

}  // namespace coppice::schedule

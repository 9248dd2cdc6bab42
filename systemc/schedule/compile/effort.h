#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// CPU seconds that grow with a power of the number of accelerators: `at_1024` seconds at 1,024.
double seconds_at(const topology::Topology& topology, double at_1024, double power);

// Whether one accelerator's tables are built and simulated on behalf of all: on a torus, ring or fully
// connected group with equal channels, if pattern_pays().
bool looks_alike(const topology::Topology& topology, const CompileRequest& request);

// AutomaticTrial::seconds of algorithms with about one message per ordered pair of accelerators.
double seconds_of_messages(const topology::Topology& topology, const CompileRequest& request);

// AutomaticTrial::seconds of algorithms that grow all accelerators' trees together, one edge per tree at a
// time.
double seconds_of_growth(const topology::Topology& topology, const CompileRequest& request);

}  // namespace coppice::schedule

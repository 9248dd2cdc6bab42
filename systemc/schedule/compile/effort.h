#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// CPU seconds that grow as the number of accelerators raised to the power `power`. `at_1024` is the value for
// 1,024 accelerators.
double seconds_at(const topology::Topology& topology, double at_1024, double power);

// Whether one accelerator's tables are built and simulated on behalf of all accelerators. This is possible on
// tori, rings and fully connected groups whose channels are all equal; it is done if pattern_pays() returns
// true.
bool looks_alike(const topology::Topology& topology, const CompileRequest& request);

// AutomaticTrial::seconds for algorithms with about one message per ordered pair of accelerators.
double seconds_of_messages(const topology::Topology& topology, const CompileRequest& request);

// AutomaticTrial::seconds for algorithms that grow all accelerators' trees together, one edge per tree at a
// time.
double seconds_of_growth(const topology::Topology& topology, const CompileRequest& request);

}  // namespace coppice::schedule

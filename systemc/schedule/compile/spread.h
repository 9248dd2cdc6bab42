#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The tables of an algorithm that uses the whole network: where its own compiler takes one of several planes
// (AlgorithmInfo::one_plane), the data is shared out to the planes (topology/structure/planes.h) by their
// bandwidth, and each has its own tables, as a careful implementer would run it. CompileRequest::planes
// says how many are used. Interfaces with fewer ports than channels, and data of less than an element for
// every plane and accelerator, use one. Throws as the compiler does.
Schedule compile_spread(const AlgorithmInfo& info, const topology::Topology& topology,
                        const CompileRequest& request);

}  // namespace coppice::schedule

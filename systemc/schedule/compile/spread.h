#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The tables of an algorithm on the whole network. If its own compiler uses one of several planes
// (AlgorithmInfo::one_plane), the data is split among the planes (topology/structure/planes.h) in proportion
// to their bandwidth, and each plane has its own tables. CompileRequest::planes limits the number of planes.
// One plane is used if interfaces have fewer ports than channels, or if the data has less than one element
// for every plane and accelerator. Throws the compiler's errors.
Schedule compile_spread(const AlgorithmInfo& info, const topology::Topology& topology,
                        const CompileRequest& request);

}  // namespace coppice::schedule

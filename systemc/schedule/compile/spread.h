#pragma once

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// Compiles the tables of an algorithm for the whole network. If the algorithm's own compiler uses only one of
// several planes (AlgorithmInfo::one_plane), splits the data among the planes (topology/structure/planes.h)
// in proportion to their bandwidth and compiles separate tables for each plane. CompileRequest::planes limits
// the number of planes. Only one plane is used if interfaces have fewer ports than channels, or if the data
// has less than one element per accelerator per plane. Throws the compiler's errors.
Schedule compile_spread(const AlgorithmInfo& info, const topology::Topology& topology,
                        const CompileRequest& request);

}  // namespace coppice::schedule

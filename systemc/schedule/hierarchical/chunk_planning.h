#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/themis_plus.h"

namespace coppice::schedule {

// CompileRequest::chunks; if automatic, 64 (Themis, Sec. 5.3), or fewer if the data has too few elements.
int chunk_count(const LatencyModel& model, const CompileRequest& request);

// Plans the orders of dimensions for the chunks of a request's collective, by CompileRequest::chunk_policy:
// the baseline (Themis, Sec. 2.3), Themis (themis.h) or themis_plus.h. Chunks are equal except with
// themis_plus.
ChunkSchedule plan_chunks(const LatencyModel& model, const CompileRequest& request);

// The model used to plan and order a request's chunks. The simulation of Themis models only links and steps
// (Sec. 4.6.2: it needs no detailed network); the simulation of themis_plus also models the machine's flits
// and routers.
LatencyModel latency_model(std::vector<DimensionModel> dimensions, const CompileRequest& request);

}  // namespace coppice::schedule

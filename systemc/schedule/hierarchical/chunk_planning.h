#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/themis_plus.h"

namespace coppice::schedule {

// Returns CompileRequest::chunks or, if the number is automatic, 64 (Themis, Sec. 5.3). If the data has too
// few elements for 64 chunks, the automatic number is smaller.
int chunk_count(const LatencyModel& model, const CompileRequest& request);

// Plans the order in which each chunk of a collective traverses the dimensions. CompileRequest::chunk_policy
// selects the method: the baseline (Themis, Sec. 2.3), Themis (themis.h) or themis_plus.h. Chunks have equal
// sizes except with themis_plus.
ChunkSchedule plan_chunks(const LatencyModel& model, const CompileRequest& request);

// Returns the model with which the chunks of a request are planned and ordered. For Themis, it models only
// links and steps, because the paper's simulation needs no detailed network (Sec. 4.6.2). For themis_plus, it
// also models the machine's flits and routers.
LatencyModel latency_model(std::vector<DimensionModel> dimensions, const CompileRequest& request);

}  // namespace coppice::schedule

#pragma once

#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/hierarchical/themis_plus.h"

namespace coppice::schedule {

// CompileRequest::chunks, or the paper's 64 (Themis, Sec. 5.3), fewer if the data has too few elements.
int chunk_count(const LatencyModel& model, const CompileRequest& request);

// The paths of the chunks of a request's collective, by CompileRequest::chunk_policy: the baseline's (Themis,
// Sec. 2.3), those of Themis (themis.h) or those of themis_plus.h. Chunks are equal except with themis_plus;
// the automatic number is 64 (Themis, Sec. 5.3).
ChunkSchedule plan_chunks(const LatencyModel& model, const CompileRequest& request);

// The model by which a request's chunks are planned and take their turns. Themis' own pre-simulation knows
// links and steps only (Sec. 4.6.2: it needs no detailed network), themis_plus the machine's flits and
// routers as well.
LatencyModel latency_model(std::vector<DimensionModel> dimensions, const CompileRequest& request);

}  // namespace coppice::schedule

#pragma once

#include "system/cluster/cluster_plan.h"

namespace coppice::system {

// The part of a routing study on which the error of fluid times is measured: the first all-reduce of every
// job, all at once, when flows of all jobs share links.
struct StudySample {
  ClusterPlan plan;
  double scale = 1;  // of the bytes of its all-reduces
};

// `flit_bytes`: of a flit; `flit_hops`: about the most that the sample may take. Messages keep one flit at
// least.
StudySample sample_of(const ClusterPlan& plan, Bytes flit_bytes, double flit_hops);

}  // namespace coppice::system

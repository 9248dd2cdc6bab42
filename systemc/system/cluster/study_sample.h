#pragma once

#include "system/cluster/cluster_plan.h"

namespace coppice::system {

// The sample of a routing study on which the error of fluid times is measured: the first all-reduces of all
// jobs, run simultaneously so that flows of all jobs share links.
struct StudySample {
  ClusterPlan plan;
  double scale = 1;  // factor on the bytes of its all-reduces
};

// `flit_hops`: approximate limit for the sample. Messages keep at least one flit.
StudySample sample_of(const ClusterPlan& plan, Bytes flit_bytes, double flit_hops);

}  // namespace coppice::system

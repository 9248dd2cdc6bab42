#pragma once

#include "system/cluster/cluster_plan.h"

namespace coppice::system {

// The sample of a routing study on which the error of fluid times is measured: the first all-reduces of all
// jobs, started at the same time so that flows of different jobs share links.
struct StudySample {
  ClusterPlan plan;
  double scale = 1;  // the factor by which the all-reduces' sizes have been multiplied
};

// `flit_hops`: the approximate maximum number of flit-hops in the whole sample. Every message keeps at least
// one flit.
StudySample sample_of(const ClusterPlan& plan, Bytes flit_bytes, double flit_hops);

}  // namespace coppice::system

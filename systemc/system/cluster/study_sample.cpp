#include "system/cluster/study_sample.h"

#include <algorithm>
#include <cmath>

namespace coppice::system {
namespace {

// A path crosses the channels from the NIC to a ToR, a spine, the other ToR and the destination's NIC.
constexpr double kChannelsOfPath = 4;

double flit_hops_of(const PlannedJob& job, Bytes flit_bytes) {
  const double rounds = 2.0 * (job.replicas - 1);
  const double flits = 1 + static_cast<double>(job.message) / static_cast<double>(flit_bytes);
  return kChannelsOfPath * job.copy * job.replicas * rounds * flits;
}

// Scales `bytes` and rounds the result up to a multiple of `unit`, but never above `bytes`.
Bytes scaled(Bytes bytes, double scale, Bytes unit) {
  const auto units =
      static_cast<Bytes>(std::ceil(static_cast<double>(bytes) * scale / static_cast<double>(unit)));
  return std::min(bytes, std::max<Bytes>(units, 1) * unit);
}

}  // namespace

StudySample sample_of(const ClusterPlan& plan, Bytes flit_bytes, double flit_hops) {
  double work = 0;
  for (const PlannedJob& job : plan.jobs) work += flit_hops_of(job, flit_bytes);
  StudySample sample{.plan = plan, .scale = std::min(1.0, flit_hops / std::max(work, 1.0))};
  for (PlannedJob& job : sample.plan.jobs) {
    job.gradient = scaled(job.gradient, sample.scale, flit_bytes * job.replicas);
    job.message = scaled(job.message, sample.scale, flit_bytes);
    job.arrival = 0;
    job.compute = 0;
  }
  return sample;
}

}  // namespace coppice::system

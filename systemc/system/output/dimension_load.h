#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "base/units.h"
#include "schedule/tables/schedule.h"
#include "topology/topology.h"

namespace coppice::system {

class DimensionActivity;

// The number of bytes that accelerators send in each dimension of a hierarchy, including forwarded bytes.
class DimensionLoad {
 public:
  // The topology must have dimensions and outlive this object.
  explicit DimensionLoad(const topology::Topology& topology)
      : topology_(topology), bytes_(topology.dimension_kinds().size(), 0) {}

  // Adds the messages of a schedule. Its tables belong to the nodes `interfaces` of the topology.
  void add(const schedule::Schedule& schedule, const std::vector<topology::NodeId>& interfaces);

  // Writes `dimensions`, a list of {kind, size, bandwidth_gb_s, bytes_per_accelerator, utilization, activity,
  // busy}, for a run that ended at `end`, and `window_ns`, the window length of `activity` and `busy`. The
  // bandwidth is that of an accelerator, summed over its links in the dimension. Utilization counts data
  // without heads.
  void write(const DimensionActivity* activity, Femtoseconds end, nlohmann::ordered_json& result) const;

 private:
  std::vector<double> bandwidths() const;

  const topology::Topology& topology_;
  std::vector<Bytes> bytes_;  // [dimension]: the bytes that accelerators send
};

}  // namespace coppice::system

#pragma once

#include <memory>
#include <vector>

#include "ni/issue/route_override.h"
#include "routing/instance.h"
#include "topology/networks/clos.h"

namespace coppice::system {

// The paths that the hosts' NICs use. Each accelerator is the source of at most one flow, which crosses the
// spine that was last set for it.
class HostPaths final : public ni::PathTable {
 public:
  // `clos` must outlive the table. Flow i is flows[i]; no accelerator is the source of two flows.
  HostPaths(const topology::Clos& clos, std::vector<routing::Flow> flows, int vcs);

  const std::vector<routing::Flow>& flows() const { return flows_; }
  int spine(std::size_t flow) const { return spines_[flow]; }
  void set_spine(std::size_t flow, int spine) { spines_[flow] = spine; }
  const topology::Route& route_of(std::size_t flow) const;

  // Throws ModelError if the pair has no flow.
  const topology::Route& route(topology::NodeId src, topology::NodeId dst) const override;

 private:
  const topology::Clos* clos_;
  std::vector<routing::Flow> flows_;
  int vcs_;
  std::vector<int> spines_;            // [flow]: the spine that it crosses
  std::vector<std::int64_t> flow_of_;  // [source accelerator]: its flow; -1: none
  // [flow][spine + 1]. Routes are created on first use and never destroyed, since a message keeps the route
  // on which it started.
  mutable std::vector<std::vector<std::unique_ptr<const topology::Route>>> routes_;
};

}  // namespace coppice::system

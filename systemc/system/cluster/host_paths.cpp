#include "system/cluster/host_paths.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace coppice::system {

HostPaths::HostPaths(const topology::Clos& clos, std::vector<routing::Flow> flows, int vcs)
    : clos_(&clos),
      flows_(std::move(flows)),
      vcs_(vcs),
      spines_(flows_.size(), routing::kNoSpine),
      flow_of_(static_cast<std::size_t>(clos.topology().num_accelerators()), -1),
      routes_(flows_.size()) {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    flow_of_[static_cast<std::size_t>(flows_[i].src)] = static_cast<std::int64_t>(i);
    routes_[i].resize(static_cast<std::size_t>(clos.spines()) + 1);
  }
}

const topology::Route& HostPaths::route_of(std::size_t flow) const {
  auto& route = routes_[flow][static_cast<std::size_t>(spines_[flow] + 1)];
  if (!route) {
    route = std::make_unique<const topology::Route>(
        clos_->route(flows_[flow].src, flows_[flow].dst, spines_[flow], vcs_));
  }
  return *route;
}

const topology::Route& HostPaths::route(topology::NodeId src, topology::NodeId dst) const {
  const std::int64_t flow = flow_of_[static_cast<std::size_t>(src)];
  if (flow < 0 || flows_[static_cast<std::size_t>(flow)].dst != dst) {
    throw ModelError(fmt::format("accelerator {} has no path to {}", src, dst));
  }
  return route_of(static_cast<std::size_t>(flow));
}

}  // namespace coppice::system

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/settings/config.h"
#include "fabric/route_changes.h"
#include "routing/methods.h"
#include "system/cluster/cluster_plan.h"
#include "system/cluster/host_paths.h"
#include "system/cluster/job_statistics.h"
#include "system/cluster/path_controller.h"
#include "topology/networks/clos.h"

namespace coppice::system {

// The paths of all jobs' flows during a study: hashed by switches, assigned by the controller, or moved away
// from failed spines. If the fabric supports it, flows in progress also move to a new path.
class FlowPaths {
 public:
  // The controller's assignment of spines to the flows that were communicating when it was asked.
  struct Decision {
    std::vector<std::size_t> flows;
    PathAnswer answer;
  };
  struct Fallback {
    std::int64_t moved = 0;
    bool communicates = false;  // whether any flow that the controller assigns is communicating
  };

  // References must outlive this object. `vcs`: the number of virtual channels per router input.
  FlowPaths(const config::RoutingConfig& config, std::uint64_t seed, int vcs, const topology::Clos& clos,
            const ClusterPlan& plan);

  // Sets the fabric that carries the flows, so that flows in progress can move to new paths; nullptr if the
  // fabric looks up a message's path only when the message starts.
  void attach(fabric::RouteChanges* fabric) { fabric_ = fabric; }
  const HostPaths& table() const { return paths_; }
  const AssignmentStatistics& assignments() const { return assignments_; }

  // Whether the controller assigns a job's flows.
  bool controlled(std::size_t job) const;
  // Call begin() when a job starts to communicate, and end() when it stops. Until the controller has assigned
  // paths to the job's flows, their paths are hashed.
  void begin(std::size_t job);
  void end(std::size_t job) { communicates_[job] = false; }
  bool any_communicates() const;

  // Asks the controller for the paths of all communicating flows. Throws a ModelError that names the jobs
  // that cannot be routed.
  Decision decide();
  // Delivers the decision to the hosts, which ignore it for flows that have ended or whose new spine has
  // failed.
  void apply(const Decision& decision);

  // Makes a spine fail: its channels stop, and the controller learns of the failure.
  void fail(int spine);
  // Moves flows that have lost their path, and all unassigned flows, to live spines by hashing. Throws
  // ModelError if no live spine can carry a flow.
  Fallback fall_back(int spine);

 private:
  bool elephants(std::size_t job) const { return plan_->jobs[job].message >= config_->controller.elephant; }
  bool communicates(const routing::Flow& flow) const {
    return communicates_[static_cast<std::size_t>(flow.job)];
  }
  void move(std::size_t flow, int spine);
  PathAnswer assign(const std::vector<routing::Flow>& flows, const std::vector<int>& previous);
  std::string unroutable(const routing::UnroutableError& error,
                         const std::vector<routing::Flow>& flows) const;

  const config::RoutingConfig* config_;
  const topology::Clos* clos_;
  const ClusterPlan* plan_;
  Controller controller_;
  HostPaths paths_;
  fabric::RouteChanges* fabric_ = nullptr;
  std::vector<std::size_t> first_flow_;  // [job]: index of its first flow in paths_
  std::vector<bool> communicates_;       // [job]: whether it is communicating
  std::set<std::size_t> assigned_;       // flows on a path assigned by the controller
  AssignmentStatistics assignments_;
};

}  // namespace coppice::system

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "config/settings/config.h"
#include "routing/ecmp.h"
#include "routing/instance.h"
#include "routing/methods.h"

namespace coppice::system {

// The controller's answer to a request for paths, and its cost.
struct PathAnswer {
  routing::Assignment spines;
  double seconds = 0;     // CPU time of the assignment alone
  std::size_t moved = 0;  // number of flows that were moved to another spine
  int max_load = 0;
  int lower_bound = 0;
};

// The centralised controller of "Routing for Large ML Models", Sec. 3.2. It uses the configured method to
// assign a spine to every communicating flow, given the links that are alive.
class Controller {
 public:
  Controller(const config::RoutingConfig& config, routing::ClosLinks links, std::uint64_t seed);

  // `previous`: the flows' current spines, or kNoSpine for new flows; the method `optimal` tries to keep
  // them. Throws UnroutableError, and ModelError if the integer program does not finish.
  PathAnswer assign(std::span<const routing::Flow> flows, std::span<const int> previous);
  // The spine to which switches hash an unassigned flow.
  int hashed(const routing::Flow& flow) const;

  const routing::ClosLinks& links() const { return links_; }
  void fail_spine(int spine) { links_.set_spine(spine, false); }

 private:
  bool keeps_flows_;
  routing::ClosLinks links_;
  routing::Ecmp hash_;
  std::unique_ptr<routing::PathAssigner> assigner_;
};

}  // namespace coppice::system

#include "system/cluster/path_controller.h"

#include <utility>

#include "routing/optimal.h"
#include "system/process/cost_meter.h"

namespace coppice::system {

Controller::Controller(const config::RoutingConfig& config, routing::ClosLinks links, std::uint64_t seed)
    : keeps_flows_(config.method == "optimal"),
      links_(std::move(links)),
      hash_(seed),
      assigner_(routing::make_assigner(config.method, {.seed = seed})) {}

PathAnswer Controller::assign(std::span<const routing::Flow> flows, std::span<const int> previous) {
  PathAnswer answer;
  const double start = cpu_seconds();
  if (keeps_flows_) {
    answer.spines = routing::reassign(links_, flows, previous).spines;
  } else {
    answer.spines = assigner_->assign(links_, flows);
  }
  answer.seconds = cpu_seconds() - start;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (previous[i] != routing::kNoSpine && previous[i] != answer.spines[i]) ++answer.moved;
  }
  answer.max_load = routing::max_load(links_, flows, answer.spines);
  answer.lower_bound = routing::lower_bound(links_, flows);
  return answer;
}

int Controller::hashed(const routing::Flow& flow) const {
  if (flow.local()) return routing::kNoSpine;
  return hash_.pick(links_, flow.src_tor, flow.dst_tor, hash_.tuple(flow.src, flow.dst));
}

}  // namespace coppice::system

#include "system/cluster/flow_paths.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "system/cluster/timed_actions.h"

namespace coppice::system {
namespace {

double now_in_seconds() {
  return static_cast<double>(Conductor::now()) / static_cast<double>(kFemtosecondsPerSecond);
}

std::vector<routing::Flow> all_flows(const ClusterPlan& plan) {
  std::vector<routing::Flow> flows;
  for (const PlannedJob& job : plan.jobs) flows.insert(flows.end(), job.flows.begin(), job.flows.end());
  return flows;
}

}  // namespace

FlowPaths::FlowPaths(const config::RoutingConfig& config, std::uint64_t seed, int vcs,
                     const topology::Clos& clos, const ClusterPlan& plan)
    : config_(&config),
      clos_(&clos),
      plan_(&plan),
      controller_(config, routing::ClosLinks(clos), seed),
      paths_(clos, all_flows(plan), vcs),
      communicates_(plan.jobs.size(), false) {
  std::size_t first = 0;
  for (const PlannedJob& job : plan.jobs) {
    first_flow_.push_back(first);
    first += job.flows.size();
  }
}

bool FlowPaths::controlled(std::size_t job) const {
  return config_->method != "ecmp" && elephants(job);
}

bool FlowPaths::any_communicates() const {
  return std::find(communicates_.begin(), communicates_.end(), true) != communicates_.end();
}

void FlowPaths::begin(std::size_t job) {
  communicates_[job] = true;
  for (std::size_t i = 0; i < plan_->jobs[job].flows.size(); ++i) {
    const std::size_t flow = first_flow_[job] + i;
    assigned_.erase(flow);
    move(flow, controller_.hashed(paths_.flows()[flow]));
  }
}

FlowPaths::Decision FlowPaths::decide() {
  Decision decision;
  std::vector<routing::Flow> flows;
  std::vector<int> previous;
  for (std::size_t j = 0; j < plan_->jobs.size(); ++j) {
    if (!communicates_[j] || !elephants(j)) continue;
    for (std::size_t i = 0; i < plan_->jobs[j].flows.size(); ++i) {
      const std::size_t flow = first_flow_[j] + i;
      decision.flows.push_back(flow);
      flows.push_back(paths_.flows()[flow]);
      previous.push_back(assigned_.contains(flow) ? paths_.spine(flow) : routing::kNoSpine);
    }
  }
  decision.answer = assign(flows, previous);
  return decision;
}

PathAnswer FlowPaths::assign(const std::vector<routing::Flow>& flows, const std::vector<int>& previous) {
  try {
    PathAnswer answer = controller_.assign(flows, previous);
    assignments_.add(flows.size(), answer);
    return answer;
  } catch (const routing::UnroutableError& error) {
    throw ModelError(unroutable(error, flows));
  }
}

std::string FlowPaths::unroutable(const routing::UnroutableError& error,
                                  const std::vector<routing::Flow>& flows) const {
  std::set<int> jobs;
  for (const std::size_t i : error.flows()) jobs.insert(flows[i].job);
  std::string names;
  for (const int j : jobs) {
    names +=
        fmt::format("{}{} ({})", names.empty() ? "" : ", ", j, plan_->jobs[static_cast<std::size_t>(j)].name);
  }
  return fmt::format("at {:.6f} s, flows of job {} cannot be routed: {}", now_in_seconds(), names,
                     error.what());
}

void FlowPaths::apply(const Decision& decision) {
  for (std::size_t k = 0; k < decision.flows.size(); ++k) {
    const std::size_t i = decision.flows[k];
    const int spine = decision.answer.spines[k];
    const routing::Flow& flow = paths_.flows()[i];
    if (!communicates(flow) || flow.local()) continue;
    // Skips flows whose spine has failed since the decision was made.
    if (!controller_.links().usable(flow.src_tor, spine, flow.dst_tor)) continue;
    assigned_.insert(i);
    move(i, spine);
  }
}

void FlowPaths::move(std::size_t flow, int spine) {
  if (paths_.spine(flow) == spine) return;
  paths_.set_spine(flow, spine);
  if (fabric_ == nullptr) return;
  const routing::Flow& moved = paths_.flows()[flow];
  fabric_->reroute(moved.src, 0, moved.dst, paths_.route_of(flow));
}

void FlowPaths::fail(int spine) {
  controller_.fail_spine(spine);
  if (fabric_ == nullptr) throw ModelError("spines can fail during a run only at fidelity fluid");
  for (int tor = 0; tor < clos_->tors(); ++tor) {
    for (const topology::ChannelId channel : {clos_->up(tor, spine), clos_->down(spine, tor)}) {
      if (channel >= 0) fabric_->set_channel(channel, false);
    }
  }
}

FlowPaths::Fallback FlowPaths::fall_back(int spine) {
  Fallback fallback;
  for (std::size_t i = 0; i < paths_.flows().size(); ++i) {
    const routing::Flow& flow = paths_.flows()[i];
    if (flow.local()) continue;
    const int hashed = controller_.hashed(flow);
    if (hashed == routing::kNoSpine) {
      throw ModelError(fmt::format(
          "at {:.6f} s, flow {}->{} of job {} ({}) cannot be routed: no live spine joins ToR {} and ToR {}",
          now_in_seconds(), flow.src, flow.dst, flow.job,
          plan_->jobs[static_cast<std::size_t>(flow.job)].name, flow.src_tor, flow.dst_tor));
    }
    const bool by_hash = !controlled(static_cast<std::size_t>(flow.job));
    if (by_hash || paths_.spine(i) == spine) {
      fallback.moved += paths_.spine(i) != hashed ? 1 : 0;
      move(i, hashed);
    }
    fallback.communicates = fallback.communicates || (!by_hash && communicates(flow));
  }
  return fallback;
}

}  // namespace coppice::system

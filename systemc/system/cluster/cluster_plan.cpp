#include "system/cluster/cluster_plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"
#include "config/settings/shape.h"
#include "routing/placement.h"
#include "system/machine/build.h"
#include "workload/large_model.h"

namespace coppice::system {
namespace {

using topology::NodeId;

[[noreturn]] void refuse(const config::Loaded& loaded, const std::string& key, const std::string& why) {
  throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, why));
}

// The configured failures, and the failures of `routing.random_failures` other spines that the seed selects.
topology::ClosFailures with_random_failures(const config::Loaded& loaded) {
  const config::Config& config = loaded.config;
  topology::ClosFailures failures = config.failures;
  auto& failed = failures.spines;
  std::vector<int> alive(
      static_cast<std::size_t>(config.system.topology.dims.size() == 3 ? config.system.topology.dims[2] : 0));
  std::iota(alive.begin(), alive.end(), 0);
  std::erase_if(alive, [&](int spine) { return std::ranges::find(failed, spine) != failed.end(); });
  const auto spines = static_cast<int>(alive.size());
  if (config.routing.random_failures > 0 && config.routing.random_failures >= spines) {
    refuse(loaded, "routing.random_failures",
           fmt::format("{} random failures leave none of the {} working spines: write fewer",
                       config.routing.random_failures, spines));
  }
  Random random(config.seed, 0x6661696c);
  for (int i = 0; i < config.routing.random_failures; ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::swap(alive[at], alive[at + random.below(alive.size() - at)]);
    failed.push_back(alive[at]);
  }
  return failures;
}

PlannedJob plan_job(const config::RoutingConfig& routing, const config::RoutedJobConfig& job) {
  PlannedJob planned;
  planned.name = job.model.empty() ? "custom" : job.model;
  planned.replicas = job.data_parallel;
  if (const auto model = workload::find_large_model(job.model)) {
    planned.copy = model->copy();
    planned.gradient = model->gradient_bytes();
    planned.compute =
        routing.compute == config::ComputeTime::kPublished
            ? model->published_compute
            : workload::physical_compute(*model, model->copy() * job.data_parallel, routing.utilization);
  }
  planned.copy = job.copy.value_or(planned.copy);
  planned.gradient = job.gradient.value_or(planned.gradient);
  planned.compute = job.compute.value_or(planned.compute);
  planned.message = schedule::split_into_chunks(planned.gradient, 4, planned.replicas).front().bytes;
  return planned;
}

void place(const config::Loaded& loaded, const topology::Clos& clos, std::vector<PlannedJob>& jobs) {
  const config::RoutingConfig& routing = loaded.config.routing;
  if (clos.per_tor() % routing.host != 0) {
    refuse(loaded, "routing.host",
           fmt::format(
               "a ToR's {1} accelerators cannot be divided evenly into hosts of {0}: write a divisor of {1}",
               routing.host, clos.per_tor()));
  }
  std::vector<routing::JobShape> shapes;
  for (const PlannedJob& job : jobs) shapes.push_back({job.copy, job.replicas});
  const auto places = routing::place_jobs({clos.per_tor(), clos.tors(), routing.host}, shapes,
                                          routing.placement, loaded.config.seed);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    PlannedJob& job = jobs[j];
    if (places[j].empty()) {
      refuse(loaded, fmt::format("routing.jobs[{}]", j),
             fmt::format(
                 "{} needs {} copies of {} accelerators, but too few hosts are free (accelerators of the "
                 "network: {}, accelerators per host: {}, earlier jobs: {}): write fewer copies or jobs",
                 job.name, job.replicas, job.copy, clos.topology().num_accelerators(), routing.host, j));
    }
    for (int rank = 0; rank < job.copy; ++rank) {
      std::vector<NodeId> ring;
      for (const auto& copy : places[j]) ring.push_back(copy[static_cast<std::size_t>(rank)]);
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const NodeId src = ring[i];
        const NodeId dst = ring[(i + 1) % ring.size()];
        job.flows.push_back({src, dst, clos.tor_of(src), clos.tor_of(dst), static_cast<int>(j)});
      }
      job.rings.push_back(std::move(ring));
    }
  }
}

void draw_arrivals(const config::Loaded& loaded, std::vector<PlannedJob>& jobs) {
  Random random(loaded.config.seed, 0x61727269);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const double drawn = random.uniform() * static_cast<double>(loaded.config.routing.arrival_window);
    jobs[j].arrival = loaded.config.routing.jobs[j].arrival.value_or(static_cast<Femtoseconds>(drawn));
  }
}

void require_paths(const config::Loaded& loaded, const topology::Clos& clos,
                   const std::vector<PlannedJob>& jobs) {
  const routing::ClosLinks links(clos);
  std::string lost;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    try {
      routing::require_routable(links, jobs[j].flows);
    } catch (const routing::UnroutableError& error) {
      lost += fmt::format("{}job {} ({}): {}", lost.empty() ? "" : "; ", j, jobs[j].name, error.what());
    }
  }
  if (lost.empty()) return;
  const bool by_links = !loaded.config.failures.links.empty();
  const std::string key = by_links ? "system.topology.failed_links" : "system.topology.failed_spines";
  refuse(loaded, key, "flows cannot be routed: " + lost);
}

}  // namespace

ClusterPlan plan_cluster(const config::Loaded& loaded) {
  const topology::KindInfo& kind = *config::kind_of(loaded.config);
  if (kind.kind != topology::Kind::kClos) {
    refuse(loaded, "system.topology.kind",
           fmt::format("a routing study needs {0}, not {1}: write {0}", to_string(topology::Kind::kClos),
                       kind.name));
  }
  const topology::ClosFailures failures = with_random_failures(loaded);
  ClusterPlan plan{build_topology(loaded, failures), failures.spines, {}};
  const topology::Clos clos(plan.topology);
  for (const auto& job : loaded.config.routing.jobs) {
    plan.jobs.push_back(plan_job(loaded.config.routing, job));
    const PlannedJob& planned = plan.jobs.back();
    if (planned.gradient / 4 < planned.replicas) {
      refuse(
          loaded, fmt::format("routing.jobs[{}]", plan.jobs.size() - 1),
          fmt::format(
              "a gradient of {} has less than one element for each of {} replicas: write a larger gradient",
              format_bytes(planned.gradient), planned.replicas));
    }
  }
  place(loaded, clos, plan.jobs);
  draw_arrivals(loaded, plan.jobs);
  require_paths(loaded, clos, plan.jobs);
  for (std::size_t i = 0; i < loaded.config.routing.failures.size(); ++i) {
    const int spine = loaded.config.routing.failures[i].spine;
    if (spine < clos.spines()) continue;
    refuse(loaded, fmt::format("routing.failures[{}]", i),
           fmt::format("spine {} does not exist: the spines are 0 to {}", spine, clos.spines() - 1));
  }
  return plan;
}

}  // namespace coppice::system

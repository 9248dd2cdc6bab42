#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/loader.h"
#include "schedule/automatic/automatic.h"
#include "schedule/compile/latency_model.h"
#include "schedule/proof/checker.h"
#include "schedule/tables/ni_overhead.h"
#include "schedule/tables/schedule.h"
#include "topology/bounds/bound.h"
#include "topology/networks/clos.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"
#include "workload/collective_spec.h"

namespace coppice::system {

// Builds the machine's graph, routing and tables from the typed configuration. An UnsupportedError of a lower
// layer is rethrown as a ConfigError at the responsible key.

topology::Topology build_topology(const config::Loaded& loaded);
// Uses `failures` instead of the configured ones.
topology::Topology build_topology(const config::Loaded& loaded, const topology::ClosFailures& failures);

// Warnings about link keys that have no effect because the graph file states values for every channel,
// formatted like the warnings of config::ineffective_keys(). Reads the graph file.
std::vector<std::string> overridden_link_keys(const config::Loaded& loaded, config::Purpose purpose);

std::unique_ptr<topology::RoutingFunction> build_routing(const config::Loaded& loaded,
                                                         const topology::Topology& topology);

// NI ports per accelerator: `system.ni.ports`, or one per out-channel of an accelerator.
int resolve_ni_ports(const config::Config& config, const topology::Topology& topology);

// The machine's timing of a schedule step, with `protocol` if given.
schedule::StepTiming step_timing(const config::SystemConfig& system,
                                 const std::optional<schedule::Protocol>& protocol = {});

// The size-independent cost of a schedule's step, alpha in the cost model: message setup, the longest channel
// (twice if there are switches), memory and the adder.
Femtoseconds step_latency(const config::SystemConfig& system, const topology::Topology& topology,
                          const std::optional<schedule::Protocol>& protocol = {});

// `bytes` rounded up to whole fp32 elements, but at least `least`.
Bytes padded_size(Bytes bytes, Bytes least);
// The size of a collective, padded to at least one element per accelerator, or per piece of a chunk that
// moves through dimensions; a rooted collective needs only one element.
Bytes padded_size(const workload::CollectiveSpec& spec, const config::SystemConfig& system, int accelerators);

// Throws ConfigError at `collective.root` for an accelerator that does not exist.
void require_root(const config::Loaded& loaded, const workload::CollectiveSpec& spec,
                  const topology::Topology& topology);

// Compiles any collective except an all-to-all among all accelerators of `topology`, and proves the result
// correct and its channel dependencies acyclic. `loaded` provides the machine and the key locations for
// errors. `pattern_beyond` overrides CompileRequest::pattern_beyond.
struct CheckedSchedule {
  schedule::Schedule schedule;
  schedule::CheckReport report;
  std::vector<schedule::ExpectedTime>
      expected{};  // for algorithm auto: all candidates, fastest (the choice) first
};
CheckedSchedule build_schedule(const config::Loaded& loaded, const workload::CollectiveSpec& spec,
                               const topology::Topology& topology, const topology::RoutingFunction& routing,
                               std::optional<int> pattern_beyond = std::nullopt);

// The hardware cost of the schedule's tables, and of its messages' flits under the system's flow control.
schedule::NiOverhead ni_overhead(const config::SystemConfig& system, const topology::Topology& topology,
                                 const schedule::Schedule& schedule);

// Throws a ConfigError at `system.router.vcs` that names the cycle if `routing` could deadlock.
void require_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                           const topology::RoutingFunction& routing);

}  // namespace coppice::system

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

// Builds the machine's network, routing and tables from the configuration. If a lower layer throws an
// UnsupportedError, it is rethrown as a ConfigError at the responsible key.

topology::Topology build_topology(const config::Loaded& loaded);
// Applies `failures` instead of the configured failures.
topology::Topology build_topology(const config::Loaded& loaded, const topology::ClosFailures& failures);

// Warns about link keys that have no effect because the graph file sets a value for every channel. The
// warnings are formatted like those of config::ineffective_keys(). Reads the graph file.
std::vector<std::string> overridden_link_keys(const config::Loaded& loaded, config::Purpose purpose);

std::unique_ptr<topology::RoutingFunction> build_routing(const config::Loaded& loaded,
                                                         const topology::Topology& topology);

// The number of NI ports per accelerator: `system.ni.ports` if set, otherwise the number of channels that
// leave an accelerator.
int resolve_ni_ports(const config::Config& config, const topology::Topology& topology);

// How long the parts of a schedule step take on the machine, with `protocol` if there is one.
schedule::StepTiming step_timing(const config::SystemConfig& system,
                                 const std::optional<schedule::Protocol>& protocol = {});

// The part of a step's cost that does not depend on its size (alpha in the cost model): message setup, the
// latency of the slowest channel (doubled if there are switches), and the delays of memory and adder.
Femtoseconds step_latency(const config::SystemConfig& system, const topology::Topology& topology,
                          const std::optional<schedule::Protocol>& protocol = {});

// Rounds `bytes` up to whole fp32 elements, and to at least `least`.
Bytes padded_size(Bytes bytes, Bytes least);
// The size of a collective, padded so that every accelerator has at least one element. If chunks move through
// dimensions, every piece of a chunk needs an element; a rooted collective needs only one element in total.
Bytes padded_size(const workload::CollectiveSpec& spec, const config::SystemConfig& system, int accelerators);

// Throws ConfigError at `collective.root` if the root is not an accelerator of the network.
void require_root(const config::Loaded& loaded, const workload::CollectiveSpec& spec,
                  const topology::Topology& topology);

// A compiled or imported schedule. build_schedule() builds any collective among all accelerators of
// `topology` except an all-to-all, and proves that it is correct and that its routes cannot deadlock.
// `loaded` provides the machine and the locations of keys for errors. `pattern_beyond` overrides
// CompileRequest::pattern_beyond.
struct CheckedSchedule {
  schedule::Schedule schedule;
  schedule::CheckReport report;
  // For algorithm `auto`: all candidates. The first one is the fastest and is chosen.
  std::vector<schedule::ExpectedTime> expected{};
};
CheckedSchedule build_schedule(const config::Loaded& loaded, const workload::CollectiveSpec& spec,
                               const topology::Topology& topology, const topology::RoutingFunction& routing,
                               std::optional<int> pattern_beyond = std::nullopt);

// The hardware cost of the schedule's tables in a network interface.
schedule::NiOverhead ni_overhead(const config::SystemConfig& system, const topology::Topology& topology,
                                 const schedule::Schedule& schedule);

// Throws a ConfigError at `system.router.vcs` that names the cycle of channels if `routing` could deadlock.
void require_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                           const topology::RoutingFunction& routing);

}  // namespace coppice::system

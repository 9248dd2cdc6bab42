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

// From the typed configuration to the machine's graph, routing and tables. Every UnsupportedError of a lower
// folder is rethrown as a ConfigError at the responsible key.

topology::Topology build_topology(const config::Loaded& loaded);
// Uses these failures instead of the configured ones.
topology::Topology build_topology(const config::Loaded& loaded, const topology::ClosFailures& failures);

// Warnings about link keys without effect because every channel of the graph file has its own values, in the
// form of config::ineffective_keys(); this is known only once the file is read.
std::vector<std::string> overridden_link_keys(const config::Loaded& loaded, config::Purpose purpose);

std::unique_ptr<topology::RoutingFunction> build_routing(const config::Loaded& loaded,
                                                         const topology::Topology& topology);

// NI ports per accelerator: `system.ni.ports`, or one per out-channel of an accelerator.
int resolve_ni_ports(const config::Config& config, const topology::Topology& topology);

// The time that the machine adds to every step of a schedule's messages, sent by a protocol if there is one.
schedule::StepTiming step_timing(const config::SystemConfig& system,
                                 const std::optional<schedule::Protocol>& protocol = {});

// The cost of a schedule's step apart from bytes: setting up the message, the longest channel (two of them
// with switches), memory and the adder. This is alpha of the cost model.
Femtoseconds step_latency(const config::SystemConfig& system, const topology::Topology& topology,
                          const std::optional<schedule::Protocol>& protocol = {});

// The bytes that a collective of `bytes` moves: whole fp32 elements, at least `least` bytes.
Bytes padded_size(Bytes bytes, Bytes least);
// The size of a collective, padded to one element for every accelerator, or for every piece of a chunk that
// moves through dimensions; one element if the root owns all the data.
Bytes padded_size(const workload::CollectiveSpec& spec, const config::SystemConfig& system, int accelerators);

// Throws ConfigError at `collective.root` for an accelerator that does not exist.
void require_root(const config::Loaded& loaded, const workload::CollectiveSpec& spec,
                  const topology::Topology& topology);

// Compiles a collective among all accelerators of `topology`, except an all-to-all, and proves it right and
// its channel dependencies acyclic. `loaded` provides the machine and the locations of keys for errors.
// `pattern_beyond` overrides that of CompileRequest.
struct CheckedSchedule {
  schedule::Schedule schedule;
  schedule::CheckReport report;
  std::vector<schedule::ExpectedTime>
      expected{};  // for algorithm auto: its choice and the other candidates, the fastest first
};
CheckedSchedule build_schedule(const config::Loaded& loaded, const workload::CollectiveSpec& spec,
                               const topology::Topology& topology, const topology::RoutingFunction& routing,
                               std::optional<int> pattern_beyond = std::nullopt);

// The schedule's tables in hardware, with its messages under the system's flow control.
schedule::NiOverhead ni_overhead(const config::SystemConfig& system, const topology::Topology& topology,
                                 const schedule::Schedule& schedule);

// Throws ConfigError at `system.router.vcs` naming the cycle if `routing` could deadlock.
void require_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                           const topology::RoutingFunction& routing);

}  // namespace coppice::system

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
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::system {

// From the typed configuration to the machine's graph, routing and tables. Everything a lower folder refuses
// (UnsupportedError) is rethrown as a ConfigError at the key at fault.

topology::Topology build_topology(const config::Loaded& loaded);

// Warnings about link keys that have no effect because every channel of the graph file has its own values, in
// the form of config::ineffective_keys(): only the file shows it.
std::vector<std::string> overridden_link_keys(const config::Loaded& loaded, config::Purpose purpose);

std::unique_ptr<topology::RoutingFunction> build_routing(const config::Loaded& loaded,
                                                         const topology::Topology& topology);

// NI ports per accelerator: `system.ni.ports`, or one per out-channel of an accelerator.
int resolve_ni_ports(const config::Config& config, const topology::Topology& topology);

// The scheduler of a hierarchical collective and `collective.intra_dimension`, or the scheduler's default.
schedule::ChunkPolicy chunk_policy_of(const config::CollectiveConfig& collective);

// The time that the machine adds to every step of a schedule's messages.
schedule::StepTiming step_timing(const config::SystemConfig& system);

// The cost of a step of a schedule besides bytes: setting up the message, the longest channel (two of them
// with switches), memory and the adder. Alpha of the cost model.
Femtoseconds step_latency(const config::Config& config, const topology::Topology& topology);

// A broadcast is an all-gather and a reduce a reduce-scatter with all data at `collective.root`.
topology::Collective parse_collective(const std::string& op);

// Whether `collective.op` has a root.
bool has_root(const config::CollectiveConfig& collective);

// The bytes that a collective of `bytes` moves: whole elements of fp32, `least` bytes at least.
Bytes padded_size(Bytes bytes, Bytes least);
// `collective.size`, padded to an element for every accelerator, or for every piece of a chunk that moves
// through dimensions; one element if the root owns all the data.
Bytes padded_size(const config::Config& config, int accelerators);

// Throws ConfigError at `collective.root` for an accelerator that does not exist.
void require_root(const config::Loaded& loaded, const topology::Topology& topology);

// Compiles `collective` and proves it right; its channel dependencies are proven acyclic too.
// `pattern_beyond` overrides CompileRequest's.
struct CheckedSchedule {
  schedule::Schedule schedule;
  schedule::CheckReport report;
  std::vector<schedule::ExpectedTime>
      expected{};  // algorithm: auto: what it chose over what, the fastest first
};
CheckedSchedule build_schedule(const config::Loaded& loaded, const topology::Topology& topology,
                               const topology::RoutingFunction& routing,
                               std::optional<int> pattern_beyond = std::nullopt);

// The schedule's tables in hardware, its messages under the system's flow control.
schedule::NiOverhead ni_overhead(const config::SystemConfig& system, const topology::Topology& topology,
                                 const schedule::Schedule& schedule);

// Throws ConfigError at `system.router.vcs` naming the cycle if `routing` could deadlock.
void require_deadlock_free(const config::Loaded& loaded, const topology::Topology& topology,
                           const topology::RoutingFunction& routing);

}  // namespace coppice::system

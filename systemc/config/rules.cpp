#include "config/rules.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/usable_bandwidth.h"
#include "config/keys/dimensions.h"
#include "config/keys/parallel_keys.h"
#include "config/settings/link_limits.h"
#include "config/settings/shape.h"
#include "schedule/registry.h"
#include "topology/networks/kinds.h"

namespace coppice::config {
namespace {

std::string element(const std::string& path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

// The path of a link key's value for dimension d: an entry of the key's list if the key has several values,
// otherwise the key itself.
std::string link_key(const std::string& path, std::size_t values, std::size_t d) {
  return values == 1 ? path : element(path, d);
}

void check_list_length(const Loaded& loaded, const std::string& path, std::size_t values) {
  const TopologyConfig& topology = loaded.config.system.topology;
  const std::size_t levels = topology::num_link_levels(kind_of(loaded.config)->kind, topology.dims);
  const char* const level = is_grid(loaded.config) ? "dimension" : "level";
  if (values != 1 && values != levels) {
    throw ConfigError(loaded.place(path),
                      fmt::format("{} lists {} values for {} {}{}: write one value, or one per {}", path,
                                  values, levels, level, levels == 1 ? "" : "s", level));
  }
}

void check_bandwidth(const Loaded& loaded) {
  const SystemConfig& system = loaded.config.system;
  const auto& bandwidths = system.link.bandwidth;
  for (std::size_t d = 0; d < bandwidths.size(); ++d) {
    // The dimension has no links.
    if (bandwidths.size() > 1 && is_grid(loaded.config) && system.topology.dims[d] == 1) continue;
    const auto& shares = system.link.efficiency;
    const double share = d < shares.size() ? shares[d] : shares.front();
    const std::string objection = bandwidth_objection(system, usable_bandwidth(bandwidths[d], share));
    if (objection.empty()) continue;
    const std::string key = link_key("system.link.bandwidth", bandwidths.size(), d);
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, objection));
  }
}

void check_latency(const Loaded& loaded) {
  const SystemConfig& system = loaded.config.system;
  const auto& latencies = system.link.latency;
  for (std::size_t d = 0; d < latencies.size(); ++d) {
    const std::string objection = latency_objection(system, latencies[d]);
    if (objection.empty()) continue;
    const std::string key = link_key("system.link.latency", latencies.size(), d);
    throw ConfigError(loaded.place(key), fmt::format("{}: {}", key, objection));
  }
}

void check_datelines(const Loaded& loaded) {
  const SystemConfig& system = loaded.config.system;
  const auto& dims = system.topology.dims;
  const bool rings = kind_of(loaded.config)->wraps &&
                     std::any_of(dims.begin(), dims.end(), [](int width) { return width >= 3; });
  if (rings && system.router.vcs < 2) {
    throw ConfigError(loaded.place("system.router.vcs"),
                      fmt::format("system.router.vcs is {}, but a {} needs at least 2: packets use different "
                                  "virtual channels before and after the dateline of a ring",
                                  system.router.vcs, system.topology.kind));
  }
}

// Requires the payload to be a whole number of flits. If it is smaller than a flit, it was probably not
// adjusted when flits were made wider; the error then suggests the usual payload instead of a single flit,
// since a single flit after each head would halve the bandwidth.
void check_payload(const Loaded& loaded) {
  const SystemConfig& system = loaded.config.system;
  const Bytes payload = system.ni.payload;
  if (system.ni.flow_control != FlowControl::kPacket || payload % system.flit == 0) return;
  const Bytes advice =
      payload < system.flit ? usual_payload(system.flit) : (payload / system.flit + 1) * system.flit;
  throw ConfigError(
      loaded.place("system.ni.payload"),
      fmt::format("system.ni.payload is {}, which is not a whole number of flits of {}: write {}",
                  format_bytes(payload), format_bytes(system.flit), format_bytes(advice)));
}

void check_observed_nodes(const Loaded& loaded) {
  const std::int64_t accelerators = count_accelerators(loaded.config);
  if (accelerators == 0) return;  // only the graph file determines the number
  const auto& nodes = loaded.config.observe_nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] < accelerators) continue;
    const std::string key = element("observe.nodes", i);
    throw ConfigError(loaded.place(key), fmt::format("{} is {}, but the accelerators are numbered 0 to {}",
                                                     key, nodes[i], accelerators - 1));
  }
}

}  // namespace

void check_rules(const Loaded& loaded) {
  if (described_by(loaded.config, topology::DescribedBy::kDimensions)) {
    check_dimensions(loaded);
  } else {
    if (kind_of(loaded.config) == nullptr) return;  // computing the cost of layers needs no network
    check_list_length(loaded, "system.link.bandwidth", loaded.config.system.link.bandwidth.size());
    check_list_length(loaded, "system.link.latency", loaded.config.system.link.latency.size());
    check_list_length(loaded, "system.link.efficiency", loaded.config.system.link.efficiency.size());
    // Channels in a graph file may have values of their own, which the reader of the file checks.
    if (loaded.config.system.topology.kind != "file") {
      check_bandwidth(loaded);
      check_latency(loaded);
    }
  }
  check_datelines(loaded);
  check_payload(loaded);
  check_observed_nodes(loaded);
  check_parallel_training(loaded);
}

}  // namespace coppice::config

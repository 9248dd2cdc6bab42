#include "config/machine_fit.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/usable_bandwidth.h"
#include "config/files/network_file.h"
#include "config/keys/dimensions.h"
#include "config/settings/link_limits.h"
#include "config/settings/shape.h"
#include "topology/networks/hierarchy.h"
#include "topology/networks/kinds.h"

namespace coppice::config {
namespace {

constexpr const char* kFlit = "system.flit";
constexpr const char* kPayload = "system.ni.payload";
constexpr const char* kDepth = "system.router.vc_depth";

// The number of flits by which buffers exceed the credit loop, so that a packet's body can catch up with its
// head: two per router, for up to six routers.
constexpr Cycles kClosingUp = 12;

void add(std::vector<topology::LinkSpec>& links, const topology::LinkSpec& link) {
  const bool known = std::ranges::any_of(links, [&](const topology::LinkSpec& other) {
    return other.bandwidth == link.bandwidth && other.latency == link.latency;
  });
  if (!known) links.push_back(link);
}

// The links of the graph file. Assumptions about what the file does not specify are added to `assumptions`
// unless it is nullptr.
std::vector<topology::LinkSpec> links_of_graph(const Loaded& loaded,
                                               std::vector<std::string>* assumptions = nullptr) {
  const SystemConfig& system = loaded.config.system;
  std::vector<topology::LinkSpec> links;
  const topology::LinkSpec link{system.link.bandwidth.front(), system.link.latency.front()};
  try {
    const topology::GraphFile graph = read_network_file(
        system.topology.file,
        {.link = link, .efficiency = system.link.efficiency.front(), .cycle = system.clock.period()});
    if (assumptions != nullptr) *assumptions = graph.assumptions;
    for (const topology::Channel& channel : graph.topology.channels()) {
      add(links, {channel.bandwidth, channel.latency});
    }
  } catch (const UnsupportedError&) {
    return {};  // the builder of the network reports the error
  }
  return links;
}

Femtoseconds flit_time(const SystemConfig& system, Bandwidth bandwidth) {
  return std::max(system.clock.period(), transfer_time(system.flit, bandwidth));
}

// The buffer depth, in flits, that covers a link's credit loop. One flit is added if the flit time is not a
// whole number of cycles.
std::int64_t covering_depth(const SystemConfig& system, const topology::LinkSpec& link) {
  const Femtoseconds period = system.clock.period();
  const Femtoseconds loop = credit_loop(system, link.bandwidth, link.latency) * period;
  const Femtoseconds flit = flit_time(system, link.bandwidth);
  return (loop + flit - 1) / flit + (flit % period == 0 ? 0 : 1) + kClosingUp;
}

// Whether a value must be chosen because the key is not set or is `auto`, which is read as 0. If so, sets the
// value to `usual`.
template <typename Value>
bool open(const Loaded& loaded, const char* key, Value& value, Value usual) {
  if (loaded.places.contains(key) && value != 0) return false;
  value = usual;
  return true;
}

}  // namespace

std::vector<topology::LinkSpec> links_of(const Loaded& loaded) {
  const SystemConfig& system = loaded.config.system;
  const topology::KindInfo* const kind = kind_of(loaded.config);
  std::vector<topology::LinkSpec> links;
  if (kind == nullptr) return links;
  if (kind->described_by == topology::DescribedBy::kFile) return links_of_graph(loaded);
  if (kind->described_by == topology::DescribedBy::kDimensions) {
    for (const topology::DimensionSpec& dimension : dimensions_to_build(system)) {
      const bool through = dimension.kind == topology::DimensionKind::kSwitch;
      const Femtoseconds latency = through ? dimension.latency - dimension.latency / 2 : dimension.latency;
      add(links, {channel_bandwidth(dimension), latency});
    }
    return links;
  }
  const LinkConfig& link = system.link;
  const std::size_t levels = std::max({link.bandwidth.size(), link.latency.size(), link.efficiency.size()});
  for (std::size_t level = 0; level < levels; ++level) {
    const auto fits = [&](std::size_t values) { return values == 1 || level < values; };
    if (!fits(link.bandwidth.size()) || !fits(link.latency.size()) || !fits(link.efficiency.size())) break;
    add(links, {usable_bandwidth(of_level(link.bandwidth, level), of_level(link.efficiency, level)),
                of_level(link.latency, level)});
  }
  return links;
}

void fit_machine(Loaded& loaded) {
  const SystemConfig usual;
  SystemConfig& system = loaded.config.system;
  const bool from_file = described_by(loaded.config, topology::DescribedBy::kFile);
  std::vector<topology::LinkSpec> links;
  if (from_file) {
    std::vector<std::string> assumptions;
    links = links_of_graph(loaded, &assumptions);
    for (const std::string& assumption : assumptions) {
      loaded.config.assumptions.push_back(fmt::format("{}: {}", system.topology.file, assumption));
    }
  }
  const bool flit = open(loaded, kFlit, system.flit, usual.flit);
  const bool payload = open(loaded, kPayload, system.ni.payload, usual.ni.payload);
  const bool depth = open(loaded, kDepth, system.router.vc_depth, usual.router.vc_depth);
  if (!flit && !payload && !depth) return;
  if (!from_file) links = links_of(loaded);
  std::vector<std::string> chosen;
  if (flit) {
    for (const topology::LinkSpec& link : links) {
      const Bytes wider = carrying_flit(system, link.bandwidth);
      system.flit = wider > 0 ? wider : kWidestFlit;
    }
    if (system.flit != usual.flit) chosen.push_back(fmt::format("flits of {}", format_bytes(system.flit)));
  }
  if (payload && system.ni.flow_control == FlowControl::kPacket) {
    system.ni.payload = usual_payload(system.flit);
    if (system.ni.payload != usual.ni.payload) {
      chosen.push_back(fmt::format("packets of {}", format_bytes(system.ni.payload)));
    }
  }
  if (depth) {
    for (const topology::LinkSpec& link : links) {
      if (link.latency / system.clock.period() > kLongestLatency)
        continue;  // the builder of the network rejects the latency
      system.router.vc_depth =
          std::max(system.router.vc_depth, static_cast<int>(covering_depth(system, link)));
    }
    if (system.router.vc_depth != usual.router.vc_depth) {
      chosen.push_back(fmt::format("buffers of {} flits", system.router.vc_depth));
    }
  }
  if (chosen.empty()) return;
  std::string list = chosen.front();
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    list += (i + 1 == chosen.size() ? " and " : ", ") + chosen[i];
  }
  loaded.config.assumptions.push_back(
      fmt::format("{} are chosen so that every link runs at full rate with a clock of {}", list,
                  format_frequency(system.clock)));
}

std::vector<std::string> shallow_buffers(const Loaded& loaded) {
  if (!loaded.places.contains(kDepth)) return {};
  const SystemConfig& system = loaded.config.system;
  const std::int64_t vcs = system.ni.flow_control == FlowControl::kMessage ? 1 : system.router.vcs;
  double least = 1;
  std::string worst;
  for (const topology::LinkSpec& link : links_of(loaded)) {
    const Femtoseconds loop = credit_loop(system, link.bandwidth, link.latency) * system.clock.period();
    const double share = static_cast<double>(system.router.vc_depth * vcs) *
                         static_cast<double>(flit_time(system, link.bandwidth)) / static_cast<double>(loop);
    if (share >= least) continue;
    least = share;
    const SourceLocation place = loaded.place(kDepth);
    worst = fmt::format(
        "{}:{}:{}: warning: {} is {} flits, which covers {:.0f}% of the credit loop of a link of {} and {}; "
        "this limits messages to the same share of the link's bandwidth: write {} or auto",
        place.file, place.line, place.column, kDepth, system.router.vc_depth, 100 * share,
        format_bandwidth(link.bandwidth), format_duration(link.latency), covering_depth(system, link));
  }
  if (worst.empty()) return {};
  return {worst};
}

}  // namespace coppice::config

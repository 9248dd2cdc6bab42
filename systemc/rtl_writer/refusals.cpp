#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "cosim/rtl_network_interface.h"
#include "fabric/route_timing.h"
#include "rtl_writer/design.h"

namespace coppice::rtl_writer {
namespace {

class Refusals {
 public:
  explicit Refusals(const config::Loaded& loaded) : loaded_(loaded) {}
  // Throws unless `holds` is true. The message states that the value of `key` must be `right`.
  template <typename Value>
  void unless(bool holds, const std::string& key, const Value& value, const std::string& right) const {
    if (!holds) refuse(key, fmt::format("is {}: for Verilog, write {}", value, right));
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    throw ConfigError(loaded_.place(key), fmt::format("{} {}", key, what));
  }

 private:
  const config::Loaded& loaded_;
};

void require_router(const Refusals& refusals, const config::RouterConfig& router) {
  constexpr int kMostCredits = 1023;
  refusals.unless(router.vcs >= 2 && std::has_single_bit(static_cast<unsigned>(router.vcs)),
                  "system.router.vcs", router.vcs, "a power of two of at least 2");
  refusals.unless(router.vc_depth <= kMostCredits, "system.router.vc_depth", router.vc_depth, "at most 1023");
  refusals.unless(router.routing_delay == 1, "system.router.routing_delay", router.routing_delay, "1");
  refusals.unless(router.vc_alloc_delay == 1, "system.router.vc_alloc_delay", router.vc_alloc_delay, "1");
  refusals.unless(router.sw_alloc_delay == 1, "system.router.sw_alloc_delay", router.sw_alloc_delay, "1");
  refusals.unless(router.st_delay == 1, "system.router.st_delay", router.st_delay, "1");
  refusals.unless(router.credit_delay == 1, "system.router.credit_delay", router.credit_delay, "1");
  refusals.unless(router.arbitration == config::Arbitration::kRoundRobin, "system.router.arbitration", "age",
                  "round_robin");
}

void require_interfaces(const Refusals& refusals, const Design& design) {
  constexpr int kMostPorts = 8;  // limit of the register map
  const config::SystemConfig& system = design.system();
  refusals.unless(design.ni_ports <= kMostPorts, "system.ni.ports", design.ni_ports, "at most 8");
  refusals.unless(system.ni.launch == 0, "system.ni.launch", format_duration(system.ni.launch), "0 ns");
  refusals.unless(!system.accelerator.memory_bandwidth, "system.accelerator.memory_bandwidth", "limited",
                  "unlimited, because the memory serves all ports at full rate");
  const std::string timing = cosim::refuse_ni_timing(system);
  if (!timing.empty()) refusals.refuse("system.ni", "is not supported in Verilog: " + timing);
  constexpr int kMostSources = 1 << cosim::NiLimits::kSourceBits;
  if (design.tiles() * design.ni_ports > kMostSources) {
    refusals.refuse("system.topology",
                    fmt::format("has {} accelerators with {} ports each, but head flits can identify at most "
                                "{} ports: choose a smaller network",
                                design.tiles(), design.ni_ports, kMostSources));
  }
}

// Throws unless a flit has room for a head, which contains the fields of a message and the route to its
// destination.
void require_flits(const Refusals& refusals, const Design& design, const Shape& shape) {
  constexpr Bytes kLeastFlit = 8;
  const Bytes flit = design.system().flit;
  refusals.unless(flit >= kLeastFlit && std::has_single_bit(static_cast<std::uint64_t>(flit)), "system.flit",
                  format_bytes(flit), "a power of two of at least 8 B");
  const int bits = kHeadBits + shape.route_bits();
  if (bits <= shape.flit_bits) return;
  const auto wider = static_cast<Bytes>(std::bit_ceil(static_cast<unsigned>((bits + 7) / 8)));
  refusals.refuse("system.flit", fmt::format("of {} has no room for a head with a route of {} hops, which "
                                             "needs {} bits: write {}, and a matching system.link.bandwidth",
                                             format_bytes(flit), shape.hops, bits, format_bytes(wider)));
}

void require_channels(const Refusals& refusals, const Design& design) {
  const config::SystemConfig& system = design.system();
  for (const topology::Channel& channel : design.topology.channels()) {
    if (fabric::channel_flit_time(system, channel.bandwidth) == system.clock.period()) continue;
    const auto right =
        static_cast<std::int64_t>(static_cast<double>(system.flit) * static_cast<double>(system.clock.hertz));
    refusals.refuse(
        "system.link.bandwidth",
        fmt::format("gives the channel from node {} to node {} a bandwidth of {}, but a channel in Verilog "
                    "carries one flit of {} per cycle: write {}, or another system.flit",
                    channel.src, channel.dst, format_bandwidth(channel.bandwidth), format_bytes(system.flit),
                    format_bandwidth({right})));
  }
}

void require_schedule(const Refusals& refusals, const Design& design, const Shape& shape) {
  constexpr int kMostLines = 1 << 15;  // limit of the register map
  if (!design.topology.in_network().empty() || design.schedule.adders > 0) {
    refusals.refuse("system.topology",
                    "has reducing switches, but Verilog switches do not reduce: remove in-network reduction");
  }
  std::vector<NodeId> nodes(design.schedule.nodes.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const std::string refusal = cosim::refuse_schedule(design.system(), design.schedule, design.topology, nodes,
                                                     {.lines = kMostLines,
                                                      .flows = 1 << cosim::NiLimits::kFlowBits,
                                                      .hops = shape.hops,
                                                      .out_ports = 1 << shape.hop_port_bits});
  if (!refusal.empty()) {
    refusals.refuse(
        "collective",
        fmt::format("does not fit into the tiles: {}; choose another algorithm or size", refusal));
  }
  constexpr int kMostBits = 256;  // limit of the register map for one line
  constexpr int kFieldBits = 160;
  if (kFieldBits + shape.route_bits() > kMostBits) {
    refusals.refuse(
        "system.topology",
        fmt::format("has routes of {} hops, but a line of a table holds only {}: choose a smaller network",
                    shape.hops, (kMostBits - kFieldBits) / shape.hop_bits()));
  }
  if (design.schedule.size * design.tiles() > config::kValuesLimit) {
    refusals.refuse(
        "collective.size",
        fmt::format(
            "amounts to {} of gradients over all accelerators, but the testbench can check at most {}",
            format_bytes(design.schedule.size * design.tiles()), format_bytes(config::kValuesLimit)));
  }
}

}  // namespace

void require_verilog(const Design& design) {
  const Refusals refusals(design.loaded);
  require_router(refusals, design.system().router);
  require_interfaces(refusals, design);
  require_channels(refusals, design);
  const Shape shape = shape_of(design);
  require_flits(refusals, design, shape);
  require_schedule(refusals, design, shape);
}

}  // namespace coppice::rtl_writer

#include "cosim/rtl_network_interface.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "cosim/verilog_library.h"
#include "fabric/route_timing.h"
#include "schedule/tables/table_loop.h"

namespace coppice::cosim {
namespace {

using schedule::Op;
using Limits = NiLimits;

template <typename Value>
std::string unsupported(const char* what, const Value& is, const std::string& right) {
  return fmt::format("the Verilog network interface does not support {} {}: {}", what, is, right);
}

std::string refuse_settings(const config::SystemConfig& system, int accelerators, int ni_ports) {
  if (ni_ports > kPorts)
    return unsupported("system.ni.ports", ni_ports, fmt::format("write at most {}", kPorts));
  if (accelerators * kPorts > 1 << Limits::kSourceBits) {
    return unsupported("an accelerator count of", accelerators,
                       fmt::format("use at most {}", (1 << Limits::kSourceBits) / kPorts));
  }
  if (system.flit != kLanes * kWordBytes) return unsupported("system.flit", system.flit, "write 16 B");
  if (system.router.vcs > kVcs)
    return unsupported("system.router.vcs", system.router.vcs, fmt::format("write at most {}", kVcs));
  if (system.router.vc_depth >= 1 << Limits::kCreditBits) {
    return unsupported("system.router.vc_depth", system.router.vc_depth, "write at most 1023");
  }
  const std::string timing = refuse_ni_timing(system);
  return timing.empty() ? refuse_verilog() : timing;
}

// Returns the reason why an entry does not fit into the fields of the table; empty if it does.
std::string refuse_entry(const schedule::TableEntry& entry, const fabric::Framing& framing) {
  const auto exceeds = [](std::int64_t value, int bits) {
    return value < 0 || value >= std::int64_t{1} << bits;
  };
  if (exceeds(entry.step, Limits::kStepBits)) return "a timestep";
  if (exceeds(framing.flits(entry.message_bytes()), Limits::kFlitsBits))
    return "the number of flits of a message";
  if (entry.op == Op::kNop) return {};
  if (exceeds(entry.dependencies, Limits::kCountBits)) return "a number of dependencies";
  if (exceeds(entry.address / kWordBytes, Limits::kAddressBits)) return "an address";
  if (exceeds(words_of(entry.message_bytes()) + kLanes, Limits::kLengthBits))
    return "the length of a message";
  if (exceeds(framing.packets(entry.message_bytes()), Limits::kPacketsBits))
    return "the number of packets of a message";
  if (entry.bytes < kWordBytes) return "a message without data";
  return {};
}

// Returns the reason why a table does not fit into the RTL; empty if it does.
std::string refuse_size(const schedule::TableLoop& loop, int most_lines) {
  const auto most = [](int bits) { return (std::int64_t{1} << bits) - 1; };
  const auto lines = static_cast<std::int64_t>(loop.lines().size());
  if (lines > most_lines) return fmt::format("a table has {} lines, but at most {} fit", lines, most_lines);
  if (loop.iterations() > most(Limits::kIterationBits)) {
    return fmt::format("a table has {} iterations, but at most {} fit", loop.iterations(),
                       most(Limits::kIterationBits));
  }
  if (loop.entries() > most(Limits::kTotalBits)) {
    return fmt::format("a table represents {} entries, but at most {} fit", loop.entries(),
                       most(Limits::kTotalBits));
  }
  return {};
}

std::string refuse_route(const topology::Route& route, const TableRoom& room) {
  if (static_cast<int>(route.size()) > room.hops) {
    return fmt::format("a route has {} hops, but a head flit can hold at most {}", route.size(), room.hops);
  }
  for (const topology::Hop& hop : route) {
    if (hop.out_port >= room.out_ports) {
      return fmt::format("a route uses a router port numbered {} or above", room.out_ports);
    }
  }
  return {};
}

}  // namespace

std::string refuse_ni_timing(const config::SystemConfig& system) {
  if (system.ni.flow_control == config::FlowControl::kPacket &&
      (system.ni.payload % system.flit != 0 ||
       words_of(system.ni.payload) >= 1U << (Limits::kLengthBits - 1))) {
    return unsupported("system.ni.payload", system.ni.payload, "write a multiple of system.flit below 2 MiB");
  }
  if (system.ni.dma_latency < 2 || system.ni.dma_latency > Limits::kBuffer - 2) {
    return unsupported("system.ni.dma_latency", system.ni.dma_latency,
                       fmt::format("write 2 to {}", Limits::kBuffer - 2));
  }
  if (system.ni.message_setup > 0) return unsupported("a", "system.ni.message_setup", "write 0 ns");
  if (!system.ni.protocols.empty())
    return unsupported("a choice of", "system.ni.protocols", "leave out the key");
  if (system.ni.reduction_latency != Limits::kReductionLatency) {
    return unsupported("system.ni.reduction_latency", system.ni.reduction_latency,
                       fmt::format("write {}, the latency of its adders", Limits::kReductionLatency));
  }
  if (fabric::ejection_flit_time(system) > system.clock.period()) {
    return unsupported("system.ni.reduction_flits_per_cycle", system.ni.reduction_flits_per_cycle,
                       "write 1 or more");
  }
  return {};
}

std::string refuse_ni_settings(const config::SystemConfig& system, const topology::Topology& topology,
                               int ni_ports) {
  return refuse_settings(system, topology.num_accelerators(), ni_ports);
}

std::string refuse_schedule(const config::SystemConfig& system, const schedule::Schedule& schedule,
                            const topology::Topology& topology, std::span<const topology::NodeId> nodes,
                            const TableRoom& room) {
  const auto no = [](const std::string& what) {
    return fmt::format("the Verilog network interface cannot run this schedule: {}", what);
  };
  if (schedule.flows > room.flows) {
    return no(fmt::format("it has {} flows, but at most {} fit", schedule.flows, room.flows));
  }
  if (schedule.numbered_arrivals) return no("its arrivals are numbered");
  const fabric::Framing framing{system.ni.flow_control, system.flit, system.ni.payload};
  for (std::size_t node = 0; node < schedule.nodes.size(); ++node) {
    for (const auto& table : schedule.nodes[node].ports) {
      const std::string size = refuse_size({table, schedule.repetition, system.ni.lockstep}, room.lines);
      if (!size.empty()) return no(size);
      for (const schedule::TableEntry& entry : table) {
        const std::string field = refuse_entry(entry, framing);
        if (!field.empty()) return no(field + " does not fit its field");
        if (entry.op == Op::kNop) continue;
        const auto& route = schedule.routes[static_cast<std::size_t>(entry.route)];
        const std::string hops = refuse_route(route, room);
        if (!hops.empty()) return no(hops);
        if (fabric::time_route(topology, system, nodes[node], route).slowest_flit > system.clock.period()) {
          return no("a channel is slower than one flit per cycle");
        }
      }
    }
  }
  return {};
}

std::string refuse_ni(const config::SystemConfig& system, const schedule::Schedule& schedule,
                      const topology::Topology& topology, int ni_ports) {
  const std::string settings = refuse_ni_settings(system, topology, ni_ports);
  if (!settings.empty()) return settings;
  std::vector<topology::NodeId> nodes(schedule.nodes.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  return refuse_schedule(system, schedule, topology, nodes);
}

RtlNetworkInterface::Memory::Memory(ni::GradientMemory& buffer)
    : values_(dynamic_cast<ni::ValueMemory*>(&buffer)) {}

FlitBits RtlNetworkInterface::Memory::read(std::uint32_t address) {
  FlitBits bits{};
  if (values_ == nullptr) return bits;
  const auto values = std::as_const(*values_).values();
  for (std::size_t lane = 0; lane < kLanes && address + lane < values.size(); ++lane) {
    bits[lane] = std::bit_cast<std::uint32_t>(values[address + lane]);
  }
  return bits;
}

void RtlNetworkInterface::Memory::write(std::uint32_t address, unsigned lanes, const FlitBits& words) {
  if (values_ == nullptr) return;
  const auto values = values_->values();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (((lanes >> lane) & 1) != 0 && address + lane < values.size()) {
      values[address + lane] = std::bit_cast<float>(words[lane]);
    }
  }
}

RtlNetworkInterface::RtlNetworkInterface(const sc_core::sc_module_name& name, NodeId node, int ports,
                                         const ni::NiContext& context, fabric::FlitContext& flits,
                                         ni::GradientMemory& buffer, FlitContents& contents,
                                         const std::string& wave_path)
    : RtlTerminal(name, node, ports, context, kOneContext, flits, contents),
      memory_(buffer),
      ports_(static_cast<std::size_t>(ports)),
      tracker_(context.schedule->flows),
      enablers_(ports),
      route_times_(*context.topology, *context.system, *context.schedule, node) {
  NiSettings settings = settings_of(context, node);
  const schedule::Repetition& repetition = shared().schedule->repetition;
  settings.flow_stride = static_cast<std::uint32_t>(repetition.flow);
  settings.address_stride = static_cast<std::uint32_t>(repetition.address / kWordBytes);
  settings.step_stride = static_cast<std::uint32_t>(repetition.step);
  model_ = verilog_library().make_ni(settings, memory_, wave_path);
  load();
  if (!context.held) start(0);
}

void RtlNetworkInterface::start(Cycles at) {
  if (started_) fail("it was started, but its tables are already running", at);
  started_ = true;
  model_->start(sizes_);
  if (shared().held) {
    wake(at);
  } else {
    want(at);
  }
}

// Nops hold the lockstep. Without lockstep, they have no effect and are not loaded.
void RtlNetworkInterface::load() {
  const auto& tables = shared().schedule->nodes[static_cast<std::size_t>(node())].ports;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    Port& port = ports_[p];
    port.table = tables[p].stored();
    for (std::size_t i = 0; i < port.table.size(); ++i) {
      if (port.table[i].op != Op::kNop) port.sends.push_back(i);
    }
    const schedule::TableLoop loop(tables[p], shared().schedule->repetition, shared().system->ni.lockstep);
    std::uint32_t index = 0;
    for (const schedule::TableLine& line : loop.lines()) {
      const bool nop = line.base.op == Op::kNop;
      const topology::Route* const route =
          nop ? nullptr : &shared().schedule->routes[static_cast<std::size_t>(line.base.route)];
      model_->load(static_cast<int>(p), index++, line_of(shared(), line, route));
    }
    sizes_.push_back({.lines = index, .entries = static_cast<std::uint32_t>(loop.entries())});
    expect_next_message(static_cast<int>(p), 0);
  }
}

void RtlNetworkInterface::expect_next_message(int index, Cycles now) {
  const Port& port = ports_[static_cast<std::size_t>(index)];
  const bool done = port.next_send == port.sends.size();
  enablers_.expect(index, done ? nullptr : &port.table[port.sends[port.next_send]], tracker_, now);
}

void RtlNetworkInterface::receive_flit(int port, int vc, fabric::Flit flit, Cycles now) {
  model_->put_flit(port, vc, flit.is_head(), flit.tail != 0, take(port, vc, flit, now).bits);
  want(now);
}

void RtlNetworkInterface::receive_credit(int port, int vc, Cycles now) {
  pop_credit(port, vc);
  model_->put_credit(port, vc);
  want(now);
}

void RtlNetworkInterface::step(Cycles now) {
  while (const auto id = next_counted(now)) {
    const ni::MessageRecord& record = (*shared().log)[*id];
    const std::int32_t before = tracker_.count(record.entry->flow);
    tracker_.arrived(record.entry->flow);
    enablers_.arrived(record, tracker_, before, now);
    shared().log->close(*id);
  }
  const NiModel::Outcome did = model_->step(now);
  take_outcome(did, now);
  set_next(did.busy ? now + 1 : fabric::kNever);
  for (unsigned ports = did.issued | did.holding | did.arrived; ports != 0; ports &= ports - 1) {
    const int port = std::countr_zero(ports);
    const auto p = static_cast<std::size_t>(port);
    if (((did.issued >> port) & 1) != 0) issue(port, near(did.release[p], now), now);
    if (((did.holding >> port) & 1) != 0) want(std::max(now + 1, near(did.release[p], now)));
    if (((did.arrived >> port) & 1) != 0) message_came(port, now);
  }
  want(next_count());
}

void RtlNetworkInterface::issue(int index, Cycles released, Cycles now) {
  Port& port = ports_[static_cast<std::size_t>(index)];
  if (port.next_send >= port.sends.size()) fail("more entries were issued than exist", now);
  const TableEntry& entry = port.table[port.sends[port.next_send++]];
  const std::uint64_t id = ni::open_message(shared(), node(), index, entry, entry.message_bytes(),
                                            route_times_[entry.route], released, enablers_[index], now);
  expect_next_message(index, now);
  if (memory_.kept()) (*shared().log)[id].payload.values.resize(words_of(entry.bytes));
  message_issued(index, id);
}

bool RtlNetworkInterface::finished() const {
  return std::all_of(ports_.begin(), ports_.end(),
                     [](const Port& port) { return port.next_send == port.sends.size(); });
}

std::string RtlNetworkInterface::describe_waiting(Cycles now) const {
  std::string text;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const Port& port = ports_[p];
    if (port.next_send == port.sends.size()) continue;
    const TableEntry& entry = port.table[port.sends[port.next_send]];
    text += fmt::format("  NI {} (Verilog) port {}: {} of flow {} in step {} waits for {}\n", node(), p,
                        schedule::to_string(entry.op), entry.flow, entry.step,
                        ni::to_string(view(static_cast<int>(p), now).state));
  }
  return text;
}

ni::Interface::PortView RtlNetworkInterface::view(int port, Cycles now) const {
  const NiModel::PortView view = model_->view(port);
  return {static_cast<ni::DecoderState>(view.state), static_cast<std::int32_t>(view.timestep),
          std::max<Cycles>(0, near(view.release, now) - now), view.issued};
}

}  // namespace coppice::cosim

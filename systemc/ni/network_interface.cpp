#include "ni/network_interface.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_limit.h"
#include "fabric/network_port.h"
#include "fabric/sim_time.h"
#include "ni/memory.h"

namespace coppice::ni {
namespace {

// Cycles of `period` that `flits` take at `flit_time` each.
Cycles cycles_of(std::int64_t flits, Femtoseconds flit_time, Femtoseconds period) {
  return (checked_time(flits, flit_time) + period - 1) / period;
}

}  // namespace

std::uint64_t open_message(const NiContext& context, NodeId node, int port, const TableEntry& entry,
                           const fabric::RouteTiming& timing, Cycles released, const Enabler& enabler,
                           Cycles now) {
  const std::uint64_t id = context.log->open();
  MessageRecord& record = (*context.log)[id];
  record.entry = &entry;
  record.src = node;
  record.dst = entry.destination();
  record.src_port = port;
  record.flits = context.framing.flits(entry.message_bytes());
  record.packets = context.framing.packets(entry.message_bytes());
  record.zero_load_latency = timing.latency;
  record.serialization = cycles_of(record.flits, timing.slowest_flit, context.period);
  record.credit_stall = fabric::credit_stall(timing, *context.system, record.flits,
                                             context.framing.packet_flits(entry.message_bytes(), 0));
  record.issued = now;
  record.released = context.system->ni.lockstep ? released : 0;
  record.dependencies_met = enabler.at;
  record.enabler_tail_injected = enabler.tail_injected;
  record.enabler_delay = enabler.delay;
  record.enabler_credit_delay = enabler.credit_delay;
  return id;
}

NetworkInterface::NetworkInterface(const sc_core::sc_module_name& name, NodeId node, int ports,
                                   const NiContext& context, GradientMemory& contents,
                                   fabric::FlitContext* flits, int local_ports)
    : sc_module(name),
      network("network", static_cast<std::size_t>(ports)),
      in("in", static_cast<std::size_t>(local_ports)),
      out("out", static_cast<std::size_t>(local_ports)),
      node_(node),
      context_(context),
      contents_(&contents),
      waiting_(static_cast<std::size_t>(ports)),
      tracker_(context.schedule->flows),
      enablers_(ports),
      dma_(context.system->ni.dma_latency, contents),
      reduction_(context.system->ni.reduction_latency),
      values_(dynamic_cast<ValueMemory*>(&contents)),
      route_times_(*context.topology, *context.system, *context.schedule, node),
      setup_(fabric::latency_cycles(context.system->ni.message_setup, context.period)) {
  if (flits != nullptr) {
    terminal_ = std::make_unique<fabric::PacketTerminal>("terminal", node, local_ports, *flits);
    for (std::size_t port = 0; port < in.size(); ++port) {
      terminal_->in[port].bind(in[port]);
      terminal_->out[port].bind(out[port]);
    }
  }
  const auto& tables = context.schedule->nodes[static_cast<std::size_t>(node)].ports;
  for (int port = 0; port < ports; ++port) {
    const auto p = static_cast<std::size_t>(port);
    if (terminal_ != nullptr) {
      network[p].bind(terminal_->network_port(port));
    } else if (context.fabric != nullptr) {
      fabric_ports_.push_back(std::make_unique<fabric::FabricPort>(fmt::format("port_{}", port).c_str(),
                                                                   *context.fabric, node, port));
      network[p].bind(*fabric_ports_.back());
    }
    ports_.push_back(std::make_unique<Port>(context.framing, setup_));
    ports_.back()->table.load(tables[p]);
    enablers_.expect(port, ports_.back()->table.next_message(), tracker_, 0);
    connect(port);
  }
  if (!context.held) start(0);
}

void NetworkInterface::start(Cycles at) {
  if (started_)
    throw ModelError(fmt::format("{}: started in cycle {}, but its tables run already", name(), at));
  started_ = true;
  for (int port = 0; port < num_ports(); ++port) run_at(port, at);
}

void NetworkInterface::end_of_elaboration() {
  for (std::size_t p = 0; p < network.size(); ++p) {
    if (network[p].size() == 0) {
      throw ModelError(fmt::format("{} is not bound: bind it to a port of a network", network[p].name()));
    }
    network_ports_.push_back(network[p].operator->());
    network_ports_.back()->connect(ports_[p]->packetizer, *ports_[p]->depacketizer);
  }
}

void NetworkInterface::restart(GradientMemory& contents, Cycles at) {
  started_ = true;
  contents_ = &contents;
  values_ = dynamic_cast<ValueMemory*>(&contents);
  queues_.reset();
  tracker_ = DependencyTracker(context_.schedule->flows);
  dma_ = DmaEngine(context_.system->ni.dma_latency, contents);
  const auto& tables = context_.schedule->nodes[static_cast<std::size_t>(node_)].ports;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    Port& port = *ports_[p];
    // Before the first time there is nothing to finish.
    if (port.table.issued() > 0 && port.table.head() != nullptr) {
      throw ModelError(fmt::format("{}: restarted in cycle {} before its tables are done", name(), at));
    }
    port.table.load(tables[p]);
    enablers_.expect(static_cast<int>(p), port.table.next_message(), tracker_, at);
    run_at(static_cast<int>(p), at);
  }
}

void NetworkInterface::connect(int index) {
  Port& port = *ports_[static_cast<std::size_t>(index)];
  port.packetizer.on_head_injected = [this, &port](std::uint64_t message, Cycles now) {
    (*context_.log)[message].head_injected = now;
    (*context_.log)[message].port_free_since = port.free_since;
  };
  port.packetizer.on_tail_injected = [this, index, &port](std::uint64_t message, Cycles now) {
    (*context_.log)[message].tail_injected = now;
    port.free_since = now + 1;
    wake_fabric(index, now);
    if (waiting_[static_cast<std::size_t>(index)].awaits_place) run_at(index, now + 1);
  };
  port.depacketizer = std::make_unique<Depacketizer>(
      [this](std::uint64_t message) {
        const MessageRecord& record = (*context_.log)[message];
        return Depacketizer::Size{record.packets, record.flits};
      },
      [this, index](std::uint64_t message, Cycles now) { message_arrived(index, message, now); });
  if (values_ != nullptr) {
    port.depacketizer->on_flit = [this, index](const fabric::Packet& packet, fabric::Flit flit, Cycles now) {
      take_flit(index, packet, flit, now);
    };
  }
}

void NetworkInterface::run_at(int port, Cycles at) {
  Cycles& due = waiting_[static_cast<std::size_t>(port)].due;
  due = std::min(due, at);
  wake_at(due);
}

void NetworkInterface::wake_at(Cycles at) {
  if (next_wake_ >= 0 && next_wake_ <= at) return;
  next_wake_ = at;
  context_.clock->set(at, *this);
}

void NetworkInterface::wake(Cycles now) {
  if (next_wake_ != now) return;  // set before an earlier one was
  next_wake_ = -1;
  complete_arrivals(now);
  for (int port = 0; port < num_ports(); ++port) {
    if (waiting_[static_cast<std::size_t>(port)].due <= now) run_port(port, now);
  }
  Cycles next = completions_.empty() ? kNever : completions_.top().at;
  for (const Waiting& port : waiting_) next = std::min(next, port.due);
  if (next != kNever) wake_at(next);
}

void NetworkInterface::take_flit(int port, const fabric::Packet& packet, fabric::Flit flit, Cycles now) {
  if (values_ == nullptr || flit.is_head()) return;
  if (!queues_)
    queues_ = std::make_unique<ReductionQueues>(num_ports(), context_.system->ni.reduction_latency);
  const MessageRecord& record = (*context_.log)[packet.tag];
  const auto& payload = record.payload.values;
  const fabric::Framing& framing = context_.framing;
  const Bytes packets_before = framing.flow_control == config::FlowControl::kMessage ? 0 : packet.index;
  const Bytes from = packets_before * framing.payload + Bytes{flit.sequence - 1} * framing.flit;
  constexpr auto kValueBytes = static_cast<Bytes>(sizeof(float));
  const auto values = static_cast<Bytes>(payload.size());
  const Bytes first = std::min(values, from / kValueBytes);
  const Bytes last = std::min(values, (from + framing.flit) / kValueBytes);
  if (first == last) return;
  const bool add = record.entry->op == schedule::Op::kReduce;
  const auto word = static_cast<std::size_t>(record.entry->address / kValueBytes + first);
  queues_->take(port, {add, word, {payload.begin() + first, payload.begin() + last}}, now, values_->values());
}

void NetworkInterface::message_arrived(int port, std::uint64_t message, Cycles now) {
  MessageRecord& record = (*context_.log)[message];
  record.tail_ejected = now;
  record.dst_port = port;
  record.completed = reduction_.completion(record.entry->op, now);
  completions_.push({record.completed, port, message});
  wake_at(record.completed);
}

void NetworkInterface::complete_arrivals(Cycles now) {
  if (queues_) queues_->advance(now, values_->values());
  while (!completions_.empty() && completions_.top().at <= now) {
    Completion completion = completions_.top();
    completions_.pop();
    const std::uint64_t id = completion.message;
    MessageRecord& record = (*context_.log)[id];
    if (!completion.written) {
      record.completed = write(record, now);
      if (record.completed > now) {
        completion.at = record.completed;
        completion.written = true;
        completions_.push(completion);
        continue;
      }
    }
    if (!queues_) ReductionUnit::apply(*record.entry, record.payload, *contents_);
    count_arrival(record, now);
    completed.write(record);
    context_.log->close(id);
  }
}

void NetworkInterface::count_arrival(const MessageRecord& arrival, Cycles now) {
  const std::int32_t flow = arrival.entry->flow;
  const std::int32_t before = tracker_.count(flow);
  tracker_.arrived(flow,
                   context_.schedule->numbered_arrivals ? arrival.entry->arrival : DependencyTracker::kNext);
  const std::int32_t count = tracker_.count(flow);
  for (Waiting& port : waiting_) {
    if (port.awaited_flow == flow && port.awaited_count <= count) port.due = now;
  }
  enablers_.arrived(arrival, tracker_, before, now);
}

Femtoseconds NetworkInterface::slowest_flit(int index) {
  Femtoseconds& slowest = ports_[static_cast<std::size_t>(index)]->slowest_flit;
  if (slowest > 0) return slowest;
  slowest = context_.period;
  const auto& tables = context_.schedule->nodes[static_cast<std::size_t>(node_)].ports;
  tables[static_cast<std::size_t>(index)].for_each_route(
      [&](std::int32_t route) { slowest = std::max(slowest, route_times_[route].slowest_flit); });
  return slowest;
}

Cycles NetworkInterface::sending_time(std::int64_t flits, Femtoseconds flit_time) const {
  return cycles_of(flits, flit_time, context_.period);
}

void NetworkInterface::hold(Port& port, std::int64_t flits, Femtoseconds flit_time, Cycles now, bool absorb) {
  const std::int64_t absorbed = absorb ? absorbed_flits(flits, context_.system->ni.buffer) : 0;
  const Cycles duration = setup_ + sending_time(flits, flit_time);
  port.lockstep.load(now, duration, duration - setup_ - sending_time(flits - absorbed, flit_time));
}

// One entry per cycle and port. Nops hold from the cycle in which the step before ends, without a cycle
// of their own.
void NetworkInterface::run_port(int index, Cycles now) {
  Port& port = *ports_[static_cast<std::size_t>(index)];
  const bool lockstep = context_.system->ni.lockstep;
  const auto state_in = [&](Cycles cycle) {
    return decode(port.table.head(), lockstep, port.lockstep, tracker_, port.packetizer.has_place(cycle),
                  cycle);
  };
  DecoderState state = state_in(now);
  for (; state == DecoderState::kNop; state = state_in(now)) {
    const TableEntry& nop = *port.table.head();
    port.timestep.advance_to(nop.step);
    port.table.pop();
    if (lockstep) hold(port, context_.framing.flits(nop.bytes), slowest_flit(index), now, false);
  }
  if (state != DecoderState::kIssue) {
    wait(index, state, now);
    return;
  }
  const TableEntry& entry = *port.table.head();
  port.table.prefetch_next();
  port.timestep.advance_to(entry.step);
  port.table.pop();
  issue(index, entry, now);
  wait(index, state_in(now + 1), now);
}

// Until what the head of the table needs is there, or until the next cycle if nothing is missing.
void NetworkInterface::wait(int index, DecoderState state, Cycles now) {
  const Port& port = *ports_[static_cast<std::size_t>(index)];
  Waiting& waiting = waiting_[static_cast<std::size_t>(index)];
  waiting.due = kNever;
  waiting.awaited_flow = -1;
  waiting.awaits_place = false;
  switch (state) {
    case DecoderState::kDone:
      break;
    case DecoderState::kWaitLockstep:
      waiting.due = port.lockstep.release();
      break;
    case DecoderState::kWaitDependency:
      waiting.awaited_flow = port.table.head()->flow;
      waiting.awaited_count = port.table.head()->dependencies;
      break;
    case DecoderState::kWaitQueue:
      // The tail may have left in this very cycle.
      waiting.awaits_place = !port.packetizer.has_place(now + 1);
      if (!waiting.awaits_place) waiting.due = now + 1;
      break;
    case DecoderState::kIssue:
    case DecoderState::kNop:
      waiting.due = now + 1;
      break;
  }
}

// Through the memory that is bound, at the time that this node has come to; the flits take `stream`.
DmaEngine::Read NetworkInterface::read(const TableEntry& entry, Femtoseconds stream, Cycles now) {
  if (memory.size() == 0) return dma_.request(entry.address, entry.bytes, now);
  GradientData data;
  data.stream = stream;
  const Cycles ready = access(tlm::TLM_READ_COMMAND, entry, data, now);
  return {std::move(data.payload), ready};
}

// From when on the memory has what arrived. Its values are written elsewhere, flit by flit where flits move.
Cycles NetworkInterface::write(const MessageRecord& arrival, Cycles now) {
  if (memory.size() == 0) return now;
  GradientData data;
  data.stream = arrival.serialization * context_.period;
  data.accumulate = arrival.entry->op == schedule::Op::kReduce;
  return access(tlm::TLM_WRITE_COMMAND, *arrival.entry, data, now);
}

Cycles NetworkInterface::access(tlm::tlm_command command, const TableEntry& entry, GradientData& data,
                                Cycles now) {
  tlm::tlm_generic_payload transaction;
  transaction.set_command(command);
  transaction.set_address(static_cast<sc_dt::uint64>(entry.address));
  transaction.set_data_length(static_cast<unsigned>(entry.bytes));
  transaction.set_streaming_width(static_cast<unsigned>(entry.bytes));
  transaction.set_extension(&data);
  sc_core::sc_time delay = fabric::to_sc_time(now * context_.period) - sc_core::sc_time_stamp();
  memory->b_transport(transaction, delay);
  transaction.clear_extension(&data);
  if (!transaction.is_response_ok()) {
    throw ModelError(fmt::format("{}: the memory refuses {} at address {}: {}", name(),
                                 format_bytes(entry.bytes), entry.address,
                                 transaction.get_response_string()));
  }
  return cycle_of(sc_core::sc_time_stamp() + delay);
}

void NetworkInterface::issue(int index, const TableEntry& entry, Cycles now) {
  Port& port = *ports_[static_cast<std::size_t>(index)];
  const topology::Route& route = context_.paths != nullptr
                                     ? context_.paths->route(node_, entry.destination())
                                     : context_.schedule->routes[static_cast<std::size_t>(entry.route)];
  if (queues_) {
    const auto word = static_cast<std::size_t>(entry.address) / sizeof(float);
    queues_->settle(word, word + static_cast<std::size_t>(entry.bytes) / sizeof(float), values_->values());
  }
  const fabric::RouteTiming timing =
      context_.paths != nullptr ? fabric::time_route(*context_.topology, *context_.system, node_, route)
                                : route_times_[entry.route];
  const std::int64_t flits = context_.framing.flits(entry.message_bytes());
  DmaEngine::Read data = read(entry, checked_time(flits - 1, timing.slowest_flit), now);
  const std::uint64_t id =
      open_message(context_, node_, index, entry, timing, port.lockstep.release(), enablers_[index], now);
  MessageRecord& record = (*context_.log)[id];
  if (!port.table.entries_stay()) record.entry = &context_.log->keep(id, entry);
  enablers_.expect(index, port.table.next_message(), tracker_, now);
  record.payload = std::move(data.payload);
  if (context_.system->ni.lockstep) hold(port, record.flits, timing.slowest_flit, now, true);
  port.packetizer.push({id, node_, record.dst, &route, entry.message_bytes(), timing.slowest_flit},
                       data.ready);
  wake_fabric(index, now);
}

// For the port's first message; one that is being sent needs no waking.
void NetworkInterface::wake_fabric(int index, Cycles now) {
  const Cycles ready = ports_[static_cast<std::size_t>(index)]->packetizer.front_ready();
  if (ready > now) network_ports_[static_cast<std::size_t>(index)]->wake(ready);
}

void NetworkInterface::settle() {
  if (queues_) queues_->settle(0, values_->values().size(), values_->values());
}

bool NetworkInterface::finished() const {
  for (const auto& port : ports_) {
    if (port->table.head() != nullptr) return false;
  }
  return true;
}

std::string NetworkInterface::describe_waiting(Cycles now) const {
  std::string text;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const TableEntry* head = ports_[p]->table.head();
    if (head == nullptr) continue;
    const DecoderState state = view(static_cast<int>(p), now).state;
    text += fmt::format("  NI {} port {}: {} of flow {} in step {} waits for {}", node_, p,
                        schedule::to_string(head->op), head->flow, head->step, to_string(state));
    if (state == DecoderState::kWaitDependency) {
      text += fmt::format(" ({} of {} arrivals)", tracker_.count(head->flow), head->dependencies);
    }
    text += '\n';
  }
  return text;
}

NetworkInterface::PortView NetworkInterface::view(int index, Cycles now) const {
  const Port& port = *ports_[static_cast<std::size_t>(index)];
  return {decode(port.table.head(), context_.system->ni.lockstep, port.lockstep, tracker_,
                 port.packetizer.has_place(now), now),
          port.timestep.value(), port.lockstep.value(now), static_cast<std::int64_t>(port.table.issued())};
}

}  // namespace coppice::ni

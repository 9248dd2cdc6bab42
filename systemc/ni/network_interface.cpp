#include "ni/network_interface.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/time_limit.h"
#include "fabric/network_port.h"

namespace coppice::ni {
namespace {

// Limits on the finished contexts that are kept for later tables: their number, and the flows of each.
constexpr std::size_t kMostIdle = 16;
constexpr std::int32_t kFewFlows = 16;

// The number of cycles that it takes to send `flits` flits at `flit_time` per flit.
Cycles cycles_of(std::int64_t flits, Femtoseconds flit_time, Femtoseconds period) {
  return (checked_time(flits, flit_time) + period - 1) / period;
}

}  // namespace

std::uint64_t open_message(const NiContext& context, NodeId node, int port, const TableEntry& entry,
                           Bytes bytes, const fabric::RouteTiming& timing, Cycles released,
                           const Enabler& enabler, Cycles now) {
  const std::uint64_t id = context.log->open();
  MessageRecord& record = (*context.log)[id];
  record.entry = &entry;
  record.src = node;
  record.dst = entry.destination();
  record.src_port = port;
  record.flits = context.framing.flits(bytes);
  record.packets = context.framing.packets(bytes);
  record.zero_load_latency = timing.latency;
  record.serialization = cycles_of(record.flits, timing.slowest_flit, context.period);
  record.credit_stall =
      fabric::credit_stall(timing, *context.system, record.flits, context.framing.packet_flits(bytes, 0));
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
      own_(std::make_unique<TableContext>(
          *context.topology, *context.system, node,
          ContextTables{.schedule = context.schedule,
                        .tables = &context.schedule->nodes[static_cast<std::size_t>(node)],
                        .contents = &contents})),
      values_(dynamic_cast<ValueMemory*>(&contents)),
      memory_port_(memory, context.period, context.system->ni.dma_latency),
      reduction_(context.system->ni.reduction_latency) {
  if (flits != nullptr) {
    terminal_ = std::make_unique<fabric::PacketTerminal>("terminal", node, local_ports, *flits);
    for (std::size_t port = 0; port < in.size(); ++port) {
      terminal_->in[port].bind(in[port]);
      terminal_->out[port].bind(out[port]);
    }
  }
  own_->reset(0);
  for (int port = 0; port < ports; ++port) {
    const auto p = static_cast<std::size_t>(port);
    if (terminal_ != nullptr) {
      network[p].bind(terminal_->network_port(port));
    } else if (context.fabric != nullptr) {
      fabric_ports_.push_back(std::make_unique<fabric::FabricPort>(fmt::format("port_{}", port).c_str(),
                                                                   *context.fabric, node, port));
      network[p].bind(*fabric_ports_.back());
    }
    ports_.push_back(std::make_unique<Port>(context.framing));
    connect(port);
  }
  if (!context.held) start(0);
}

void NetworkInterface::start(Cycles at) {
  if (started_)
    throw ModelError(fmt::format("{}: started in cycle {}, but its tables are already running", name(), at));
  started_ = true;
  own_->begins = at;
  running_.push_back(own_.get());
  for (int port = 0; port < num_ports(); ++port) run_at(*own_, port, at);
}

void NetworkInterface::load(const ContextTables& tables, Cycles now) {
  if (tables.id == kOwnTables || loaded_.contains(tables.id) ||
      tables.tables->ports.size() != ports_.size()) {
    throw ModelError(
        fmt::format("{}: tables {} for {} ports cannot be loaded: their ID must be unused, and the "
                    "interface has {} ports",
                    name(), tables.id, tables.tables->ports.size(), ports_.size()));
  }
  Loaded::node_type idle = take_idle(tables);
  TableContext& loaded =
      !idle.empty() ? *loaded_.insert(std::move(idle)).position->second
                    : *loaded_
                           .emplace(tables.id, std::make_unique<TableContext>(
                                                   *context_.topology, *context_.system, node_, tables))
                           .first->second;
  loaded.reset(now);
  loaded.missing = tables.arrivals;
  if (context_.system->ni.early_messages == config::EarlyMessages::kAdded) take_early(loaded, now);
}

// A finished context, prepared for `tables`; empty if there is none.
NetworkInterface::Loaded::node_type NetworkInterface::take_idle(const ContextTables& tables) {
  if (idle_.empty()) return {};
  Loaded::node_type taken = std::move(idle_.back());
  idle_.pop_back();
  taken.key() = tables.id;
  taken.mapped()->replace(*context_.topology, *context_.system, node_, tables);
  return taken;
}

void NetworkInterface::unload(ContextId id) {
  const TableContext* const context = find(id);
  if (id == kOwnTables || context == nullptr || context->started) {
    throw ModelError(fmt::format("{}: tables {} do not exist or are running", name(), id));
  }
  if (context->reached) {
    throw ModelError(
        fmt::format("{}: collective {} cannot release its context because some of its messages have "
                    "already arrived and been counted: raise system.ni.contexts, or set "
                    "system.ni.early_messages to held",
                    name(), id));
  }
  loaded_.erase(id);
}

void NetworkInterface::start_context(ContextId id, Cycles at) {
  if (id == kOwnTables) {
    start(at);
    return;
  }
  TableContext* const context = find(id);
  if (context == nullptr || context->started) {
    throw ModelError(fmt::format("{}: tables {} cannot start in cycle {}: {}", name(), id, at,
                                 context == nullptr ? "they are not loaded" : "they are already running"));
  }
  context->started = true;
  context->begins = at;
  context->active = at;
  running_.push_back(context);
  for (int port = 0; port < num_ports(); ++port) {
    if (context->ports[static_cast<std::size_t>(port)].table.head() != nullptr) run_at(*context, port, at);
  }
  if (context->complete()) wake_at(at);  // it ends without messages
  take_early(*context, at);
}

// The data of early messages is already in memory. At each port, the adders process the early messages one
// after another, at the rate at which flits arrive.
void NetworkInterface::take_early(TableContext& context, Cycles at) {
  const auto held = early_.find(context.given.id);
  if (held == early_.end()) return;
  const double rate = context_.system->ni.reduction_flits_per_cycle;
  std::vector<Cycles> free(ports_.size(), at);
  for (const Early& early : held->second) {
    context.reached = true;
    MessageRecord& record = (*context_.log)[early.message];
    Cycles& taken = free[static_cast<std::size_t>(early.port)];
    taken += static_cast<Cycles>(std::ceil(static_cast<double>(record.flits) / rate));
    record.completed = reduction_.completion(record.entry->op, taken);
    completions_.push({record.completed, early.port, early.message});
    wake_at(record.completed);
  }
  early_.erase(held);
}

TableContext* NetworkInterface::find(ContextId id) const {
  if (id == kOwnTables) return own_.get();
  const auto found = loaded_.find(id);
  return found == loaded_.end() ? nullptr : found->second.get();
}

// Removes a context that has finished; returns whether it has.
bool NetworkInterface::finish_if_done(TableContext& context, Cycles now) {
  const ContextId id = context.given.id;
  if (id == kOwnTables || !context.started || !context.finished(now)) return false;
  std::erase(running_, &context);
  if (idle_.size() < kMostIdle && context.given.schedule->flows <= kFewFlows) {
    idle_.push_back(loaded_.extract(id));
  } else {
    loaded_.erase(id);
  }
  if (on_context_done) on_context_done(id, now);
  return true;
}

void NetworkInterface::end_of_elaboration() {
  memory_port_.ask_for_direct_access();
  for (std::size_t p = 0; p < network.size(); ++p) {
    if (network[p].size() == 0) {
      throw ModelError(fmt::format("{} is not bound: bind it to a port of a network", network[p].name()));
    }
    network_ports_.push_back(network[p].operator->());
    network_ports_.back()->connect(ports_[p]->packetizer, *ports_[p]->depacketizer);
  }
}

void NetworkInterface::connect(int index) {
  Port& port = *ports_[static_cast<std::size_t>(index)];
  port.packetizer.on_head_injected = [this, &port](std::uint64_t message, Cycles now) {
    (*context_.log)[message].head_injected = now;
    (*context_.log)[message].port_free_since = port.free_since;
  };
  port.packetizer.on_tail_injected = [this, index, &port](std::uint64_t message, Cycles now) {
    MessageRecord& record = (*context_.log)[message];
    record.tail_injected = now;
    port.free_since = now + 1;
    wake_fabric(index, now);
    for (TableContext* context : running_) {
      if (context->waiting[static_cast<std::size_t>(index)].awaits_place) run_at(*context, index, now + 1);
    }
    TableContext& sender = *find(record.context);
    --sender.in_flight;
    sender.active = now;
    if (sender.given.id != kOwnTables && sender.complete()) wake_at(now + 1);
  };
  port.depacketizer = std::make_unique<Depacketizer>(
      [this](std::uint64_t message) {
        const MessageRecord& record = (*context_.log)[message];
        return Depacketizer::Size{record.packets, record.flits};
      },
      [this, index](std::uint64_t message, Cycles now) { message_arrived(index, message, now); });
  port.depacketizer->on_head = [this](std::uint64_t message) { context_.log->fetch(message); };
  if (values_ != nullptr) {
    port.depacketizer->on_flit = [this, index](const fabric::Packet& packet, fabric::Flit flit, Cycles now) {
      take_flit(index, packet, flit, now);
    };
  }
}

void NetworkInterface::run_at(TableContext& context, int port, Cycles at) {
  context.run_at(static_cast<std::size_t>(port), at);
  wake_at(context.waiting[static_cast<std::size_t>(port)].due);
}

void NetworkInterface::wake_at(Cycles at) {
  if (next_wake_ >= 0 && next_wake_ <= at) return;
  next_wake_ = at;
  context_.clock->set(at, *this);
}

void NetworkInterface::wakes_soon(std::size_t stage) const {
  constexpr std::size_t kLine = 64;
  const auto fetch = [](const void* begin, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += kLine)
      __builtin_prefetch(static_cast<const char*>(begin) + at);
  };
  if (stage == 0) {
    fetch(&next_wake_, 3 * kLine);
    fetch(&context_, sizeof context_);
    return;
  }
  if (running_.empty()) return;
  if (stage == 1) {
    __builtin_prefetch(running_.data());
    __builtin_prefetch(ports_.data());
    fetch(own_.get(), sizeof(TableContext));
    if (!completions_.empty()) __builtin_prefetch(&completions_.top());
    return;
  }
  const TableContext& context = *running_.front();
  if (stage == 2) {
    fetch(context.waiting.data(), context.waiting.size() * sizeof(TableContext::Waiting));
    fetch(context.ports.data(), context.ports.size() * sizeof(TableContext::Port));
    if (!completions_.empty()) fetch(&(*context_.log)[completions_.top().message], sizeof(MessageRecord));
    return;
  }
  context.enablers.prefetch();
  // An arrival may satisfy the conditions of any port.
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const TableContext::Waiting& waiting = context.waiting[p];
    if (waiting.due == kNever && waiting.awaited_flow < 0) continue;
    fetch(&ports_[p]->packetizer, sizeof(Packetizer));
    context.ports[p].table.prefetch_head();
  }
  if (completions_.empty()) return;
  const MessageRecord& arrival = (*context_.log)[completions_.top().message];
  __builtin_prefetch(arrival.entry);
  __builtin_prefetch(arrival.payload.contributions.data());
}

void NetworkInterface::wake(Cycles now) {
  if (next_wake_ != now) return;  // an earlier alarm has replaced this alarm
  complete_arrivals(now);
  // Ends contexts whose last tail has left or whose tables ended in nops, so that other contexts may start in
  // this cycle.
  for (std::size_t i = 0; i < running_.size();) {
    if (!finish_if_done(*running_[i], now)) ++i;
  }
  Cycles next = first_due();
  if (next <= now) {
    for (int port = 0; port < num_ports(); ++port) run_port(port, now);
    next = first_due();
  }
  if (!completions_.empty()) next = std::min(next, completions_.top().at);
  for (const TableContext* context : running_) {
    if (context->given.id != kOwnTables && context->complete()) next = std::min(next, now + 1);
  }
  next_wake_ = -1;
  if (next != kNever) wake_at(next);
}

// The first cycle in which a port runs unless something happens before.
Cycles NetworkInterface::first_due() const {
  Cycles first = kNever;
  for (const TableContext* context : running_) first = std::min(first, context->due);
  return first;
}

void NetworkInterface::take_flit(int port, const fabric::Packet& packet, fabric::Flit flit, Cycles now) {
  if (values_ == nullptr || flit.is_head()) return;
  const MessageRecord& record = (*context_.log)[packet.tag];
  if (record.context != kOwnTables) return;
  if (!queues_)
    queues_ = std::make_unique<ReductionQueues>(num_ports(), context_.system->ni.reduction_latency);
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
  if (images_ != nullptr) images_->arrived(message, record);
  record.tail_ejected = now;
  record.dst_port = port;
  TableContext* const context = find(record.context);
  const bool held = context_.system->ni.early_messages == config::EarlyMessages::kHeld;
  if (record.context != kOwnTables && (context == nullptr || (held && !context->started))) {
    early_[record.context].push_back({port, message});
    return;
  }
  context->reached = true;
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
    TableContext& context = *find(record.context);
    if (!completion.written) {
      record.completed = memory_port_.write(context.given, record, now);
      if (record.completed > now) {
        completion.at = record.completed;
        completion.written = true;
        completions_.push(completion);
        continue;
      }
    }
    // Messages of tables that were loaded later are added as a whole, not flit by flit.
    if (!queues_ || record.context != kOwnTables)
      ReductionUnit::apply(*record.entry, record.payload, *context.given.contents);
    count_arrival(context, record, now);
    completed.write(record);
    if (images_ != nullptr) {
      images_->completed(id, record);
    } else {
      context_.log->close(id);
    }
    finish_if_done(context, now);
  }
}

void NetworkInterface::count_arrival(TableContext& context, const MessageRecord& arrival, Cycles now) {
  ++counts_.messages_received;
  counts_.bytes_received += arrival.entry->message_bytes();
  const std::int32_t flow = arrival.entry->flow;
  const std::int32_t before = context.tracker.count(flow);
  const bool numbered = context.given.schedule->numbered_arrivals;
  context.tracker.arrived(flow, numbered ? arrival.entry->arrival : DependencyTracker::kNext);
  const std::int32_t count = context.tracker.count(flow);
  for (std::size_t p = 0; p < context.waiting.size(); ++p) {
    const TableContext::Waiting& port = context.waiting[p];
    if (port.awaited_flow == flow && port.awaited_count <= count) context.run_at(p, now);
  }
  context.enablers.arrived(arrival, context.tracker, before, now);
  --context.missing;
}

Femtoseconds NetworkInterface::slowest_flit(TableContext& context, int index) {
  Femtoseconds& slowest = context.ports[static_cast<std::size_t>(index)].slowest_flit;
  if (slowest > 0) return slowest;
  slowest = context_.period;
  context.given.tables->ports[static_cast<std::size_t>(index)].for_each_route(
      [&](std::int32_t route) { slowest = std::max(slowest, context.timing(route).slowest_flit); });
  return slowest;
}

Cycles NetworkInterface::sending_time(std::int64_t flits, Femtoseconds flit_time) const {
  return cycles_of(flits, flit_time, context_.period);
}

void NetworkInterface::hold(TableContext& context, int port, std::int64_t flits, Femtoseconds flit_time,
                            Cycles now, bool absorb) {
  const std::int64_t absorbed = absorb ? absorbed_flits(flits, context_.system->ni.buffer) : 0;
  const Cycles sending = sending_time(flits, flit_time);
  context.ports[static_cast<std::size_t>(port)].lockstep.load(
      now, context.setup + sending, sending - sending_time(flits - absorbed, flit_time));
}

DecoderState NetworkInterface::state_of(const TableContext& context, int index, Cycles cycle) const {
  const auto p = static_cast<std::size_t>(index);
  const TableContext::Port& port = context.ports[p];
  return decode(port.table.head(), port.table.passes(), context_.system->ni.lockstep, port.lockstep,
                context.tracker, ports_[p]->packetizer.has_place(cycle), cycle);
}

// The contexts in the order in which a port serves them. Contexts that start in this cycle always come last,
// so that the order does not depend on whether the port or the start is processed first.
const std::vector<TableContext*>& NetworkInterface::in_order(const Port& port, Cycles now) {
  if (running_.size() < 2 || context_.system->ni.context_order == config::ContextOrder::kFifo)
    return running_;
  order_ = running_;
  auto fresh = order_.end();
  while (fresh != order_.begin() && (*std::prev(fresh))->begins >= now) --fresh;
  if (context_.system->ni.context_order == config::ContextOrder::kPriority) {
    std::ranges::stable_sort(order_.begin(), fresh, std::greater<>{},
                             [](const TableContext* context) { return context->given.priority; });
    return order_;
  }
  const auto last = std::ranges::find_if(order_.begin(), fresh, [&](const TableContext* context) {
    return context->given.id == port.last_served;
  });
  if (last != fresh) std::rotate(order_.begin(), last + 1, fresh);
  return order_;
}

// Issues at most one entry per port per cycle, even if the port is woken several times in that cycle. The
// order of contexts matters only if several of them are due.
void NetworkInterface::run_port(int index, Cycles now) {
  const auto p = static_cast<std::size_t>(index);
  const auto due = std::ranges::count_if(running_, [&](const TableContext* context) {
    return context->due <= now && context->waiting[p].due <= now;
  });
  if (due == 0) return;
  Port& port = *ports_[p];
  for (TableContext* context : due == 1 ? running_ : in_order(port, now)) {
    if (context->waiting[p].due > now) continue;
    if (run_context(*context, index, now, port.last_issue < now)) port.last_issue = now;
  }
}

// An entry, a nop and a skipped line take one cycle each. Without lockstep, the hardware's tables contain no
// nops, so nops take no time. Returns whether an entry has issued.
bool NetworkInterface::run_context(TableContext& context, int index, Cycles now, bool may_issue) {
  TableContext::Port& port = context.ports[static_cast<std::size_t>(index)];
  const auto pass_nop = [&] {
    port.timestep.advance_to(port.table.head()->step);
    context.pop(port);
    context.active = now;
  };
  DecoderState state = state_of(context, index, now);
  if (state == DecoderState::kPass) {
    port.table.pass();
    wait(context, index, state_of(context, index, now + 1), now);
    return false;
  }
  if (state == DecoderState::kNop && context_.system->ni.lockstep) {
    const std::int64_t flits = context_.framing.flits(context.sent(port.table.head()->bytes));
    pass_nop();
    hold(context, index, flits, slowest_flit(context, index), now, false);
    wait(context, index, state_of(context, index, now + 1), now);
    return false;
  }
  for (; state == DecoderState::kNop; state = state_of(context, index, now)) pass_nop();
  if (state != DecoderState::kIssue || !may_issue) {
    wait(context, index, state, now);
    return false;
  }
  const TableEntry& entry = *port.table.head();
  port.table.prefetch_next();
  port.timestep.advance_to(entry.step);
  context.pop(port);
  issue(context, index, entry, now);
  wait(context, index, state_of(context, index, now + 1), now);
  return true;
}

// Records the event for which the port waits: an arrival, a free slot, or the cycle in which it next examines
// the head of its table.
void NetworkInterface::wait(TableContext& context, int index, DecoderState state, Cycles now) {
  const TableContext::Port& port = context.ports[static_cast<std::size_t>(index)];
  TableContext::Waiting waiting;
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
      // The tail of a message may have left in this cycle, so that a slot is free from the next cycle on.
      waiting.awaits_place = !ports_[static_cast<std::size_t>(index)]->packetizer.has_place(now + 1);
      if (!waiting.awaits_place) waiting.due = now + 1;
      break;
    case DecoderState::kIssue:
    case DecoderState::kNop:
    case DecoderState::kPass:
      waiting.due = now + 1;
      break;
  }
  context.wait(static_cast<std::size_t>(index), waiting);
}

void NetworkInterface::issue(TableContext& context, int index, const TableEntry& entry, Cycles now) {
  Port& port = *ports_[static_cast<std::size_t>(index)];
  TableContext::Port& source = context.ports[static_cast<std::size_t>(index)];
  const topology::Route& route = context_.paths != nullptr
                                     ? context_.paths->route(node_, entry.destination())
                                     : context.given.schedule->routes[static_cast<std::size_t>(entry.route)];
  const fabric::RouteTiming timing =
      context_.paths != nullptr ? fabric::time_route(*context_.topology, *context_.system, node_, route)
                                : context.timing(entry.route);
  const Bytes sent = context.sent(entry.message_bytes());
  const std::uint64_t id = open_message(context_, node_, index, entry, sent, timing,
                                        source.lockstep.release(), context.enablers[index], now);
  MessageRecord& record = (*context_.log)[id];
  record.context = context.given.id;
  Cycles ready = 0;
  const auto request = [&] { ready = memory_port_.read(context.given, record, timing.slowest_flit, now); };
  if (queues_ && context.given.id == kOwnTables) {
    const auto word = static_cast<std::size_t>(entry.address) / sizeof(float);
    queues_->read_ahead(word, word + static_cast<std::size_t>(entry.bytes) / sizeof(float), values_->values(),
                        request);
  } else {
    request();
  }
  if (images_ != nullptr) images_->issued(id, source.table.issued() - 1, record);
  ++context.in_flight;
  ++counts_.messages_sent;
  counts_.bytes_sent += entry.message_bytes();
  port.last_served = context.given.id;
  if (context.given.images != nullptr) {
    const ImageArrival& image =
        (*context.given.images)[static_cast<std::size_t>(index)][source.table.issued() - 1];
    image.replace(record.payload);
    record.entry = &image.entry;
  } else if (!source.table.entries_stay()) {
    record.entry = &context_.log->keep(id, entry);
  }
  context.enablers.expect(index, source.table.next_message(), context.tracker, now);
  if (context_.system->ni.lockstep) hold(context, index, record.flits, timing.slowest_flit, now, true);
  port.packetizer.push({id, node_, record.dst, &route, sent, timing.slowest_flit}, ready, context.setup);
  wake_fabric(index, now);
}

// Wakes the fabric for the first message of the port. A message that is already being sent needs no wake-up.
void NetworkInterface::wake_fabric(int index, Cycles now) {
  const Cycles ready = ports_[static_cast<std::size_t>(index)]->packetizer.front_ready();
  if (ready > now) network_ports_[static_cast<std::size_t>(index)]->wake(ready);
}

void NetworkInterface::settle() {
  if (queues_) queues_->settle(0, values_->values().size(), values_->values());
}

void NetworkInterface::read_statistics(const Reader& read) const {
  read({"network_interface", "messages_sent", "", "Messages issued by table entries."},
       static_cast<double>(counts_.messages_sent));
  read({"network_interface", "messages_received", "", "Messages reduced or stored."},
       static_cast<double>(counts_.messages_received));
  read({"network_interface", "bytes_sent", "B", "Payload bytes of issued messages, excluding head flits."},
       static_cast<double>(counts_.bytes_sent));
  read({"network_interface", "bytes_received", "B",
        "Payload bytes of received messages, whether reduced or stored."},
       static_cast<double>(counts_.bytes_received));
}

bool NetworkInterface::finished() const {
  return own_->issued() && loaded_.empty();
}

std::string NetworkInterface::describe_waiting(Cycles now) const {
  std::string text;
  const auto describe = [&](const TableContext& context) {
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      const TableEntry* head = context.ports[p].table.head();
      if (head == nullptr) continue;
      const DecoderState state = state_of(context, static_cast<int>(p), now);
      const std::string tables =
          context.given.id == kOwnTables ? std::string() : fmt::format(" of collective {}", context.given.id);
      text += fmt::format("  NI {} port {}{}: {} of flow {} in step {} waits for {}", node_, p, tables,
                          schedule::to_string(head->op), head->flow, head->step, to_string(state));
      if (state == DecoderState::kWaitDependency) {
        text += fmt::format(" ({} of {} arrivals)", context.tracker.count(head->flow), head->dependencies);
      }
      text += '\n';
    }
  };
  describe(*own_);
  for (const TableContext* context : running_) {
    if (context != own_.get()) describe(*context);
  }
  return text;
}

// Shows the tables that have been running for the longest time, or the interface's own tables if none are
// running.
NetworkInterface::PortView NetworkInterface::view(int index, Cycles now) const {
  const TableContext& context = running_.empty() ? *own_ : *running_.front();
  const TableContext::Port& port = context.ports[static_cast<std::size_t>(index)];
  return {state_of(context, index, now), port.timestep.value(), port.lockstep.value(now),
          static_cast<std::int64_t>(port.table.issued())};
}

}  // namespace coppice::ni

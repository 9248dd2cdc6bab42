#include "cosim/rtl_context_interface.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "cosim/verilog_library.h"
#include "ni/network_interface.h"
#include "schedule/tables/table_loop.h"

namespace coppice::cosim {
namespace {

using ni::ContextId;
using schedule::Op;

constexpr std::uint32_t kIds = 1U << NiContextsLimits::kIdBits;

NiOrder order_of(config::ContextOrder order) {
  switch (order) {
    case config::ContextOrder::kPriority:
      return NiOrder::kByPriority;
    case config::ContextOrder::kFifo:
      return NiOrder::kFirstToStart;
    case config::ContextOrder::kRoundRobin:
      break;
  }
  return NiOrder::kInTurns;
}

}  // namespace

// Every buffer begins at a flit boundary, so that no flit contains words of two collectives.
std::uint32_t BufferMap::add(ni::GradientMemory& buffer, Bytes bytes) {
  const std::uint32_t first = next_;
  const Bytes words = words_of(bytes);
  const Bytes end = first + (words + kLanes - 1) / kLanes * kLanes;
  if (end * kWordBytes > kReach) {
    throw ModelError(
        fmt::format("the buffers of an accelerator's collectives exceed the {} that a Verilog network "
                    "interface can address",
                    format_bytes(kReach)));
  }
  next_ = static_cast<std::uint32_t>(end);
  places_.push_back({first, dynamic_cast<ni::ValueMemory*>(&buffer)});
  return first;
}

const BufferMap::Place* BufferMap::find(std::uint32_t address) const {
  const auto after = std::ranges::upper_bound(places_, address, {}, &Place::first);
  return after == places_.begin() ? nullptr : &*std::prev(after);
}

FlitBits BufferMap::read(std::uint32_t address) {
  FlitBits bits{};
  const Place* const place = find(address);
  if (place == nullptr || place->values == nullptr) return bits;
  const auto values = std::as_const(*place->values).values();
  const std::size_t first = address - place->first;
  for (std::size_t lane = 0; lane < kLanes && first + lane < values.size(); ++lane) {
    bits[lane] = std::bit_cast<std::uint32_t>(values[first + lane]);
  }
  return bits;
}

void BufferMap::write(std::uint32_t address, unsigned lanes, const FlitBits& words) {
  const Place* const place = find(address);
  if (place == nullptr || place->values == nullptr) return;
  const auto values = place->values->values();
  const std::size_t first = address - place->first;
  for (std::size_t lane = 0; lane < kLanes && first + lane < values.size(); ++lane) {
    if (((lanes >> lane) & 1) != 0) values[first + lane] = std::bit_cast<float>(words[lane]);
  }
}

RtlContextInterface::RtlContextInterface(const sc_core::sc_module_name& name, NodeId node, int ports,
                                         const ni::NiContext& context, fabric::FlitContext& flits,
                                         FlitContents& contents)
    : RtlTerminal(name, node, ports, context, kSeveralContexts, flits, contents),
      ports_(ports),
      model_(verilog_library().make_ni_contexts(settings_of(context, node),
                                                order_of(context.system->ni.context_order), memory_)),
      sizes_(static_cast<std::size_t>(ports)) {}

void RtlContextInterface::start(Cycles at) {
  fail("it has no tables of its own to start", at);
}

int RtlContextInterface::find(ContextId id) const {
  for (int i = 0; i < kContexts; ++i) {
    const auto& collective = contexts_[static_cast<std::size_t>(i)].collective;
    if (collective != nullptr && collective->given.id == id) return i;
  }
  return -1;
}

void RtlContextInterface::load(const ni::ContextTables& tables, Cycles now) {
  const int index = tables.context;
  if (index < 0 || index >= kContexts) fail(fmt::format("it has no context {}", index), now);
  Context& context = contexts_[static_cast<std::size_t>(index)];
  if (context.collective != nullptr) fail(fmt::format("context {} is not free", index), now);
  for (const Context& other : contexts_) {
    if (other.collective != nullptr && other.collective->given.id % kIds == tables.id % kIds)
      fail(fmt::format("two collectives in flight share the id {}", tables.id % kIds), now);
  }
  context.collective =
      std::make_unique<ni::TableContext>(*shared().topology, *shared().system, node(), tables);
  context.collective->reset(now);
  context.collective->missing = tables.arrivals;
  context.reached = false;
  const schedule::Repetition& repetition = tables.schedule->repetition;
  model_->open(index, {.id = tables.id % kIds,
                       .base = memory_.add(*tables.contents, tables.schedule->size),
                       .arrivals = static_cast<std::uint32_t>(tables.arrivals),
                       .priority = tables.priority,
                       .flow_stride = static_cast<std::uint32_t>(repetition.flow),
                       .address_stride = static_cast<std::uint32_t>(repetition.address / kWordBytes),
                       .step_stride = static_cast<std::uint32_t>(repetition.step)});
  if (context.tables != tables.tables) {
    context.tables = tables.tables;
    load_tables(index, now);
  }
  if (simulating_) FlitModule::wake(now);
}

void RtlContextInterface::load_tables(int index, Cycles now) {
  if (loading_ >= 0) fail("the tables of two collectives cannot be loaded at the same time", now);
  const ni::ContextTables& given = contexts_[static_cast<std::size_t>(index)].collective->given;
  loading_ = index;
  std::uint32_t most = 0;
  std::vector<std::vector<NiLine>> lines(given.tables->ports.size());
  for (std::size_t p = 0; p < lines.size(); ++p) {
    const schedule::TableLoop loop(given.tables->ports[p], given.schedule->repetition,
                                   shared().system->ni.lockstep);
    for (const schedule::TableLine& line : loop.lines()) {
      const bool nop = line.base.op == Op::kNop;
      lines[p].push_back(
          line_of(shared(), line,
                  nop ? nullptr : &given.schedule->routes[static_cast<std::size_t>(line.base.route)]));
    }
    sizes_[p] = {static_cast<std::uint32_t>(lines[p].size()), static_cast<std::uint32_t>(loop.entries())};
    most = std::max(most, sizes_[p].lines);
  }
  for (std::uint32_t line = 0; line < most; ++line) {
    for (std::size_t p = 0; p < lines.size(); ++p) {
      if (line < sizes_[p].lines) lines_.push_back({index, static_cast<int>(p), line, lines[p][line]});
    }
  }
  while (!simulating_ && loading_ >= 0) {
    put_tables(-1);
    model_->clock();
  }
  // Tables without entries need no additional cycle for loading.
  if (loading_ >= 0 && lines_.empty()) put_tables(now);
}

// In the upcoming cycle `now`, sends a line of the tables or, after the last line, commits the tables.
void RtlContextInterface::put_tables(Cycles now) {
  if (lines_.empty()) {
    model_->commit(loading_, sizes_);
    contexts_[static_cast<std::size_t>(loading_)].committed = now;
    loading_ = -1;
    return;
  }
  const Line& line = lines_.front();
  model_->load(line.context, line.port, line.index, line.line);
  lines_.pop_front();
}

// A collective must keep its context once one of its messages has arrived, because the RTL has already
// reduced and counted the message.
void RtlContextInterface::unload(ContextId id) {
  const int index = find(id);
  Context& context = contexts_[static_cast<std::size_t>(std::max(index, 0))];
  if (index < 0 || context.collective->started || index == loading_) {
    throw ModelError(
        fmt::format("NI {} (Verilog): tables {} do not exist, are being loaded, or are running", node(), id));
  }
  if (context.reached) {
    throw ModelError(
        fmt::format("NI {} (Verilog): collective {} cannot release its context because some of its "
                    "messages have already arrived: raise system.ni.contexts",
                    node(), id));
  }
  context.collective.reset();
}

void RtlContextInterface::start_context(ContextId id, Cycles at) {
  const int index = find(id);
  if (index < 0) fail(fmt::format("tables {} cannot be started: they are not loaded", id), at);
  Context& context = contexts_[static_cast<std::size_t>(index)];
  if (context.collective->started)
    fail(fmt::format("tables {} cannot be started: they are already running", id), at);
  if (index == loading_)
    fail(fmt::format("tables {} cannot be started: they are still being loaded", id), at);
  const bool some = context.committed == at && !context.collective->issued();
  if (some) fail(fmt::format("tables {} cannot be started in the cycle in which they are committed", id), at);
  context.collective->started = true;
  running_.push_back(index);
  model_->start(index);
  starts_ = at;
  FlitModule::wake(at);
}

void RtlContextInterface::receive_flit(int port, int vc, fabric::Flit flit, Cycles now) {
  const Arrival arrival = take(port, vc, flit, now);
  if (flit.is_head()) {
    const ContextId id = (*shared().log)[arrival.message].context;
    const int index = find(id);
    if (index < 0) {
      fail(fmt::format("a message of collective {} arrived before the collective had a context: raise "
                       "system.ni.contexts",
                       id),
           now);
    }
    contexts_[static_cast<std::size_t>(index)].reached = true;
    if (decode(arrival.bits, kSeveralContexts).id != id % kIds)
      fail("a head flit belongs to another collective", now);
  }
  model_->put_flit(port, vc, flit.is_head(), flit.tail != 0, arrival.bits);
  want(now);
}

void RtlContextInterface::receive_credit(int port, int vc, Cycles now) {
  pop_credit(port, vc);
  model_->put_credit(port, vc);
  want(now);
}

void RtlContextInterface::step(Cycles now) {
  if (now >= Cycles{1} << 31) fail("its counters cannot measure more than 2^31 cycles", now);
  simulating_ = true;
  if (starts_ >= 0 && starts_ != now)
    fail(fmt::format("a start requested for cycle {} was not simulated in that cycle", starts_), now);
  starts_ = -1;
  if (loading_ >= 0) put_tables(now);
  const NiContextsModel::Outcome did = model_->step(now);
  if (did.stray) fail("a message arrived for a collective without an open context", now);
  take_outcome(did, now);
  set_next(did.busy || loading_ >= 0 ? now + 1 : fabric::kNever);
  if (did.holding) want(std::max(now + 1, near(did.next_release, now)));
  for (int port = 0; port < kPorts; ++port) {
    const auto p = static_cast<std::size_t>(port);
    if (did.issued[p] >= 0) issue(port, did.issued[p], near(did.release[p], now), now);
    if (((did.arrived >> port) & 1) == 0) continue;
    message_came(port, now);
    shared().clock->set(next_count(), *this);
  }
  for (int index = 0; index < kContexts; ++index) {
    if (((did.done >> index) & 1) == 0) continue;
    contexts_[static_cast<std::size_t>(index)].ended = true;
    shared().clock->set(now + 1, *this);
  }
}

// The module that is notified of the end of a collective acts in the next cycle, before the RTL does.
void RtlContextInterface::wake(Cycles now) {
  while (const auto id = next_counted(now)) {
    const ni::MessageRecord& record = (*shared().log)[*id];
    const int index = find(record.context);
    if (index < 0)
      fail(fmt::format("a message of collective {} was counted after the collective ended", record.context),
           now);
    Context& context = contexts_[static_cast<std::size_t>(index)];
    ni::TableContext& collective = *context.collective;
    const std::int32_t before = collective.tracker.count(record.entry->flow);
    collective.tracker.arrived(record.entry->flow);
    collective.enablers.arrived(record, collective.tracker, before, now);
    --collective.missing;
    shared().log->close(*id);
    if (context.ended && collective.missing == 0) finish(index, now);
  }
  const std::vector<int> running = running_;
  for (const int index : running) {
    if (contexts_[static_cast<std::size_t>(index)].ended) finish(index, now);
  }
  if (next_count() != fabric::kNever) shared().clock->set(next_count(), *this);
}

void RtlContextInterface::finish(int index, Cycles now) {
  Context& context = contexts_[static_cast<std::size_t>(index)];
  ni::TableContext& collective = *context.collective;
  const ContextId id = collective.given.id;
  const bool issued =
      std::ranges::all_of(collective.ports, [](auto& port) { return port.table.next_message() == nullptr; });
  if (!issued || collective.missing > 0 || collective.in_flight > 0) {
    fail(fmt::format("collective {} ended with {} messages still to arrive, {} to leave and {} to issue", id,
                     collective.missing, collective.in_flight, issued ? "none" : "some"),
         now);
  }
  std::erase(running_, index);
  context.collective.reset();
  context.ended = false;
  if (on_context_done) on_context_done(id, now);
}

void RtlContextInterface::issue(int port, int index, Cycles released, Cycles now) {
  const Context& context = contexts_[static_cast<std::size_t>(index)];
  if (context.collective == nullptr) fail("a free context issued an entry", now);
  ni::TableContext& collective = *context.collective;
  ni::ScheduleTable& table = collective.ports[static_cast<std::size_t>(port)].table;
  while (table.head() != nullptr && table.head()->op == Op::kNop) table.pop();
  if (table.head() == nullptr) fail("more entries were issued than exist", now);
  const TableEntry& entry = *table.head();
  table.pop();
  const std::uint64_t id =
      ni::open_message(shared(), node(), port, entry, entry.message_bytes(),
                       collective.route_times[entry.route], released, collective.enablers[port], now);
  ni::MessageRecord& record = (*shared().log)[id];
  record.context = collective.given.id;
  if (!table.entries_stay()) record.entry = &shared().log->keep(id, entry);
  ++collective.in_flight;
  collective.enablers.expect(port, table.next_message(), collective.tracker, now);
  message_issued(port, id);
}

void RtlContextInterface::message_left(ni::MessageRecord& record, Cycles now) {
  const int index = find(record.context);
  if (index < 0) fail("a collective that has ended sent a message", now);
  --contexts_[static_cast<std::size_t>(index)].collective->in_flight;
}

const topology::Route& RtlContextInterface::route_of(const ni::MessageRecord& record) const {
  const auto& collective = contexts_[static_cast<std::size_t>(find(record.context))].collective;
  return collective->given.schedule->routes[static_cast<std::size_t>(record.entry->route)];
}

bool RtlContextInterface::finished() const {
  return std::ranges::all_of(contexts_, [](const Context& context) { return context.collective == nullptr; });
}

std::string RtlContextInterface::describe_waiting(Cycles /*now*/) const {
  std::string text;
  for (const int index : running_) {
    ni::TableContext& collective = *contexts_[static_cast<std::size_t>(index)].collective;
    for (int port = 0; port < ports_; ++port) {
      const TableEntry* const entry = collective.ports[static_cast<std::size_t>(port)].table.next_message();
      if (entry == nullptr) continue;
      text += fmt::format(
          "  NI {} (Verilog) port {} of collective {}: {} of flow {} in step {} waits for {}\n", node(), port,
          collective.given.id, schedule::to_string(entry->op), entry->flow, entry->step,
          ni::to_string(static_cast<ni::DecoderState>(model_->view(port, index).state)));
    }
  }
  return text;
}

// Shows the tables that have been running for the longest time.
ni::Interface::PortView RtlContextInterface::view(int port, Cycles now) const {
  const NiModel::PortView view = model_->view(port, running_.empty() ? 0 : running_.front());
  return {static_cast<ni::DecoderState>(view.state), static_cast<std::int32_t>(view.timestep),
          std::max<Cycles>(0, near(view.release, now) - now), view.issued};
}

}  // namespace coppice::cosim

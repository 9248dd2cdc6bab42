#include "fabric/flits/flit_node.h"

#include <algorithm>

#include "fabric/flits/node_stretch.h"

namespace coppice::fabric {

FlitNode::FlitNode(const sc_core::sc_module_name& name, NodeClock& clock, const Populate& populate)
    : sc_module(name), clock_(&clock), index_(clock.add(*this)) {
  if (populate) populate(*this);
}

void FlitNode::add(FlitModule& module) {
  modules_.push_back(&module);
  module.join(*this);
  if (module.next() != kNever) wake(module.next());
}

void FlitNode::end_of_elaboration() {
  constexpr int kWord = 64;
  int waiting_lines = 0;
  int lines = 0;
  int columns = 0;
  for (FlitModule* module : modules_) {
    module->fetch_wires();
    waiting_lines += module->lines(true);
    lines += module->lines(false);
    columns += module->columns();
  }
  const bool waiting = waiting_lines <= kWord;
  if (waiting) lines = waiting_lines;
  arrivals_.set_lines(lines);
  arrivals_.set_columns(waiting ? columns : 0);
  arrivals_.set_begun(clock_->begun());
  int first = 0;
  int first_column = 0;
  for (FlitModule* module : modules_) {
    module->attach(arrivals_, first, first_column, clock_->due(index_), waiting);
    const int own = module->lines(waiting);
    if (own > 0 && lines <= kWord)
      stands_.push_back({module, ~std::uint64_t{0} >> (kWord - own) << first, first});
    first += own;
    first_column += module->columns();
    if (lines <= kWord) continue;
    for (int port = 0; port < static_cast<int>(module->in.size()); ++port)
      lines_.push_back({&module->wire_in(port), module, port, false});
    for (int port = 0; port < static_cast<int>(module->out.size()); ++port)
      lines_.push_back({&module->wire_out(port), module, port, true});
  }
}

FlitNode::~FlitNode() = default;

void FlitNode::stretch(FlitContext& context, SwitchStretch& switches) {
  runs_come_ = true;
  auto stretch = std::make_unique<NodeStretch>(modules_, arrivals_, context, switches);
  if (stretch->able()) stretch_ = std::move(stretch);
}

std::int64_t FlitNode::stretched() const {
  return stretch_ == nullptr ? 0 : stretch_->cycles();
}

StretchGain FlitNode::collect_stretch_gain() {
  return stretch_ == nullptr ? StretchGain() : stretch_->collect_gain();
}

void FlitNode::rest_from_stretches(Cycles until) {
  if (stretch_ != nullptr) stretch_->rest(until);
}

Cycles FlitNode::run(Cycles from, Cycles until) {
  if (stretch_ == nullptr) {
    if (runs_come_) spread(until);
    return run_one_by_one(from, until);
  }
  Cycles now = from;
  while (now < until) {
    const Cycles brought = stretch_->run(now, until);
    if (brought > now) {
      now = std::max(brought, std::min(wanted_by_modules(), arrivals_.next(kNever)));
      continue;
    }
    const Cycles stop = std::min(until, std::max(now + 1, stretch_->resume()));
    spread(stop);
    now = run_one_by_one(now, stop);
  }
  return now;
}

void FlitNode::spread(Cycles end) {
  for (FlitModule* module : modules_) {
    for (int port = 0; port < static_cast<int>(module->in.size()); ++port)
      module->wire_in(port).spread_flits(end);
    for (int port = 0; port < static_cast<int>(module->out.size()); ++port)
      module->wire_out(port).spread_credits(end);
  }
}

Cycles FlitNode::run_one_by_one(Cycles from, Cycles until) {
  Cycles now = from;
  do {
    if (arrivals_.one_word()) {
      hand_over(now);
    } else {
      hand_over_by_line(now);
    }
    for (FlitModule* module : modules_) {
      if (module->next() <= now) module->step(now);
    }
    // Asks the modules only after all of them have been stepped, because a step may request a step of another
    // module.
    const Cycles wanted = wanted_by_modules();
    now = wanted <= now + 1 ? wanted : std::min(wanted, arrivals_.next(kNever));
  } while (now < until);
  return now;
}

inline void FlitNode::hand_over(Cycles now) {
  const std::uint64_t lines = arrivals_.take(now);
  if (lines == 0) return;
  for (const Stand& stand : stands_) {
    if ((lines & stand.lines) != 0) stand.module->arrive((lines & stand.lines) >> stand.first, now);
  }
}

void FlitNode::hand_over_by_line(Cycles now) {
  arrivals_.serve(now, [&](int index) {
    const Line& line = lines_[static_cast<std::size_t>(index)];
    if (line.credits) {
      while (line.wire->has_credit(now)) line.module->receive_credit(line.port, line.wire->pop_credit(), now);
    } else {
      while (line.wire->has_flit(now)) {
        const TimedFlit arrival = line.wire->pop_flit();
        line.module->receive_flit(line.port, arrival.stamp.vc(), arrival.flit, now);
      }
    }
  });
}

Cycles FlitNode::wanted_by_modules() const {
  Cycles wanted = kNever;
  for (const FlitModule* module : modules_) wanted = std::min(wanted, module->next());
  return wanted;
}

Cycles FlitNode::shift(Cycles by) {
  arrivals_.shift(by);
  return std::min(wanted_by_modules(), arrivals_.next(kNever));
}

}  // namespace coppice::fabric

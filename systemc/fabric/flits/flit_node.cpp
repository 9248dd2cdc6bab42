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
  for (FlitModule* module : modules_) {
    module->fetch_wires();
    const std::size_t first = lines_.size();
    for (int port = 0; port < static_cast<int>(module->in.size()); ++port) {
      lines_.push_back({&module->wire_in(port), module, port, false});
    }
    for (int port = 0; port < static_cast<int>(module->out.size()); ++port) {
      lines_.push_back({&module->wire_out(port), module, port, true});
    }
    if (first == lines_.size() || lines_.size() > 64) continue;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - (lines_.size() - first));
    stands_.push_back({module, all << first, static_cast<int>(first)});
  }
  arrivals_.set_lines(static_cast<int>(lines_.size()));
  arrivals_.set_begun(clock_->begun());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Line& line = lines_[i];
    if (line.credits) {
      line.wire->attach_sender(arrivals_, static_cast<int>(i), clock_->due(index_));
    } else {
      line.wire->attach_receiver(arrivals_, static_cast<int>(i), clock_->due(index_));
    }
  }
}

FlitNode::~FlitNode() = default;

void FlitNode::stretch(FlitContext& context, SwitchStretch& switches) {
  auto stretch = std::make_unique<NodeStretch>(modules_, arrivals_, context, switches);
  if (stretch->able()) stretch_ = std::move(stretch);
}

std::int64_t FlitNode::stretched() const {
  return stretch_ == nullptr ? 0 : stretch_->cycles();
}

StretchGain FlitNode::take_stretch_gain() {
  return stretch_ == nullptr ? StretchGain() : stretch_->take_gain();
}

void FlitNode::rest_from_stretches(Cycles until) {
  if (stretch_ != nullptr) stretch_->rest(until);
}

Cycles FlitNode::run(Cycles from, Cycles until) {
  if (stretch_ == nullptr) return run_one_by_one(from, until);
  Cycles now = from;
  while (now < until) {
    const Cycles brought = stretch_->run(now, until);
    if (brought > now) {
      now = std::max(brought, std::min(wanted_by_modules(), arrivals_.next(kNever)));
      continue;
    }
    const Cycles stop = std::min(until, std::max(now + 1, stretch_->resume()));
    stretch_->spread(stop);
    now = run_one_by_one(now, stop);
  }
  return now;
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
    // A module that has been stepped may have work again for those that come after it.
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
      while (line.wire->has_credit(now))
        line.module->receive_credit(line.port, line.wire->take_credit(), now);
    } else {
      while (line.wire->has_flit(now)) {
        const TimedFlit arrival = line.wire->take_flit();
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

#include "fabric/flits/leaper.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <systemc>

#include "fabric/flits/flit_module.h"
#include "fabric/flits/flit_node.h"

namespace coppice::fabric {
namespace {

constexpr Cycles kPatience = 8;  // number of cycles from an event to the first reference
constexpr Cycles kFirstWindow = 16;
constexpr Cycles kLongestWindow = 1 << 17;
// The number of node cycles to simulate between two comparisons of a node. With this value, comparisons take
// about a tenth of the run time.
constexpr Cycles kCostOfLook = 16;
// The minimum cost of a cycle simulated individually, relative to a cycle in a stretch.
constexpr std::int64_t kCheaper = 64;
// The maximum number of flits and events stored for replay when a period repeats.
constexpr std::size_t kMostRemembered = 1 << 22;

// The first cycle in which a process other than the node clock may run.
Cycles kernel_acts(Cycles now, Femtoseconds period) {
  if (!sc_core::sc_pending_activity()) return kNever;
  if (sc_core::sc_pending_activity_at_current_time()) return now;
  const sc_core::sc_time at = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
  return static_cast<Cycles>(at.value()) / period;
}

}  // namespace

Leaper::Leaper(NodeClock& clock, std::vector<FlitContext*> contexts)
    : clock_(&clock),
      contexts_(std::move(contexts)),
      context_(contexts_.front()),
      period_(context_->system->clock.period()),
      able_(context_->detours == nullptr) {
  for (FlitNode* node : clock.nodes()) {
    modules_.emplace_back();
    for (FlitModule* module : node->modules()) {
      modules_.back().push_back(dynamic_cast<Repeating*>(module));
      able_ = able_ && modules_.back().back() != nullptr;
    }
  }
  patience_ = kPatience;
  before_.resize(modules_.size());
  after_.resize(modules_.size());
  order_.resize(modules_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

Cycles Leaper::look(Cycles now) {
  if (!able_) return 0;
  if (clock_->disturbances() != disturbances_) {
    disturbances_ = clock_->disturbances();
    wait(now);
    return 0;
  }
  if (now < resume_ || looks_ * kCostOfLook > simulated(now)) return 0;
  if (!referring_) {
    window_ = kFirstWindow;
    refer_to(now);
    return 0;
  }
  if (repeats(now)) {
    const std::int64_t times = periods(now);
    const Cycles period = now - reference_;
    if (times > 0) patience_ = kPatience;
    if (times > 0) move(now, times);
    // At most one more period fits before the next event, so the search for periods is suspended until then.
    forget();
    resume_ = kNever;
    return times * period;
  }
  if (now - reference_ < window_) return 0;
  if (window_ >= kLongestWindow) {
    forget();
    resume_ = now + kLongestWindow;
    return 0;
  }
  window_ = 2 * (now - reference_);
  refer_to(now);
  return 0;
}

// The number of node cycles simulated individually. Cycles in stretches are excluded because they cost much
// less.
std::int64_t Leaper::simulated(Cycles now) const {
  std::int64_t stretched = 0;
  for (const FlitNode* node : clock_->nodes()) stretched += node->stretched();
  const std::int64_t all = (now - leapt_) * static_cast<std::int64_t>(modules_.size());
  return all - stretched + stretched / kCheaper;
}

// Pauses the search for a period after an event, because the state needs some cycles to become periodic
// again. If events recur before a period is found, the pause grows, but to at most a small fraction of the
// simulated cycles.
void Leaper::wait(Cycles now) {
  if (referring_) patience_ = std::max(kPatience, std::min(2 * patience_, (now - leapt_) / kCheaper));
  forget();
  resume_ = now + patience_;
}

void Leaper::forget() {
  referring_ = false;
  for (FlitContext* context : contexts_) context->taken.keep(false);
  context_->events.remember(false);
}

void Leaper::refer_to(Cycles now) {
  referring_ = true;
  reference_ = now;
  packets_.clear();
  for (std::size_t node = 0; node < modules_.size(); ++node) {
    record(node, now, before_[node]);
    ++looks_;
    for (const PacketId id : before_[node].packets) packets_.try_emplace(id, context_->packets[id]);
  }
  for (FlitContext* context : contexts_) context->taken.keep(true);
  context_->events.remember(context_->events.watched());
}

void Leaper::record(std::size_t node, Cycles now, StateRecord& record) const {
  record.clear();
  StateRecorder recorder(now, period_, context_->packets, record);
  for (std::size_t i = 0; i < modules_[node].size(); ++i) {
    modules_[node][i]->visit(recorder);
    FlitModule& module = *clock_->nodes()[node]->modules()[i];
    for (int port = 0; port < static_cast<int>(module.in.size()); ++port)
      module.wire_in(port).visit(recorder);
  }
}

bool Leaper::same(const StateRecord& before, const StateRecord& after) const {
  if (!after.exact || before.words != after.words || before.counters.size() != after.counters.size())
    return false;
  // A message that falls further behind its pace in every period is delayed only by other messages, so its
  // pace has no effect.
  return std::equal(before.paces.begin(), before.paces.end(), after.paces.begin(), after.paces.end(),
                    [](const StateRecord::Pace& a, const StateRecord::Pace& b) {
                      return a.ahead == b.ahead || (a.held_up == b.held_up && b.ahead < a.ahead);
                    });
}

bool Leaper::repeats(Cycles now) {
  if (context_->taken.flits().size() + context_->events.reported().size() > kMostRemembered) {
    forget();
    return false;
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t node = order_[i];
    record(node, now, after_[node]);
    ++looks_;
    if (same(before_[node], after_[node])) continue;
    std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(i),
                order_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return false;
  }
  return same_packets();
}

// For each message, the number of packets or flits handed over since the reference state.
std::unordered_map<std::uint64_t, Leaper::Progress> Leaper::progress() const {
  std::unordered_map<std::uint64_t, Progress> progress;
  for (std::size_t node = 0; node < modules_.size(); ++node) {
    for (const StateRecord::Growth& growth : after_[node].growths) {
      const std::int64_t grown =
          after_[node].counters[growth.counter] - before_[node].counters[growth.counter];
      (growth.packets ? progress[growth.tag].packets : progress[growth.tag].flits) = grown;
    }
  }
  return progress;
}

// Whether the flit at each position belongs to the same packet as in the reference state, or to a packet that
// comes later in its message by the number of packets by which the message has progressed.
bool Leaper::same_packets() const {
  const auto come_on = progress();
  std::unordered_map<PacketId, PacketId> then;
  std::unordered_map<PacketId, PacketId> now;
  for (std::size_t node = 0; node < modules_.size(); ++node) {
    const std::vector<PacketId>& before = before_[node].packets;
    const std::vector<PacketId>& after = after_[node].packets;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (now.try_emplace(before[i], after[i]).first->second != after[i]) return false;
      if (then.try_emplace(after[i], before[i]).first->second != before[i]) return false;
      const Packet& packet = context_->packets[after[i]];
      const auto grown = come_on.find(packet.tag);
      const std::int64_t packets = grown == come_on.end() ? 0 : grown->second.packets;
      if (std::int64_t{packet.index} - packets_.at(before[i]).index != packets) return false;
    }
  }
  return true;
}

std::int64_t Leaper::periods(Cycles now) const {
  const Cycles period = now - reference_;
  Cycles event = kernel_acts(now, period_);
  std::int64_t most = kNever;
  for (const StateRecord& after : after_) event = std::min(event, after.next_event);
  for (std::size_t node = 0; node < modules_.size(); ++node) {
    for (const StateRecord::Growth& growth : after_[node].growths) {
      const std::int64_t grown =
          after_[node].counters[growth.counter] - before_[node].counters[growth.counter];
      if (grown > 0) most = std::min(most, growth.room / grown);
    }
  }
  // No counter grows in a period, so no data moves.
  if (most == kNever) return 0;
  return event == kNever ? most : std::min(most, std::max<Cycles>(0, event - now) / period);
}

void Leaper::move(Cycles now, std::int64_t periods) {
  const Cycles period = now - reference_;
  report_again(period, periods);
  move_packets(periods);
  for (std::size_t node = 0; node < modules_.size(); ++node) {
    StateShifter shifter(periods * period, period_, periods, before_[node], after_[node]);
    for (std::size_t i = 0; i < modules_[node].size(); ++i) {
      modules_[node][i]->visit(shifter);
      FlitModule& module = *clock_->nodes()[node]->modules()[i];
      for (int port = 0; port < static_cast<int>(module.in.size()); ++port)
        module.wire_in(port).visit(shifter);
    }
  }
  leapt_ += periods * period;
}

// Changes each packet in flight into the packet of its message that will occupy its position after the leap.
void Leaper::move_packets(std::int64_t periods) {
  std::unordered_map<PacketId, bool> moved;
  for (std::size_t node = 0; node < modules_.size(); ++node) {
    for (std::size_t i = 0; i < after_[node].packets.size(); ++i) {
      const PacketId id = after_[node].packets[i];
      if (!moved.try_emplace(id, true).second) continue;
      Packet& packet = context_->packets[id];
      const Packet& before = packets_.at(before_[node].packets[i]);
      const auto grow = [periods](auto& value, auto old) {
        using Value = std::remove_reference_t<decltype(value)>;
        value = static_cast<Value>(
            value + periods * (static_cast<std::int64_t>(value) - static_cast<std::int64_t>(old)));
      };
      grow(packet.index, before.index);
      grow(packet.created, before.created);
      grow(packet.head_injected, before.head_injected);
      // flit_cycles() grows by a constant in every period; ejection_cycles alone does not.
      packet.ejection_cycles += periods * (packet.flit_cycles() - before.flit_cycles());
    }
  }
}

// Reports the events of the period to ejectors and observers again for every skipped period.
void Leaper::report_again(Cycles period, std::int64_t periods) {
  const auto& taken = context_->taken.flits();
  const auto& reported = context_->events.reported();
  if (taken.empty() && reported.empty()) return;
  auto come_on = progress();
  const auto later = [](Flit flit, std::int64_t flits) {
    flit.sequence = static_cast<std::uint32_t>(flit.sequence + flits) & 0x7fffffffU;
    return flit;
  };
  for (std::int64_t i = 1; i <= periods; ++i) {
    for (const ReceivedFlits::Received& flit : taken) {
      const Progress& grown = come_on[flit.tag];
      Packet packet;
      packet.tag = flit.tag;
      packet.index = static_cast<std::uint32_t>(flit.index + i * grown.packets);
      flit.ejector->flit_ejected(packet, later(flit.flit, i * grown.flits), flit.at + i * period);
    }
    for (FlitEvents::Report again : reported) {
      const Progress& grown = come_on[again.packet.tag];
      again.at += i * period;
      again.event.flit = later(again.event.flit, i * grown.flits);
      again.packet.index = static_cast<std::uint32_t>(again.packet.index + i * grown.packets);
      if (grown.packets > 0) {
        again.packet.created += i * period;
        again.packet.head_injected += i * period;
      }
      context_->events.report_again(again);
    }
  }
}

}  // namespace coppice::fabric

#include "fabric/flits/switch_stretch.h"

#include <algorithm>
#include <array>
#include <bit>

namespace coppice::fabric {
namespace {

// The number of cycles after which the reference is first renewed.
constexpr Cycles kFirstWindow = 4;

// The first cycle before `end` that is in exactly one of the two sets; `end` if there is none.
Cycles first_difference(const CycleMask& mask, const CycleMask& other, Cycles end) {
  for (std::size_t word = 0; word < CycleMask::kWords; ++word) {
    const CycleMask::Word bits = mask.words()[word] ^ other.words()[word];
    if (bits != 0) return std::min(end, static_cast<Cycles>(64 * word) + std::countr_zero(bits));
  }
  return end;
}

std::uint64_t bit(std::size_t index) {
  return std::uint64_t{1} << index;
}

// The first element of `set` that is also in `from`; if there is none, the first element of `set`.
std::size_t first_from(std::uint64_t set, std::uint64_t from) {
  const std::uint64_t above = set & from;
  return static_cast<std::size_t>(std::countr_zero(above != 0 ? above : set));
}

}  // namespace

void SwitchStretch::run(const SwitchPart& part, Cycles cycles) {
  if (part.flows.size() == 1 && run_alone(part, cycles)) return;
  look_up_indices(part);
  write_key(part, cycles);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key_) hash = (std::rotl(hash, 23) ^ word) * 0x9e3779b97f4a7c15U;
  Known& known = known_[hash >> 32U & (kKnown - 1)];
  ++asked_;
  if (known.key == key_) {
    ++found_;
    for (std::size_t f = 0; f < part.flows.size(); ++f) part.flows[f]->sent = known.sent[f];
    return;
  }
  arbitrate(part, cycles);
  known.key = key_;
  known.sent.clear();
  for (const SwitchFlow* flow : part.flows) known.sent.push_back(flow->sent);
}

// A single flow to a channel of one flit per cycle needs neither arbitration nor a cache lookup.
bool SwitchStretch::run_alone(const SwitchPart& part, Cycles cycles) const {
  SwitchFlow& flow = *part.flows.front();
  if (part.outputs.front().flit_time != 0) return false;
  if (flow.credits >= cycles) {
    flow.sent = flow.arrivals.served(flow.flits) & CycleMask::first(cycles);
    return true;
  }
  if (flow.flits >= cycles) {
    flow.sent = flow.returns.served(flow.credits) & CycleMask::first(cycles);
    return true;
  }
  Cycles flits = flow.flits;
  Cycles credits = flow.credits;
  flow.sent = {};
  for (Cycles cycle = 0; cycle < cycles; ++cycle) {
    flits += flow.arrivals.test(cycle) ? 1 : 0;
    credits += flow.returns.test(cycle) ? 1 : 0;
    if (flits == 0 || credits == 0) continue;
    --flits;
    --credits;
    flow.sent.set(cycle);
  }
  return true;
}

void SwitchStretch::look_up_indices(const SwitchPart& part) {
  index_.assign(part.flows.size(), {});
  from_in_.assign(part.inputs.size(), 0);
  to_out_.assign(part.outputs.size(), 0);
  pointers_.assign(part.outputs.size() + 2 * part.inputs.size(), 0);
  paced_ = false;
  for (std::size_t f = 0; f < part.flows.size(); ++f) {
    const SwitchFlow& flow = *part.flows[f];
    const auto by_port = [](const auto& side, int port) { return side.port < port; };
    const auto in =
        std::lower_bound(part.inputs.begin(), part.inputs.end(), flow.in_port, by_port) - part.inputs.begin();
    const auto out = std::lower_bound(part.outputs.begin(), part.outputs.end(), flow.out_port, by_port) -
                     part.outputs.begin();
    index_[f] = {static_cast<std::uint32_t>(in), static_cast<std::uint32_t>(out)};
    from_in_[index_[f].in] |= bit(f);
    to_out_[index_[f].out] |= bit(f);
    if (flow.vc >= part.inputs[index_[f].in].vc_pointer) next_vcs(index_[f].in) |= bit(f);
    // The outcome depends only on the pointer's position among the requesters.
    if (flow.in_port >= part.outputs[index_[f].out].grant_pointer) granting(index_[f].out) |= bit(f);
  }
  for (std::size_t o = 0; o < part.outputs.size(); ++o) {
    paced_ = paced_ || part.outputs[o].flit_time != 0;
    for (std::size_t i = 0; i < part.inputs.size(); ++i) {
      if (part.outputs[o].port >= part.inputs[i].accept_pointer) accepting(i) |= bit(o);
    }
  }
}

// Writes the state that determines the outcome. Levels that suffice for the whole stretch have no influence,
// and neither do arrivals that raise these levels.
void SwitchStretch::write_key(const SwitchPart& part, Cycles cycles) {
  key_.clear();
  key_.push_back(static_cast<std::uint64_t>(cycles) << 32U | part.flows.size() << 16U |
                 part.inputs.size() << 8U | part.outputs.size());
  for (std::size_t f = 0; f < part.flows.size(); ++f) {
    const SwitchFlow& flow = *part.flows[f];
    const auto flits = static_cast<std::uint64_t>(std::min(flow.flits, cycles));
    const auto credits = static_cast<std::uint64_t>(std::min(flow.credits, cycles));
    key_.push_back(std::uint64_t{index_[f].in} << 48U | std::uint64_t{index_[f].out} << 32U | flits << 16U |
                   credits);
    if (flow.flits < cycles)
      key_.insert(key_.end(), flow.arrivals.words().begin(), flow.arrivals.words().end());
    if (flow.credits < cycles)
      key_.insert(key_.end(), flow.returns.words().begin(), flow.returns.words().end());
  }
  key_.insert(key_.end(), pointers_.begin(), pointers_.end());
  if (!paced_) return;
  for (const SwitchOutput& output : part.outputs) {
    key_.push_back(static_cast<std::uint64_t>(output.flit_time));
    if (output.flit_time != 0)
      key_.push_back(static_cast<std::uint64_t>(std::max(output.next_free, -period_)));
  }
}

void SwitchStretch::begin(const SwitchPart& part, Cycles cycles) {
  std::fill_n(flits_come_.begin(), cycles, 0);
  std::fill_n(credits_come_.begin(), cycles, 0);
  ready_ = 0;
  for (std::size_t f = 0; f < part.flows.size(); ++f) {
    SwitchFlow& flow = *part.flows[f];
    flow.sent = {};
    flits_[f] = {.now = flow.flits, .lasts = flow.flits >= cycles};
    credits_[f] = {.now = flow.credits, .lasts = flow.credits >= cycles};
    if (flow.flits > 0 && flow.credits > 0) ready_ |= bit(f);
    const auto come = [f](auto& flows, const CycleMask& mask) {
      mask.for_each([&](Cycles cycle) { flows[static_cast<std::size_t>(cycle)] |= bit(f); });
    };
    if (!flits_[f].lasts) come(flits_come_, flow.arrivals);
    if (!credits_[f].lasts) come(credits_come_, flow.returns);
  }
  granted_.assign(part.inputs.size(), 0);
  next_free_.clear();
  for (const SwitchOutput& output : part.outputs) next_free_.push_back(output.next_free);
}

void SwitchStretch::arbitrate(const SwitchPart& part, Cycles cycles) {
  begin(part, cycles);
  refer_to(0, kFirstWindow);
  for (Cycles cycle = 0; cycle < cycles; ++cycle) {
    if (cycle > reference_.cycle && !paced_) {
      if (repeats()) {
        cycle += repeat(part, cycle, cycles);
        if (cycle >= cycles) return;
      }
      if (cycle - reference_.cycle >= reference_.window) refer_to(cycle, 2 * reference_.window);
    }
    receive_arrivals(cycle);
    if (ready_ == 0) continue;
    grant(part, cycle);
    accept(part, cycle);
  }
}

void SwitchStretch::receive_arrivals(Cycles cycle) {
  for (std::uint64_t come = flits_come_[static_cast<std::size_t>(cycle)]; come != 0; come &= come - 1) {
    const auto f = static_cast<std::size_t>(std::countr_zero(come));
    if (flits_[f].now++ == 0 && credits_[f].now > 0) ready_ |= bit(f);
  }
  for (std::uint64_t come = credits_come_[static_cast<std::size_t>(cycle)]; come != 0; come &= come - 1) {
    const auto f = static_cast<std::size_t>(std::countr_zero(come));
    if (credits_[f].now++ == 0 && flits_[f].now > 0) ready_ |= bit(f);
  }
}

void SwitchStretch::grant(const SwitchPart& part, Cycles cycle) {
  for (std::size_t o = 0; o < to_out_.size(); ++o) {
    const std::uint64_t asking = ready_ & to_out_[o];
    if (asking == 0) continue;
    if (part.outputs[o].flit_time != 0 && next_free_[o] > cycle * period_) continue;
    granted_[index_[first_from(asking, granting(o))].in] |= bit(o);
  }
}

void SwitchStretch::accept(const SwitchPart& part, Cycles cycle) {
  std::uint64_t unready = 0;
  for (std::size_t i = 0; i < from_in_.size(); ++i) {
    if (granted_[i] == 0) continue;
    const std::size_t o = first_from(granted_[i], accepting(i));
    granted_[i] = 0;
    const std::size_t f = first_from(ready_ & from_in_[i] & to_out_[o], next_vcs(i));
    // Flows of an input are adjacent, so all flows after the input's last flow belong to later inputs.
    const std::uint64_t behind_input = ~std::uint64_t{0}
                                       << (63U - static_cast<unsigned>(std::countl_zero(from_in_[i])));
    granting(o) = to_out_[o] & (behind_input << 1U);
    accepting(i) = ~std::uint64_t{0} << o << 1U;
    next_vcs(i) = from_in_[i] & (~std::uint64_t{0} << f << 1U);
    const auto spend = [&](Level& level) {
      level.least = std::min(level.least, --level.now);
      if (level.now == 0) unready |= bit(f);
    };
    spend(flits_[f]);
    spend(credits_[f]);
    part.flows[f]->sent.set(cycle);
    if (paced_) occupy(part, o, cycle);
  }
  ready_ &= ~unready;
}

void SwitchStretch::occupy(const SwitchPart& part, std::size_t output, Cycles cycle) {
  const Femtoseconds flit_time = part.outputs[output].flit_time;
  if (flit_time == 0) return;
  const Femtoseconds slack = flit_time % period_ == 0 ? 0 : period_ - 1;
  next_free_[output] = std::max(next_free_[output], cycle * period_ - slack) + flit_time;
}

void SwitchStretch::refer_to(Cycles cycle, Cycles window) {
  reference_.cycle = cycle;
  reference_.window = window;
  reference_.ready = ready_;
  reference_.pointers = pointers_;
  for (std::size_t f = 0; f < index_.size(); ++f) {
    for (Level* const level : {&flits_[f], &credits_[f]}) level->then = level->least = level->now;
  }
}

// Skips whole periods after a state that equals the reference except for its levels. The switch repeats its
// behaviour as long as the arrivals repeat and no level reaches 0. Returns the number of cycles by which the
// switch has been advanced.
Cycles SwitchStretch::repeat(const SwitchPart& part, Cycles cycle, Cycles cycles) {
  const Cycles period = cycle - reference_.cycle;
  Cycles times = (cycles - cycle) / period;
  const auto limit = [&](const Level& level, const CycleMask& mask) {
    if (level.lasts || times == 0) return;
    const Cycles grown = level.now - level.then;
    if (grown != 0 && level.least == 0) times = 0;
    if (grown < 0 && level.least > 0) times = std::min(times, (level.least - 1) / -grown);
    const CycleMask come = mask.from(reference_.cycle);
    times = std::min(times, first_difference(come, come.from(period), cycles - cycle) / period);
  };
  for (std::size_t f = 0; f < part.flows.size(); ++f) {
    limit(flits_[f], part.flows[f]->arrivals);
    limit(credits_[f], part.flows[f]->returns);
  }
  if (times == 0) return 0;
  const Cycles end = cycle + times * period;
  for (std::size_t f = 0; f < part.flows.size(); ++f) {
    for (Level* const level : {&flits_[f], &credits_[f]}) level->now += times * (level->now - level->then);
    CycleMask& sent = part.flows[f]->sent;
    CycleMask again = sent.from(reference_.cycle).later(cycle);
    for (Cycles length = period; length < end - cycle; length *= 2) again |= again.later(length);
    sent |= again & CycleMask::first(end);
  }
  refer_to(end, kFirstWindow);
  return end - cycle;
}

}  // namespace coppice::fabric

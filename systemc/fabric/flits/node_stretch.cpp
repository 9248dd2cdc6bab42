#include "fabric/flits/node_stretch.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace coppice::fabric {
namespace {

// The minimum length of a stretch, in cycles. Shorter stretches cost more than simulating the cycles one by
// one.
constexpr Cycles kLeast = 8;
// The number of cycles to wait after the first disturbance, and the maximum after many disturbances.
constexpr Cycles kFirstPause = 8;
constexpr Cycles kLongestPause = 64;
// The costs of a stretch, of each of its flows, and of a failed attempt, in units of the cost of one flit in
// a router.
constexpr std::int64_t kCost = 30;
constexpr std::int64_t kCostOfFlow = 10;
constexpr std::int64_t kCostOfNone = 30;

template <typename F>
void for_each_bit(std::uint64_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<std::size_t>(lowest_bit(bits)));
}

}  // namespace

NodeStretch::NodeStretch(const std::vector<FlitModule*>& modules, ArrivalCalendar& arrivals,
                         FlitContext& context, SwitchStretch& switches)
    : arrivals_(&arrivals), context_(&context), switches_(&switches) {
  for (FlitModule* module : modules) {
    if (auto* const router = dynamic_cast<SystemCRouter*>(module)) {
      able_ = able_ && module_ == nullptr;
      module_ = router;
    } else if (auto* const terminal = dynamic_cast<PacketTerminal*>(module)) {
      able_ = able_ && terminal_ == nullptr;
      terminal_ = terminal;
    } else {
      able_ = able_ && module->in.size() == 0 && module->out.size() == 0;
      others_.push_back(module);
    }
  }
  able_ = able_ && module_ != nullptr && module_->router_.in_rotation_;
  if (able_ && terminal_ != nullptr)
    local_ = std::make_unique<TerminalStretch>(*module_, *terminal_, context);
}

Cycles NodeStretch::run(Cycles now, Cycles until) {
  if (now < resume_) return now;
  if (until - now < kLeast) {
    resume_ = until;
    return now;
  }
  const Cycles end = foresee(now, std::min(until, now + CycleMask::kMost));
  if (end - now < kLeast) {
    resume_ = end + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
    ++gain_.tries;
    gain_.flits -= kCostOfNone;
    return now;
  }
  pause_ = kFirstPause;
  cycles_ += end - now;
  ++gain_.tries;
  gain_.flits += move(now, end) - kCost - kCostOfFlow * static_cast<std::int64_t>(flows_.size());
  return end;
}

// Predicts which flits are sent in a stretch that begins in cycle `now`. Returns the end of the stretch: the
// first cycle in which a head or a tail may move or another event occurs. Does not change the node.
Cycles NodeStretch::foresee(Cycles now, Cycles end) {
  end = undisturbed(now, end);
  if (end - now < kLeast) return end;
  end = gather(now, end);
  if (local_ != nullptr) end = local_->independent(now, end);
  if (end - now < kLeast) return end;
  const Cycles cycles = end - now;
  if (local_ != nullptr) {
    end = local_->foresee(now, end);
    for (const TerminalStretch::Injection& injection : local_->injections()) {
      if (!injection.arrivals.empty())
        come(module_->router_.index(injection.port, injection.vc), injection.arrivals, injection.first);
    }
  }
  find_flows(cycles);
  run_switch(now, cycles);
  end = first_to_leave(now, end);
  if (local_ != nullptr) end = local_->foresee_answers(flows_, now, end);
  return end;
}

// The first cycle before `end` in which something other than a flit ends the stretch; `end` if there is none.
Cycles NodeStretch::undisturbed(Cycles now, Cycles end) const {
  const Router& router = module_->router_;
  if (!router.routed_.empty() || !router.allocated_.empty() || !router.choices_.empty()) return now;
  for (const std::int32_t id : router.waiting_vc_) {
    if (router.free_vcs(router.inputs_[static_cast<std::size_t>(id)]) != 0) return now;
  }
  for (const FlitModule* other : others_) end = std::min(end, other->next());
  return local_ == nullptr ? end : local_->undisturbed(now, end);
}

// Collects arrivals before cycle `end`, but stops at a head that arrives at an empty virtual channel. Returns
// the cycle in which it stopped, or `end`.
Cycles NodeStretch::gather(Cycles now, Cycles end) {
  flits_come_ = 0;
  credits_come_ = 0;
  Cycles first_head = end;
  for (int port = 0; port < static_cast<int>(module_->in.size()); ++port)
    first_head = std::min(first_head, gather_flits(port, now, end));
  for (int port = 0; port < static_cast<int>(module_->out.size()); ++port) {
    const Wire& wire = module_->wire_out(port);
    const auto comes = [&](int vc) -> CycleMask& {
      const std::size_t output_vc = module_->router_.index(port, vc);
      if ((credits_come_ >> output_vc & 1U) == 0) coming_[output_vc].credits = {};
      credits_come_ |= std::uint64_t{1} << output_vc;
      return coming_[output_vc].credits;
    };
    for (const CreditRun& run : wire.credit_runs()) {
      if (run.begin < end) comes(run.vc) |= arriving(run, now, end);
    }
    wire.for_each_credit(end, [&](Stamp credit) { comes(credit.vc()).set(credit.at() - now); });
  }
  return first_head;
}

Cycles NodeStretch::gather_flits(int port, Cycles now, Cycles end) {
  const Router& router = module_->router_;
  const Wire& wire = module_->wire_in(port);
  for (const FlitRun& run : wire.flit_runs()) {
    const CycleMask cycles = arriving(run, now, end);
    if (!cycles.empty()) come(router.index(port, run.vc), cycles, run.first);
  }
  Cycles first_head = end;
  wire.for_each_flit(end, [&](Flit flit, Stamp stamp) {
    if (flit.is_head() && !router.is_busy(router.input(port, stamp.vc()))) {
      first_head = stamp.at();
      return false;
    }
    CycleMask cycle;
    cycle.set(stamp.at() - now);
    come(router.index(port, stamp.vc()), cycle, flit);
    return true;
  });
  return first_head;
}

// Records flits that arrive at an input VC. Calls need not be in chronological order.
void NodeStretch::come(std::size_t input_vc, const CycleMask& cycles, Flit first) {
  Coming& coming = coming_[input_vc];
  const std::uint64_t bit = std::uint64_t{1} << input_vc;
  const Cycles at = cycles.front();
  if ((flits_come_ & bit) == 0) {
    flits_come_ |= bit;
    coming.flits = cycles;
    coming.first = first;
    coming.at = at;
    return;
  }
  coming.flits |= cycles;
  if (at >= coming.at) return;
  coming.first = first;
  coming.at = at;
}

// Finds the flows that can send: those that have, or will receive, both flits and credits.
void NodeStretch::find_flows(Cycles cycles) {
  const Router& router = module_->router_;
  const CycleMask all = CycleMask::first(cycles);
  flows_.clear();
  for_each_bit(router.bits_.front().active, [&](std::size_t i) {
    const Router::InputVc& in = router.inputs_[i];
    const auto out = static_cast<std::size_t>(in.out);
    const bool comes = (flits_come_ >> i & 1U) != 0;
    const bool returns = (credits_come_ >> out & 1U) != 0;
    const int credits = router.outputs_[out].credits;
    if ((in.count == 0 && !comes) || (credits == 0 && !returns)) return;
    SwitchFlow& flow = flows_.emplace_back();
    flow.input_vc = static_cast<std::int32_t>(i);
    flow.output_vc = in.out;
    flow.in_port = in.port;
    flow.vc = static_cast<std::int32_t>(i) - in.port * router.vcs_;
    flow.out_port = in.out_port;
    flow.flits = in.count;
    flow.credits = credits;
    if (comes) flow.arrivals = coming_[i].flits & all;
    if (returns) flow.returns = coming_[out].credits & all;
    flow.first = in.count > 0 ? router.buffers_[router.ring_index(i, 0)] : coming_[i].first;
    const Cycles left = Cycles{packets()[flow.first.packet].flits} - flow.first.sequence;
    flow.middles = flow.first.is_head() ? 0 : left - 1;
  });
}

// Simulates switch arbitration, separately for each set of ports that share flows.
void NodeStretch::run_switch(Cycles now, Cycles cycles) {
  std::uint64_t left = flows_.empty() ? 0 : ~std::uint64_t{0} >> (64 - flows_.size());
  while (left != 0) {
    const SwitchFlow& front = flows_[static_cast<std::size_t>(lowest_bit(left))];
    std::uint64_t inputs = std::uint64_t{1} << front.in_port;
    std::uint64_t outputs = std::uint64_t{1} << front.out_port;
    std::uint64_t part = 0;
    for (bool grows = true; grows;) {
      grows = false;
      for_each_bit(left & ~part, [&](std::size_t i) {
        const SwitchFlow& flow = flows_[i];
        if (((inputs >> flow.in_port | outputs >> flow.out_port) & 1U) == 0) return;
        inputs |= std::uint64_t{1} << flow.in_port;
        outputs |= std::uint64_t{1} << flow.out_port;
        part |= std::uint64_t{1} << i;
        grows = true;
      });
    }
    part_.flows.clear();
    for_each_bit(part, [&](std::size_t i) { part_.flows.push_back(&flows_[i]); });
    fill_part(inputs, outputs, now);
    switches_->run(part_, cycles);
    left &= ~part;
  }
}

void NodeStretch::fill_part(std::uint64_t inputs, std::uint64_t outputs, Cycles now) {
  const Router& router = module_->router_;
  part_.inputs.clear();
  part_.outputs.clear();
  for_each_bit(inputs, [&](std::size_t port) {
    const Router::InputPort& in = router.input_ports_[port];
    part_.inputs.push_back({static_cast<int>(port), in.vc_pointer, in.accept_pointer});
  });
  for_each_bit(outputs, [&](std::size_t port) {
    const Router::OutputPort& out = router.output_ports_[port];
    const Router::Pace pace = out.slow ? router.paces_[port] : Router::Pace{};
    part_.outputs.push_back(
        {static_cast<int>(port), out.grant_pointer, pace.flit_time, pace.next_free - now * router.period_});
  });
}

// The first cycle in which a head or tail would leave, but at most `end`.
Cycles NodeStretch::first_to_leave(Cycles now, Cycles end) const {
  for (const SwitchFlow& flow : flows_) {
    if (flow.middles < end - now) end = std::min(end, now + flow.sent.nth(flow.middles));
  }
  return end;
}

// Advances the node to cycle `end` as predicted. Returns the number of flits that passed the router.
std::int64_t NodeStretch::move(Cycles now, Cycles end) {
  Router& router = module_->router_;
  const Cycles cycles = end - now;
  const CycleMask all = CycleMask::first(cycles);
  for (int port = 0; port < static_cast<int>(module_->in.size()); ++port)
    module_->wire_in(port).fetch_flits(end);
  if (local_ != nullptr) local_->fetch_flits(end);
  arrivals_->skip(end);
  for (SwitchFlow& flow : flows_) flow.sent = flow.sent & all;
  move_pointers(now);
  std::int64_t moved = 0;
  for (const SwitchFlow& flow : flows_) {
    if (!flow.sent.empty()) moved += pass_on(flow, now);
  }
  for (int port = 0; port < static_cast<int>(module_->in.size()); ++port) collect_flits(port, now, end);
  collect_credits(now, end);
  if (local_ != nullptr) {
    local_->move(flows_, now, end, reports_);
    for (const TerminalStretch::Injection& injection : local_->injections())
      buffer(router.index(injection.port, injection.vc), injection.first, injection.arrivals.count());
    for (const TerminalStretch::Return& back : local_->returns())
      router.outputs_[static_cast<std::size_t>(back.output_vc)].credits += back.credits;
  }
  for_each_bit(router.bits_.front().active | flits_come_,
               [&](std::size_t input_vc) { router.recount(router.inputs_[input_vc]); });
  module_->set_next(router.any_asks() ? end : kNever);
  if (!reports_.empty()) notify_observers();
  return moved;
}

// Advances the round-robin pointers of the arbiters past the last winners of the stretch.
void NodeStretch::move_pointers(Cycles now) {
  Router& router = module_->router_;
  std::array<Cycles, kMostVcs> last_in;
  std::array<Cycles, kMostVcs> last_out;
  std::fill_n(last_in.begin(), router.ports_, -1);
  std::fill_n(last_out.begin(), router.ports_, -1);
  const auto after = [](int place, int places) { return place + 1 == places ? 0 : place + 1; };
  for (const SwitchFlow& flow : flows_) {
    if (flow.sent.empty()) continue;
    const Cycles last = flow.sent.back();
    const auto in_port = static_cast<std::size_t>(flow.in_port);
    const auto out_port = static_cast<std::size_t>(flow.out_port);
    if (last > last_in[in_port]) {
      last_in[in_port] = last;
      Router::InputPort& in = router.input_ports_[in_port];
      in.vc_pointer = static_cast<std::uint16_t>(after(flow.vc, router.vcs_));
      in.accept_pointer = static_cast<std::int16_t>(after(flow.out_port, router.ports_));
    }
    if (last > last_out[out_port]) {
      last_out[out_port] = last;
      router.output_ports_[out_port].grant_pointer =
          static_cast<std::int16_t>(after(flow.in_port, router.ports_));
    }
  }
  if (router.paces_.empty()) return;
  for (int port = 0; port < router.ports_; ++port) {
    if (!router.output_ports_[static_cast<std::size_t>(port)].slow) continue;
    CycleMask sent;
    for (const SwitchFlow& flow : flows_) {
      if (flow.out_port == port) sent |= flow.sent;
    }
    sent.for_each([&](Cycles cycle) { router.occupy_channel(port, now + cycle); });
  }
}

// Moves the sent flits of a flow from its buffer to its channel. Called before arriving flits are
// buffered. Returns the number of flits moved.
int NodeStretch::pass_on(const SwitchFlow& flow, Cycles now) {
  Router& router = module_->router_;
  const int sent = flow.sent.count();
  module_->moved(std::max(module_->last_movement(), now + flow.sent.back()));
  const auto input_vc = static_cast<std::size_t>(flow.input_vc);
  Router::InputVc& in = router.inputs_[input_vc];
  const auto popped = std::min(static_cast<std::uint32_t>(sent), in.count);
  in.head = (in.head + popped) & router.ring_mask_;
  in.count -= popped;
  passed_[input_vc] = sent - static_cast<int>(popped);
  router.outputs_[static_cast<std::size_t>(flow.output_vc)].credits -= sent;
  if (context_->events.watched()) report(flow, now);
  if (local_ == nullptr || !local_->is_local_input(flow.in_port))
    module_->wire_in(flow.in_port).return_run({now + module_->slot_delay_, flow.sent, flow.vc});
  if (local_ == nullptr || !local_->is_local_output(flow.out_port))
    module_->wire_out(flow.out_port)
        .send_run({now + module_->flit_delay_, flow.sent, flow.first,
                   flow.output_vc - flow.out_port * router.vcs_});
  return sent;
}

void NodeStretch::report(const SwitchFlow& flow, Cycles now) {
  const int out_vc = flow.output_vc - flow.out_port * module_->router_.vcs_;
  int index = 0;
  flow.sent.for_each([&](Cycles cycle) {
    reports_.push_back({now + cycle,
                        FlitEvents::Stage::kSwitch,
                        flow.in_port,
                        {module_->node(), flow.out_port, module_->local_port(flow.out_port), out_vc,
                         later(flow.first, index++)}});
  });
}

// Collects the runs and single flits that arrive on a wire, in order of arrival.
void NodeStretch::collect_flits(int port, Cycles now, Cycles end) {
  Wire& wire = module_->wire_in(port);
  const auto take_until = [&](Cycles last) {
    while (wire.has_flit(last)) {
      const TimedFlit flit = wire.pop_flit();
      buffer(module_->router_.index(port, flit.stamp.vc()), flit.flit, 1);
    }
  };
  wire.pop_flit_runs(now, end, [&](const FlitRun& run) {
    take_until(now + run.cycles.front());
    buffer(module_->router_.index(port, run.vc), run.first, run.cycles.count());
  });
  take_until(end - 1);
}

// Buffers consecutive flits, except for flits that also left within the stretch.
void NodeStretch::buffer(std::size_t input_vc, Flit first, int flits) {
  Router& router = module_->router_;
  Router::InputVc& in = router.inputs_[input_vc];
  const int skipped = std::min(passed_[input_vc], flits);
  passed_[input_vc] -= skipped;
  Flit flit = later(first, skipped);
  for (int i = skipped; i < flits; ++i) {
    router.buffers_[router.ring_index(input_vc, in.count++)] = flit;
    flit = later(flit, 1);
  }
}

void NodeStretch::collect_credits(Cycles now, Cycles end) {
  Router& router = module_->router_;
  for (int port = 0; port < static_cast<int>(module_->out.size()); ++port) {
    Wire& wire = module_->wire_out(port);
    wire.pop_credit_runs(now, end, [](const CreditRun&) {});
    wire.drop_credits(end);
  }
  const CycleMask all = CycleMask::first(end - now);
  for_each_bit(credits_come_, [&](std::size_t output_vc) {
    router.outputs_[output_vc].credits += (coming_[output_vc].credits & all).count();
  });
}

void NodeStretch::notify_observers() {
  std::stable_sort(reports_.begin(), reports_.end(),
                   [](const TerminalStretch::FlitReport& a, const TerminalStretch::FlitReport& b) {
                     return std::tie(a.at, a.stage, a.port) < std::tie(b.at, b.stage, b.port);
                   });
  for (const TerminalStretch::FlitReport& flit_report : reports_)
    context_->events.report(flit_report.stage, flit_report.event, packets()[flit_report.event.flit.packet],
                            flit_report.at);
  reports_.clear();
}

}  // namespace coppice::fabric

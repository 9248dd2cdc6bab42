#include "fabric/flits/router.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/time_limit.h"
#include "fabric/flits/router_switch.h"

namespace coppice::fabric {

Router::Router(NodeId node, int ports, const config::RouterConfig& config,
               const std::vector<OutputRate>& rates, Femtoseconds period, RouterEnvironment& environment)
    : node_(node),
      ports_(ports),
      vcs_(config.vcs),
      depth_(static_cast<std::uint32_t>(config.vc_depth)),
      routing_delay_(config.routing_delay),
      vc_alloc_delay_(config.vc_alloc_delay),
      period_(period),
      environment_(&environment),
      routed_(static_cast<std::size_t>(ports) * static_cast<std::size_t>(config.vcs)),
      allocated_(static_cast<std::size_t>(ports) * static_cast<std::size_t>(config.vcs)),
      by_age_(config.arbitration == config::Arbitration::kAge) {
  const auto n = static_cast<std::size_t>(ports);
  const auto virtual_channels = n * static_cast<std::size_t>(vcs_);
  const int ports_per_word = 64 / vcs_;
  vcs_per_word_ = ports_per_word * vcs_;
  bits_.resize((n + static_cast<std::size_t>(ports_per_word) - 1) / static_cast<std::size_t>(ports_per_word));
  inputs_.resize(virtual_channels);
  allowances_.resize(virtual_channels);
  for (std::size_t i = 0; i < virtual_channels; ++i) {
    inputs_[i].port = static_cast<std::int16_t>(i / static_cast<std::size_t>(vcs_));
  }
  outputs_.resize(virtual_channels);
  for (auto& out : outputs_) out.credits = config.vc_depth;
  const std::uint32_t ring = std::bit_ceil(depth_);
  ring_mask_ = ring - 1;
  ring_shift_ = static_cast<std::uint32_t>(std::countr_zero(ring));
  buffers_.resize(virtual_channels * ring);
  input_ports_.resize(n);
  output_ports_.resize(n);
  for (int port = 0; port < ports; ++port) {
    InputPort& input_port = input_ports_[static_cast<std::size_t>(port)];
    input_port.word = static_cast<std::uint16_t>(port / ports_per_word);
    input_port.bit = static_cast<std::uint16_t>(port % ports_per_word * vcs_);
    output_ports_[static_cast<std::size_t>(port)].free_vcs = vc_bits({0, static_cast<std::uint8_t>(vcs_)});
  }
  set_paces(rates);
  one_word_ = bits_.size() == 1;
  in_rotation_ = one_word_ && !by_age_;
  if (!in_rotation_) {
    requested_ = granted_ = PortSet(ports);
    accepted_.resize(n, -1);
  }
  if (by_age_) created_.resize(virtual_channels);
}

void Router::set_paces(const std::vector<OutputRate>& rates) {
  for (std::size_t port = 0; port < output_ports_.size(); ++port) {
    if (rates[port].flit_time == 0) continue;
    paces_.resize(output_ports_.size());
    paces_[port].flit_time = rates[port].flit_time;
    output_ports_[port].slow = true;
  }
}

int Router::waiting(int out_port) const {
  int flits = 0;
  for (int vc = 0; vc < vcs_; ++vc) flits += static_cast<int>(depth_) - output(out_port, vc).credits;
  return flits;
}

Flit Router::front(int in_port, int vc) const {
  return buffers_[ring_index(index(in_port, vc), 0)];
}

void Router::gain_credit(std::int32_t input_vc) {
  const InputVc& in = inputs_[static_cast<std::size_t>(input_vc)];
  bits_of(in).credited |= bit(in);
}

bool Router::step(Cycles now) {
  return step(now, *environment_);
}

void Router::activate(Cycles now) {
  while (allocated_.has_due(now)) {
    const InputVc& in = inputs_[static_cast<std::size_t>(allocated_.pop())];
    const std::uint64_t own = bit(in);
    bits_of(in).active |= own;
    if (!one_word()) continue;
    output_ports_[static_cast<std::size_t>(in.out_port)].inputs |= own;
    active_outputs_.insert(in.out_port);
  }
}

// Allocates output VCs to the input VCs in waiting_vc_, which contains at least two. An output port with one
// requester grants it every free VC. At other ports, each input VC chooses among the output VCs granted to
// it, according to the pointers at the start of the cycle.
bool Router::allocate_waiting(Cycles now) {
  if (!choices_.empty()) {
    for (const std::int32_t id : waiting_vc_) choose_hop(id);
  }
  const PortWord contested = contested_outputs();
  const auto contends = [&](const InputVc& in) { return !one_word() || contested.contains(in.out_port); };
  if (!one_word() || !contested.empty()) {
    for (const std::int32_t id : waiting_vc_) {
      if (contends(inputs_[static_cast<std::size_t>(id)])) ask_for_vcs(id);
    }
    for (const std::int32_t id : waiting_vc_) {
      InputVc& in = inputs_[static_cast<std::size_t>(id)];
      if (contends(in)) in.out_vc = static_cast<std::int16_t>(preferred_vc(in, take_grants(id)));
    }
  }
  std::size_t kept = 0;
  for (const std::int32_t id : waiting_vc_) {
    const InputVc& in = inputs_[static_cast<std::size_t>(id)];
    const int vc = contends(in) ? in.out_vc : preferred_vc(in, free_vcs(in));
    if (vc < 0) {
      waiting_vc_[kept++] = id;
    } else {
      allocate_vc(id, vc, now);
    }
  }
  const bool gave_any = kept != waiting_vc_.size();
  waiting_vc_.erase(waiting_vc_.begin() + static_cast<std::ptrdiff_t>(kept), waiting_vc_.end());
  return gave_any;
}

// The output ports requested by more than one input VC in waiting_vc_. Used by routers with a single word.
PortWord Router::contested_outputs() const {
  PortWord asked;
  PortWord contested;
  if (!one_word()) return contested;
  for (const std::int32_t id : waiting_vc_) {
    const int port = inputs_[static_cast<std::size_t>(id)].out_port;
    if (asked.contains(port)) contested.insert(port);
    asked.insert(port);
  }
  return contested;
}

void Router::keep_choice(std::int32_t input_vc, PacketId packet, const RouteDecision& decision) {
  if (choices_.empty()) choices_.resize(inputs_.size());
  Choice& choice = choices_[static_cast<std::size_t>(input_vc)];
  choice.hop = decision.hop;
  choice.better.assign(decision.adaptive.begin(), decision.adaptive.end());
  choice.flits = decision.flits;
  choice.packet = packet;
}

// The free virtual channels of a hop whose buffer is empty or has space for the whole packet.
std::uint32_t Router::roomy_vcs(const topology::Hop& hop, std::uint32_t flits) const {
  std::uint32_t roomy = 0;
  for (std::uint32_t vcs = output_ports_[hop.out_port].free_vcs & vc_bits(hop.vcs); vcs != 0;
       vcs &= vcs - 1) {
    const int vc = std::countr_zero(vcs);
    const auto room = static_cast<std::uint32_t>(output(hop.out_port, vc).credits);
    if (room == depth_ || room >= flits) roomy |= 1U << vc;
  }
  return roomy;
}

void Router::choose_hop(std::int32_t input_vc) {
  InputVc& in = inputs_[static_cast<std::size_t>(input_vc)];
  Allowance& allowed = allowances_[static_cast<std::size_t>(input_vc)];
  if (!allowed.adapts) return;
  Choice& choice = choices_[static_cast<std::size_t>(input_vc)];
  int least = 0;
  choice.adaptive = false;
  for (const topology::Hop& hop : choice.better) {
    const std::uint32_t vcs = roomy_vcs(hop, choice.flits);
    if (vcs == 0 || (choice.adaptive && waiting(hop.out_port) >= least)) continue;
    choice.adaptive = true;
    least = waiting(hop.out_port);
    in.out_port = static_cast<std::int16_t>(hop.out_port);
    allowed.vcs = vcs;
  }
  if (choice.adaptive) return;
  in.out_port = static_cast<std::int16_t>(choice.hop.out_port);
  allowed.vcs = vc_bits(choice.hop.vcs);
}

// Allocates an output VC to the only requester, which is granted every free output VC.
bool Router::allocate_alone(std::int32_t input_vc, Cycles now) {
  const InputVc& in = inputs_[static_cast<std::size_t>(input_vc)];
  if (allowance(in).adapts) [[unlikely]] {
    choose_hop(input_vc);
  }
  const int vc = preferred_vc(in, free_vcs(in));
  if (vc < 0) {
    waiting_vc_.push_back(input_vc);
    return false;
  }
  allocate_vc(input_vc, vc, now);
  return true;
}

void Router::allocate_vc(std::int32_t input_vc, int vc, Cycles now) {
  const auto virtual_channels = static_cast<std::int32_t>(inputs_.size());
  InputVc& in = inputs_[static_cast<std::size_t>(input_vc)];
  OutputPort& port = output_ports_[static_cast<std::size_t>(in.out_port)];
  const auto id = static_cast<std::int32_t>(index(in.out_port, vc));
  OutputVc& out = outputs_[static_cast<std::size_t>(id)];
  out.owner = input_vc;
  out.grant_pointer = input_vc + 1 == virtual_channels ? 0 : input_vc + 1;
  port.free_vcs &= ~(1U << vc);
  port.vc_pointer = static_cast<std::uint8_t>(vc + 1 == vcs_ ? 0 : vc + 1);
  in.out_vc = static_cast<std::int16_t>(vc);
  in.out = static_cast<std::int16_t>(id);
  Allowance& allowed = allowances_[static_cast<std::size_t>(input_vc)];
  allowed.accept_pointer = static_cast<std::int16_t>(id + 1 == virtual_channels ? 0 : id + 1);
  VcBits& state = bits_of(in);
  const std::uint64_t own = bit(in);
  state.credited = (state.credited & ~own) | (out.credits > 0 ? own : 0);
  allocated_.push({now + vc_alloc_delay_, input_vc});
  if (!allowed.adapts) [[likely]] {
    return;
  }
  const Choice& choice = choices_[static_cast<std::size_t>(input_vc)];
  if (!choice.adaptive) environment_->hop_chosen(node_, choice.packet);
}

// Grants the input VC every free output VC that it may use, except those already granted to a requester with
// precedence.
void Router::ask_for_vcs(std::int32_t id) {
  const auto virtual_channels = static_cast<std::int32_t>(inputs_.size());
  // The distance of `x` from a round-robin pointer; the smallest distance wins.
  const auto distance = [virtual_channels](std::int32_t x, std::int32_t pointer) {
    return x >= pointer ? x - pointer : x - pointer + virtual_channels;
  };
  const InputVc& in = inputs_[static_cast<std::size_t>(id)];
  OutputVc* const outs = &outputs_[index(in.out_port, 0)];
  for (std::uint32_t vcs = free_vcs(in); vcs != 0; vcs &= vcs - 1) {
    OutputVc& out = outs[std::countr_zero(vcs)];
    if (out.granted < 0 || older(id, out.granted) ||
        (of_an_age(id, out.granted) &&
         distance(id, out.grant_pointer) < distance(out.granted, out.grant_pointer))) {
      out.granted = id;
    }
  }
}

// Returns the output VCs that were granted to an input VC, and clears the grants.
std::uint32_t Router::take_grants(std::int32_t input_vc) {
  const InputVc& in = inputs_[static_cast<std::size_t>(input_vc)];
  OutputVc* const outs = &outputs_[index(in.out_port, 0)];
  std::uint32_t granted = 0;
  for (std::uint32_t vcs = free_vcs(in); vcs != 0; vcs &= vcs - 1) {
    const int vc = std::countr_zero(vcs);
    if (outs[vc].granted != input_vc) continue;
    outs[vc].granted = -1;
    granted |= 1U << vc;
  }
  return granted;
}

// The first VC in `offered` at or after the packet's pointer; -1 if there is none.
int Router::preferred_vc(const InputVc& in, std::uint32_t offered) const {
  if (offered == 0) return -1;
  const Allowance& allowed = allowance(in);
  int pointer = allowed.rotate_vcs ? output_ports_[static_cast<std::size_t>(in.out_port)].vc_pointer
                                   : allowed.accept_pointer - static_cast<int>(index(in.out_port, 0));
  // A pointer to another output port counts as a pointer to the first virtual channel of this port.
  if (pointer < 0 || pointer >= vcs_) pointer = 0;
  const std::uint32_t from_pointer = offered & (~0U << pointer);
  return std::countr_zero(from_pointer != 0 ? from_pointer : offered);
}

// The input virtual channel that wins an output: the one with the oldest packet if arbitrating by age,
// otherwise a virtual channel of the next requesting input in rotation.
std::int32_t Router::requester(int out_port) const {
  const auto turn = [](int place, int pointer, int places) {
    return place >= pointer ? place - pointer : place - pointer + places;
  };
  const int grant_pointer = output_ports_[static_cast<std::size_t>(out_port)].grant_pointer;
  std::int32_t first = -1;
  int first_turn = 0;
  for (int out_vc = 0; out_vc < vcs_; ++out_vc) {
    const std::int32_t id = output(out_port, out_vc).owner;
    if (id < 0 || !asks(id)) continue;
    const int port = inputs_[static_cast<std::size_t>(id)].port;
    const int vc = id - static_cast<std::int32_t>(index(port, 0));
    const int vc_pointer = input_ports_[static_cast<std::size_t>(port)].vc_pointer;
    const int its_turn = turn(port, grant_pointer, ports_) * vcs_ + turn(vc, vc_pointer, vcs_);
    if (first >= 0 && !goes_before(id, first, its_turn, first_turn)) continue;
    first = id;
    first_turn = its_turn;
  }
  return first;
}

bool Router::any_asks() const {
  std::uint64_t asking = 0;
  for (const VcBits& bits : bits_) asking |= bits.asking();
  return asking != 0;
}

// Marks the channel as busy for flit_time. If flit_time is not a whole number of cycles, the flit may have
// waited up to a cycle for the clock edge; the channel makes up for this wait, so its rate stays exact.
void Router::occupy_channel(int out_port, Cycles now) {
  Pace& pace = paces_[static_cast<std::size_t>(out_port)];
  const Femtoseconds slack = pace.flit_time % period_ == 0 ? 0 : period_ - 1;
  pace.next_free = checked_sum(std::max(pace.next_free, now * period_ - slack), pace.flit_time);
}

// Requests for the switch are not visited, because they follow from the buffers and the credits.
template <typename Visitor>
void Router::visit_all(Visitor& visitor) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputVc& in = inputs_[i];
    const Allowance& allowed = allowances_[i];
    const VcBits& bits = bits_of(in);
    const unsigned flags = ((bits.busy & bit(in)) != 0 ? 1U : 0U) | ((bits.active & bit(in)) != 0 ? 2U : 0U) |
                           (allowed.rotate_vcs ? 4U : 0U);
    visitor.value(std::uint64_t{in.count} << 32U | flags << 16U |
                  static_cast<std::uint16_t>(allowed.accept_pointer));
    visitor.value(std::uint64_t{allowed.vcs} << 32U |
                  std::uint32_t{static_cast<std::uint16_t>(in.out_port)} << 16U |
                  static_cast<std::uint16_t>(in.out_vc));
    for (std::uint32_t flit = 0; flit < in.count; ++flit) visitor.flit(buffers_[ring_index(i, flit)]);
    const OutputVc& out = outputs_[i];
    visitor.value(static_cast<std::uint64_t>(out.owner) << 32U | static_cast<std::uint32_t>(out.credits));
    visitor.value(out.grant_pointer);
    if (by_age_) visitor.value(created_[i]);
  }
  if (!choices_.empty()) visitor.refuse();
  routed_.visit(visitor);
  allocated_.visit(visitor);
  visitor.value(waiting_vc_.size());
  for (const std::int32_t input_vc : waiting_vc_) visitor.value(input_vc);
  for (int port = 0; port < ports_; ++port) {
    const InputPort& in = input_ports_[static_cast<std::size_t>(port)];
    const OutputPort& out = output_ports_[static_cast<std::size_t>(port)];
    visitor.value(in.vc_pointer << 16U | static_cast<std::uint16_t>(in.accept_pointer));
    visitor.value(out.vc_pointer << 16U | static_cast<std::uint16_t>(out.grant_pointer));
    if (out.slow) visitor.instant(paces_[static_cast<std::size_t>(port)].next_free, period_);
  }
}

template void Router::visit_all(StateRecorder& visitor);
template void Router::visit_all(StateShifter& visitor);

}  // namespace coppice::fabric

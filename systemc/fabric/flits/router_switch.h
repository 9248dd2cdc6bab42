#pragma once

#include <algorithm>
#include <utility>

#include "fabric/flits/router.h"

// The operations that a router performs for every flit, including switch allocation. They are templates on
// the class of the environment.

namespace coppice::fabric {

template <typename Environment>
bool Router::step(Cycles now, Environment& environment) {
  if (!allocated_.empty()) activate(now);
  const bool allocating = (!routed_.empty() || !waiting_vc_.empty()) && allocate_vcs(now, environment);
  tail_left_ = false;
  if (in_rotation_) {
    allocate_switch(now, environment);
  } else if (any_asks()) {
    allocate_large_switch(now, environment);
  }
  // Heads that were not granted an output VC repeat their request only if an output VC may have become free.
  const bool ask_again = !waiting_vc_.empty() && (allocating || tail_left_);
  const bool asks = in_rotation_ ? bits_.front().asking() != 0 : any_asks();
  return ask_again || !routed_.empty() || !allocated_.empty() || asks;
}

template <typename Environment>
bool Router::allocate_vcs(Cycles now, Environment& environment) {
  if (waiting_vc_.empty()) {
    if (!routed_.has_due(now)) return false;
    const std::int32_t id = routed_.pop();
    route(id, environment);
    if (!routed_.has_due(now)) return allocate_alone(id, now);
    waiting_vc_.push_back(id);
  }
  while (routed_.has_due(now)) {
    const std::int32_t id = routed_.pop();
    route(id, environment);
    waiting_vc_.insert(std::upper_bound(waiting_vc_.begin(), waiting_vc_.end(), id), id);
  }
  if (waiting_vc_.size() > 1) return allocate_waiting(now);
  const std::int32_t id = waiting_vc_.front();
  waiting_vc_.clear();
  return allocate_alone(id, now);
}

template <typename Environment>
void Router::route(std::int32_t input_vc, Environment& environment) {
  const auto id = static_cast<std::size_t>(input_vc);
  const PacketId packet = buffers_[ring_index(id, 0)].packet;
  const RouteDecision decision = environment.route(node_, packet);
  inputs_[id].out_port = static_cast<std::int16_t>(decision.hop.out_port);
  Allowance& allowed = allowances_[id];
  allowed.vcs = vc_bits(decision.hop.vcs);
  allowed.rotate_vcs = decision.rotate_vcs;
  allowed.adapts = !decision.adaptive.empty();
  if (by_age_) created_[id] = decision.created;
  if (allowed.adapts) [[unlikely]] {
    keep_choice(input_vc, packet, decision);
  }
}

// Switch allocation for routers whose virtual channels fit into one word, without arbitration by age. Outputs
// grant and inputs accept requests in rotation.
template <typename Environment>
void Router::allocate_switch(Cycles now, Environment& environment) {
  const std::uint64_t asking = bits_.front().asking();
  if (asking == 0) return;
  PortWord granted;
  const auto grant = [&](int in_port, int out_port) {
    input_ports_[static_cast<std::size_t>(in_port)].grants.insert(out_port);
    granted.insert(in_port);
  };
  if ((asking & (asking - 1)) == 0) {
    const InputVc& in = inputs_[static_cast<std::size_t>(lowest_bit(asking))];
    if (channel_is_free(in.out_port, now)) grant(in.port, in.out_port);
  } else {
    active_outputs_.for_each([&](int out_port) {
      const OutputPort& output_port = output_ports_[static_cast<std::size_t>(out_port)];
      const std::uint64_t inputs = asking & output_port.inputs;
      if (inputs == 0 || !channel_is_free(out_port, now)) return;
      const int first = first_bit_from(inputs, output_port.grant_pointer * vcs_);
      grant(inputs_[static_cast<std::size_t>(first)].port, out_port);
    });
  }
  const std::uint64_t vcs = (std::uint64_t{1} << vcs_) - 1;
  granted.for_each([&](int in_port) __attribute__((always_inline)) {
    InputPort& input_port = input_ports_[static_cast<std::size_t>(in_port)];
    const int out_port = input_port.grants.first_from(input_port.accept_pointer);
    input_port.grants.clear();
    const std::uint64_t inputs =
        asking & output_ports_[static_cast<std::size_t>(out_port)].inputs & vcs << input_port.bit;
    const int first = first_bit_from(inputs, input_port.bit + input_port.vc_pointer);
    match(static_cast<std::size_t>(first), in_port, out_port, now, environment);
  });
}

// Switch allocation for any number of virtual channels, with or without arbitration by age. If arbitrating by
// age, outputs grant and inputs accept the request of the oldest packet, and rotate among packets of equal
// age. Otherwise, they rotate among all requests.
template <typename Environment>
void Router::allocate_large_switch(Cycles now, Environment& environment) {
  for (std::size_t word = 0; word < bits_.size(); ++word) {
    const InputVc* const in = &inputs_[word * static_cast<std::size_t>(vcs_per_word_)];
    for (std::uint64_t asking = bits_[word].asking(); asking != 0; asking &= asking - 1)
      requested_.insert(in[lowest_bit(asking)].out_port);
  }
  requested_.for_each([&](int out_port) {
    if (!channel_is_free(out_port, now)) return;
    const std::int32_t id = requester(out_port);
    const int in_port = inputs_[static_cast<std::size_t>(id)].port;
    granted_.insert(in_port);
    std::int32_t& accepted = accepted_[static_cast<std::size_t>(in_port)];
    const auto turn = [&](int port) {
      const int pointer = input_ports_[static_cast<std::size_t>(in_port)].accept_pointer;
      return port >= pointer ? port - pointer : port - pointer + ports_;
    };
    if (accepted < 0 ||
        goes_before(id, accepted, turn(out_port), turn(inputs_[static_cast<std::size_t>(accepted)].out_port)))
      accepted = id;
  });
  granted_.for_each([&](int in_port) {
    const std::int32_t id = std::exchange(accepted_[static_cast<std::size_t>(in_port)], -1);
    match(static_cast<std::size_t>(id), in_port, inputs_[static_cast<std::size_t>(id)].out_port, now,
          environment);
  });
  requested_.clear();
  granted_.clear();
}

// Completes a match of an input with an output: advances the pointers of both ports and moves the flit.
template <typename Environment>
[[gnu::always_inline]] inline void Router::match(std::size_t id, int in_port, int out_port, Cycles now,
                                                 Environment& environment) {
  output_ports_[static_cast<std::size_t>(out_port)].grant_pointer =
      static_cast<std::int16_t>(in_port + 1 == ports_ ? 0 : in_port + 1);
  input_ports_[static_cast<std::size_t>(in_port)].accept_pointer =
      static_cast<std::int16_t>(out_port + 1 == ports_ ? 0 : out_port + 1);
  traverse(id, in_port, out_port, now, environment);
}

template <typename Environment>
[[gnu::always_inline]] inline void Router::traverse(std::size_t id, int in_port, int out_port, Cycles now,
                                                    Environment& environment) {
  InputPort& input_port = input_ports_[static_cast<std::size_t>(in_port)];
  const int vc = static_cast<int>(id) - in_port * vcs_;
  InputVc& in = inputs_[id];
  const Flit flit = buffers_[ring_index(id, 0)];
  const std::uint32_t left = --in.count;
  // The ring of an empty buffer restarts at index 0, so that a lightly used buffer occupies few cache lines.
  in.head = left == 0 ? 0 : (in.head + 1) & ring_mask_;
  const int out_vc = in.out_vc;
  OutputVc& out = outputs_[static_cast<std::size_t>(in.out)];
  const std::int32_t credits = --out.credits;
  input_port.vc_pointer = static_cast<std::uint16_t>(vc + 1 == vcs_ ? 0 : vc + 1);
  OutputPort& output_port = output_ports_[static_cast<std::size_t>(out_port)];
  if (output_port.slow) occupy_channel(out_port, now);
  VcBits& bits = bits_[input_port.word];
  const std::uint64_t own = bit(in);
  bits.filled &= ~(left == 0 ? own : 0);
  bits.credited &= ~(credits == 0 ? own : 0);
  if (flit.tail) {
    tail_left_ = true;
    out.owner = -1;
    output_port.free_vcs |= 1U << out_vc;
    bits.active &= ~own;
    output_port.inputs &= ~own;
    if (output_port.inputs == 0) active_outputs_.erase(out_port);
    in.out_port = -1;
    in.out_vc = -1;
    if (left == 0) {
      bits.busy &= ~own;
    } else {
      start_routing(static_cast<std::int32_t>(id), now + 1 + routing_delay_);
    }
  }
  environment.send_flit(node_, out_port, out_vc, flit);
  environment.send_credit(node_, in_port, vc);
}

}  // namespace coppice::fabric

#pragma once

#include <bit>
#include <utility>

#include "fabric/flits/router.h"

// The cycle of a router and its switch, in the environment that it is compiled for: what a flit costs.

namespace coppice::fabric {

template <typename Environment>
bool Router::step(Cycles now, Environment& environment) {
  if (!allocated_.empty()) activate(now);
  const bool allocating = (!routed_.empty() || !waiting_vc_.empty()) && allocate_vcs(now);
  tail_left_ = false;
  if (!requested_outputs_.empty()) {
    if (by_age_) {
      allocate_switch_by_age(now, environment);
    } else if (ports_ <= PortSet::kWordPorts) {
      allocate_switch<true>(now, environment);
    } else {
      allocate_switch<false>(now, environment);
    }
  }
  // Heads that found no free output VC need not ask again before one becomes free.
  const bool ask_again = !waiting_vc_.empty() && (allocating || tail_left_);
  return ask_again || !routed_.empty() || !allocated_.empty() || !requested_outputs_.empty();
}

template <bool kOneWord, typename Environment>
void Router::allocate_switch(Cycles now, Environment& environment) {
  requested_outputs_.for_each<kOneWord>([&](int out_port) {
    OutputPort& output_port = output_ports_[static_cast<std::size_t>(out_port)];
    if (output_port.flit_time != 0 && output_port.next_free > now * period_) return;
    const int winner = output_port.requests.first_from<kOneWord>(output_port.grant_pointer);
    input_ports_[static_cast<std::size_t>(winner)].grants.insert<kOneWord>(out_port);
    granted_inputs_.insert<kOneWord>(winner);
  });
  granted_inputs_.for_each<kOneWord>([&](int in_port) {
    InputPort& input_port = input_ports_[static_cast<std::size_t>(in_port)];
    const int out_port = input_port.grants.first_from<kOneWord>(input_port.accept_pointer);
    input_port.grants.clear<kOneWord>();
    output_ports_[static_cast<std::size_t>(out_port)].grant_pointer =
        static_cast<std::int16_t>(in_port + 1 == ports_ ? 0 : in_port + 1);
    input_port.accept_pointer = static_cast<std::int16_t>(out_port + 1 == ports_ ? 0 : out_port + 1);
    traverse<kOneWord>(in_port, out_port, now, environment);
  });
  granted_inputs_.clear<kOneWord>();
}

// As allocate_switch(), but outputs grant and inputs accept the oldest packet, in rotation among equals.
template <typename Environment>
void Router::allocate_switch_by_age(Cycles now, Environment& environment) {
  const auto oldest_of = [this](int in_port, int out_port) {
    return created_[index(in_port, oldest_vc(in_port, out_port))];
  };
  requested_outputs_.for_each<false>([&](int out_port) {
    OutputPort& output_port = output_ports_[static_cast<std::size_t>(out_port)];
    if (output_port.flit_time != 0 && output_port.next_free > now * period_) return;
    int winner = -1;
    for (int i = 0; i < ports_; ++i) {
      const int in_port = (output_port.grant_pointer + i) % ports_;
      if (asking(in_port, out_port) == 0) continue;
      if (winner < 0 || oldest_of(in_port, out_port) < oldest_of(winner, out_port)) winner = in_port;
    }
    input_ports_[static_cast<std::size_t>(winner)].grants.insert(out_port);
    granted_inputs_.insert(winner);
  });
  granted_inputs_.for_each<false>([&](int in_port) {
    InputPort& input_port = input_ports_[static_cast<std::size_t>(in_port)];
    int chosen = -1;
    input_port.grants.for_each<false>([&](int out_port) {
      const auto turn = [&](int port) { return (port - input_port.accept_pointer + ports_) % ports_; };
      const auto key = [&](int port) { return std::pair(oldest_of(in_port, port), turn(port)); };
      if (chosen < 0 || key(out_port) < key(chosen)) chosen = out_port;
    });
    input_port.grants.clear();
    output_ports_[static_cast<std::size_t>(chosen)].grant_pointer =
        static_cast<std::int16_t>(in_port + 1 == ports_ ? 0 : in_port + 1);
    input_port.accept_pointer = static_cast<std::int16_t>(chosen + 1 == ports_ ? 0 : chosen + 1);
    traverse<false>(in_port, chosen, now, environment);
  });
  granted_inputs_.clear();
}

// The virtual channel whose flit goes to an output: the first that asks for it, from the pointer on, or the
// one with the oldest packet.
inline int Router::next_vc(int in_port, int out_port) {
  if (by_age_) [[unlikely]] {
    return oldest_vc(in_port, out_port);
  }
  const std::uint32_t mask = asking(in_port, out_port);
  const std::uint32_t from_pointer =
      mask & (~0U << input_ports_[static_cast<std::size_t>(in_port)].vc_pointer);
  return std::countr_zero(from_pointer != 0 ? from_pointer : mask);
}

template <bool kOneWord>
void Router::stop_asking(int in_port, int out_port, int vc) {
  std::uint32_t& mask = asking(in_port, out_port);
  mask &= ~(1U << vc);
  if (mask != 0) return;
  PortSet& requests = output_ports_[static_cast<std::size_t>(out_port)].requests;
  requests.erase<kOneWord>(in_port);
  if (requests.empty<kOneWord>()) requested_outputs_.erase<kOneWord>(out_port);
}

template <bool kOneWord, typename Environment>
void Router::traverse(int in_port, int out_port, Cycles now, Environment& environment) {
  InputPort& input_port = input_ports_[static_cast<std::size_t>(in_port)];
  const int vc = next_vc(in_port, out_port);
  const auto id = static_cast<std::int32_t>(index(in_port, vc));
  InputVc& in = inputs_[static_cast<std::size_t>(id)];
  const Flit flit = buffers_[ring_index(id, 0)];
  in.head = (in.head + 1) & ring_mask_;
  --in.count;
  const int out_vc = in.out_vc;
  OutputVc& out = outputs_[static_cast<std::size_t>(in.out)];
  --out.credits;
  input_port.vc_pointer = static_cast<std::uint8_t>(vc + 1 == vcs_ ? 0 : vc + 1);
  OutputPort& output_port = output_ports_[static_cast<std::size_t>(out_port)];
  if (output_port.flit_time != 0) occupy_channel(out_port, now);
  if (flit.tail) {
    tail_left_ = true;
    out.owner = -1;
    output_port.free_vcs |= 1U << out_vc;
    in.active = false;
    in.busy = false;
    in.out_port = -1;
    in.out_vc = -1;
    if (in.count > 0) start_routing(id, now + 1 + routing_delay_);
  }
  if (flit.tail || in.count == 0 || out.credits == 0) stop_asking<kOneWord>(in_port, out_port, vc);
  environment.send_flit(node_, out_port, out_vc, flit);
  environment.send_credit(node_, in_port, vc);
}

}  // namespace coppice::fabric

#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"
#include "config/settings/config.h"
#include "fabric/flit.h"
#include "fabric/flits/port_set.h"
#include "fabric/flits/repeating.h"
#include "topology/networks/adaptive_routing.h"
#include "topology/routing/routing.h"

namespace coppice::fabric {

using topology::NodeId;

// The rate of the channel at an output port, for channels slower than one flit per cycle.
struct OutputRate {
  // Serialization time of one flit; 0: the channel accepts one flit per cycle and is never busy.
  Femtoseconds flit_time = 0;
};

// A packet's next hop, and the rule for choosing one of the virtual channels granted to the packet. Packets
// of gradient messages use the virtual channels of an output port in rotation, so that a packet never gets a
// virtual channel whose previous packet is still leaving the next router. Other traffic uses the iSLIP
// accept pointer of its input virtual channel.
struct RouteDecision {
  topology::Hop hop;
  bool rotate_vcs = false;
  // Preferred hops, best first. A hop is eligible if it has a free virtual channel whose buffer is empty or
  // has space for the whole packet. The packet takes the eligible hop with the fewest waiting flits, or `hop`
  // if no hop is eligible. The span is valid until the next call of RouterEnvironment::route().
  std::span<const topology::Hop> adaptive{};
  std::uint32_t flits = 0;  // length of the packet
  Cycles created = 0;       // cycle in which the packet was created, for arbitration by age
};

// The services that a router needs from the fabric.
class RouterEnvironment {
 public:
  // Called once for each head flit.
  virtual RouteDecision route(NodeId node, PacketId packet) = 0;
  // Called when a packet that also has adaptive hops takes RouteDecision::hop.
  virtual void hop_chosen(NodeId /*node*/, PacketId /*packet*/) {}
  // Called in the cycle in which a flit wins switch allocation. The flit leaves through virtual channel `vc`
  // of `out_port`.
  virtual void send_flit(NodeId node, int out_port, int vc, Flit flit) = 0;
  // Called when a buffer slot of virtual channel `vc` of `in_port` becomes free.
  virtual void send_credit(NodeId node, int in_port, int vc) = 0;

 protected:
  ~RouterEnvironment() = default;
};

// Input-queued virtual-channel wormhole router with credit flow control.
//
// In each cycle, heads whose route is known request an output virtual channel. The allocator is separable
// iSLIP with one iteration over input and output virtual channels; an output port that uses its virtual
// channels in rotation next offers the virtual channel after the one granted to the highest-numbered
// requesting input virtual channel. Input virtual channels that own an output virtual channel and have a flit
// and a credit then request the switch. Each input nominates one of its virtual channels per output in
// round-robin order, and separable iSLIP matches the ports. A winning flit leaves its buffer in the same
// cycle; the fabric models the rest of the pipeline.
//
// A head first requests an output virtual channel `routing_delay` cycles after it has reached the front of
// its buffer, and takes part in switch allocation `vc_alloc_delay` cycles after it has been granted one. An
// output virtual channel is free for the next packet one cycle after the tail of its current packet won the
// switch, so a downstream buffer may contain two packets. When a tail leaves, the routing of the next head in
// the buffer starts in the next cycle. A head with adaptive hops chooses again whenever it makes a request.
// With arbitration by age, virtual channels and the switch are granted to the packet that was created first,
// and in rotation among packets of equal age.
class Router final : public topology::OutputLoads {
 public:
  Router(NodeId node, int ports, const config::RouterConfig& config, const std::vector<OutputRate>& rates,
         Femtoseconds period, RouterEnvironment& environment);

  // Delivers a flit that arrives in cycle `now`. Call this before step().
  void receive_flit(int in_port, int vc, Flit flit, Cycles now);
  // Delivers a credit. Returns whether the router must be stepped because of the credit.
  bool receive_credit(int out_port, int vc);

  // Simulates one cycle. Returns whether the router has work in the next cycle even if nothing arrives.
  bool step(Cycles now);
  // A version of step() for a concrete environment class (router_switch.h), so that moving a flit needs no
  // virtual call.
  template <typename Environment>
  bool step(Cycles now, Environment& environment);

  int ports() const { return ports_; }
  int credits(int out_port, int vc) const { return output(out_port, vc).credits; }
  bool output_vc_busy(int out_port, int vc) const { return output(out_port, vc).owner >= 0; }
  int buffered(int in_port, int vc) const { return static_cast<int>(input(in_port, vc).count); }
  int waiting(int out_port) const override;
  // The flit at the front of a buffer, which must not be empty.
  Flit front(int in_port, int vc) const;
  // The output port and virtual channel held by the packet in a buffer; -1 if it has none yet.
  int held_output_port(int in_port, int vc) const { return input(in_port, vc).out_port; }
  int held_output_vc(int in_port, int vc) const { return input(in_port, vc).out_vc; }

  // Visit the router's state, for leaps (repeating.h).
  void visit(StateRecorder& recorder) { visit_all(recorder); }
  void visit(StateShifter& shifter) { visit_all(shifter); }

 private:
  friend class NodeStretch;

  // Fields that are accessed for every flit come first and are small, because the caches must hold the state
  // of many routers.
  struct alignas(16) InputVc {
    std::uint32_t head = 0;  // index of the first flit in the ring buffer
    std::uint32_t count = 0;
    std::int16_t out_port = -1;
    std::int16_t out_vc = -1;
    std::int16_t out = -1;  // index of the current or last output virtual channel
    std::int16_t port = 0;  // input port to which the virtual channel belongs
  };
  // The output virtual channels among which the packet of an input virtual channel may choose.
  struct Allowance {
    std::uint32_t vcs = 0;            // one bit per output virtual channel
    std::int16_t accept_pointer = 0;  // iSLIP pointer for VC allocation: output port * VCs + virtual channel
    bool rotate_vcs = false;
    bool adapts = false;  // whether the packet has adaptive hops, which choices_ contains
  };
  // Sets of input virtual channels, stored as bits. A word contains the virtual channels of one or more ports
  // and never splits those of a port.
  struct VcBits {
    std::uint64_t busy = 0;      // the packet is being routed, allocated or sent
    std::uint64_t active = 0;    // the VC owns an output virtual channel
    std::uint64_t filled = 0;    // the buffer holds a flit
    std::uint64_t credited = 0;  // the output virtual channel owned by the VC has a credit
    // The virtual channels that request the switch.
    std::uint64_t asking() const { return active & filled & credited; }
  };
  struct OutputVc {
    std::int32_t owner = -1;  // input virtual channel that owns this one
    std::int32_t credits = 0;
    std::int32_t grant_pointer = 0;  // pointer for VC allocation over input virtual channels
    std::int32_t granted = -1;       // input virtual channel that wins the current allocation
  };
  struct InputPort {
    PortWord grants;  // outputs that grant the switch to this input; used in routers of one word
    std::int16_t accept_pointer = 0;  // round-robin pointer over outputs
    std::uint16_t word = 0;  // index into bits_ of the word that contains the port's virtual channels
    std::uint16_t bit = 0;   // position of the port's first virtual channel in that word
    // Round-robin pointer over virtual channels; not uint8_t, which may alias any type.
    std::uint16_t vc_pointer = 0;
  };
  struct OutputPort {
    // Active input virtual channels with a packet for this output, in routers of one word.
    std::uint64_t inputs = 0;
    std::uint32_t free_vcs = 0;      // one bit per virtual channel without an owner
    std::int16_t grant_pointer = 0;  // round-robin pointer over inputs
    std::uint8_t vc_pointer = 0;  // pointer for VC allocation: the virtual channel after the last one granted
    bool slow = false;  // whether the channel carries less than one flit per cycle; paces_ contains its rate
  };
  struct Pace {
    Femtoseconds flit_time = 0;
    Femtoseconds next_free = 0;
  };
  // The hops that the packet at the front of an input virtual channel may take.
  struct Choice {
    topology::Hop hop;
    std::vector<topology::Hop> better;
    std::uint32_t flits = 0;
    PacketId packet = 0;
    bool adaptive = false;  // whether `hop` was chosen among adaptive hops in this cycle
  };
  // A FIFO queue that contains each input virtual channel at most once.
  class TimedQueue {
   public:
    struct Timed {
      Cycles at;
      std::int32_t input_vc;
    };
    explicit TimedQueue(std::size_t capacity)
        : ring_(std::bit_ceil(capacity)), mask_(static_cast<std::uint32_t>(ring_.size()) - 1) {}
    bool empty() const { return begin_ == end_; }
    bool has_due(Cycles now) const { return begin_ != end_ && ring_[begin_ & mask_].at <= now; }
    void push(Timed timed) { ring_[end_++ & mask_] = timed; }
    std::int32_t pop() { return ring_[begin_++ & mask_].input_vc; }
    template <typename Visitor>
    void visit(Visitor& visitor) {
      visitor.value(end_ - begin_);
      for (std::uint32_t i = begin_; i != end_; ++i) {
        visitor.time(ring_[i & mask_].at);
        visitor.value(ring_[i & mask_].input_vc);
      }
    }

   private:
    std::vector<Timed> ring_;
    std::uint32_t mask_;
    std::uint32_t begin_ = 0;
    std::uint32_t end_ = 0;
  };

  InputVc& input(int port, int vc) { return inputs_[index(port, vc)]; }
  const InputVc& input(int port, int vc) const { return inputs_[index(port, vc)]; }
  const OutputVc& output(int port, int vc) const { return outputs_[index(port, vc)]; }
  std::size_t index(int port, int vc) const { return static_cast<std::size_t>(port * vcs_ + vc); }

  template <typename Visitor>
  void visit_all(Visitor& visitor);
  void start_routing(std::int32_t input_vc, Cycles allocate_at) { routed_.push({allocate_at, input_vc}); }
  // The bit of an input virtual channel within its word of bits_.
  static std::uint64_t bit(const InputPort& port, int vc) { return std::uint64_t{1} << (port.bit + vc); }
  // The virtual channels of a range as bits, at most 32.
  static std::uint32_t vc_bits(topology::VcRange vcs) {
    const std::uint64_t below_end = (std::uint64_t{1} << vcs.end) - 1;
    return static_cast<std::uint32_t>(below_end & (~std::uint64_t{0} << vcs.begin));
  }
  std::size_t id_of(const InputVc& in) const { return static_cast<std::size_t>(&in - inputs_.data()); }
  const InputPort& port_of(const InputVc& in) const {
    return input_ports_[static_cast<std::size_t>(in.port)];
  }
  VcBits& bits_of(const InputVc& in) { return bits_[port_of(in).word]; }
  const VcBits& bits_of(const InputVc& in) const { return bits_[port_of(in).word]; }
  std::uint64_t bit(const InputVc& in) const {
    const std::size_t id = id_of(in);
    // If there is only one word, bits are numbered like the virtual channels.
    if (one_word()) return std::uint64_t{1} << id;
    return bit(port_of(in), static_cast<int>(id) - in.port * vcs_);
  }
  bool is_busy(const InputVc& in) const { return (bits_of(in).busy & bit(in)) != 0; }
  // Updates the bits of an input virtual channel after several of its flits or credits have changed at once.
  void recount(const InputVc& in) {
    VcBits& state = bits_of(in);
    const bool credited = in.out >= 0 && outputs_[static_cast<std::size_t>(in.out)].credits > 0;
    state.filled = (state.filled & ~bit(in)) | (in.count > 0 ? bit(in) : 0);
    state.credited = (state.credited & ~bit(in)) | (credited ? bit(in) : 0);
  }
  bool one_word() const { return one_word_; }
  bool asks(std::int32_t input_vc) const {
    const InputVc& in = inputs_[static_cast<std::size_t>(input_vc)];
    return (bits_of(in).asking() & bit(in)) != 0;
  }
  bool any_asks() const;
  void activate(Cycles now);
  void set_paces(const std::vector<OutputRate>& rates);
  // Allocates output virtual channels to heads. Returns whether any were allocated.
  template <typename Environment>
  bool allocate_vcs(Cycles now, Environment& environment);
  bool allocate_waiting(Cycles now);
  template <typename Environment>
  void route(std::int32_t input_vc, Environment& environment);
  void keep_choice(std::int32_t input_vc, PacketId packet, const RouteDecision& decision);
  void choose_hop(std::int32_t input_vc);
  std::uint32_t roomy_vcs(const topology::Hop& hop, std::uint32_t flits) const;
  bool allocate_alone(std::int32_t input_vc, Cycles now);
  std::uint32_t free_vcs(const InputVc& in) const {
    return output_ports_[static_cast<std::size_t>(in.out_port)].free_vcs & allowance(in).vcs;
  }
  const Allowance& allowance(const InputVc& in) const { return allowances_[id_of(in)]; }
  PortWord contested_outputs() const;
  void ask_for_vcs(std::int32_t input_vc);
  std::uint32_t take_grants(std::int32_t input_vc);
  int preferred_vc(const InputVc& in, std::uint32_t offered) const;
  void allocate_vc(std::int32_t input_vc, int vc, Cycles now);
  template <typename Environment>
  void allocate_switch(Cycles now, Environment& environment);
  template <typename Environment>
  void allocate_large_switch(Cycles now, Environment& environment);
  template <typename Environment>
  void match(std::size_t id, int in_port, int out_port, Cycles now, Environment& environment);
  std::int32_t requester(int out_port) const;
  bool goes_before(std::int32_t input_vc, std::int32_t other, int turn, int turn_of_other) const {
    return older(input_vc, other) || (of_an_age(input_vc, other) && turn < turn_of_other);
  }
  bool older(std::int32_t input_vc, std::int32_t other) const {
    return by_age_ &&
           created_[static_cast<std::size_t>(input_vc)] < created_[static_cast<std::size_t>(other)];
  }
  bool of_an_age(std::int32_t input_vc, std::int32_t other) const {
    return !by_age_ ||
           created_[static_cast<std::size_t>(input_vc)] == created_[static_cast<std::size_t>(other)];
  }
  bool channel_is_free(int out_port, Cycles now) const {
    return !output_ports_[static_cast<std::size_t>(out_port)].slow ||
           paces_[static_cast<std::size_t>(out_port)].next_free <= now * period_;
  }
  template <typename Environment>
  void traverse(std::size_t id, int in_port, int out_port, Cycles now, Environment& environment);
  void occupy_channel(int out_port, Cycles now);
  void gain_credit(std::int32_t input_vc);
  std::size_t ring_index(std::size_t input_vc, std::uint32_t offset) const {
    return (input_vc << ring_shift_) + ((inputs_[input_vc].head + offset) & ring_mask_);
  }
  NodeId node_;
  int ports_;
  int vcs_;
  int vcs_per_word_;  // number of virtual channels per word of bits_
  std::uint32_t depth_;
  int routing_delay_;
  int vc_alloc_delay_;
  Femtoseconds period_;
  RouterEnvironment* environment_;

  std::vector<VcBits> bits_;
  PortWord active_outputs_;  // outputs with an active input virtual channel, in routers of one word
  bool one_word_;
  bool in_rotation_;  // whether there is a single word and no arbitration by age
  std::vector<InputPort> input_ports_;
  std::vector<OutputPort> output_ports_;
  std::vector<InputVc> inputs_;    // [port][vc]
  std::vector<OutputVc> outputs_;  // [port][vc]
  std::vector<Flit> buffers_;      // [port][vc][ring]; the size of a ring is a power of two
  std::uint32_t ring_mask_;
  std::uint32_t ring_shift_;

  TimedQueue routed_;                     // heads waiting for VC allocation to begin
  std::vector<std::int32_t> waiting_vc_;  // input VCs that request an output VC, in ascending order
  TimedQueue allocated_;                  // input VCs waiting for switch allocation to begin
  bool tail_left_ = false;                // whether a tail has left in the current cycle
  bool by_age_;
  // [input VC]: creation cycle of the front packet; empty unless arbitrating by age.
  std::vector<Cycles> created_;
  std::vector<Choice> choices_;  // [input VC]; empty until a packet has adaptive hops

  std::vector<Allowance> allowances_;  // [input VC]
  std::vector<Pace> paces_;            // [output]; empty unless an output is slow
  // State of an allocation in progress, used by routers with several words or with arbitration by age.
  PortSet requested_;
  PortSet granted_;
  std::vector<std::int32_t> accepted_;  // [input]: virtual channel whose request is accepted
};

inline void Router::receive_flit(int in_port, int vc, Flit flit, Cycles now) {
  const InputPort& port = input_ports_[static_cast<std::size_t>(in_port)];
  const std::size_t id = index(in_port, vc);
  InputVc& in = inputs_[id];
  buffers_[ring_index(id, in.count)] = flit;
  ++in.count;
  VcBits& bits = bits_[port.word];
  const std::uint64_t own = bit(port, vc);
  bits.filled |= own;
  if ((bits.busy & own) != 0) return;
  bits.busy |= own;
  start_routing(static_cast<std::int32_t>(id), now + routing_delay_);
}

inline bool Router::receive_credit(int out_port, int vc) {
  OutputVc& out = outputs_[index(out_port, vc)];
  if (++out.credits == 1 && out.owner >= 0) {
    gain_credit(out.owner);
    return true;
  }
  return !choices_.empty();  // credits decide which hop is chosen
}

}  // namespace coppice::fabric

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "config/settings/config.h"
#include "fabric/fabric.h"
#include "fabric/failure.h"
#include "fabric/framing.h"
#include "fabric/trains/calendar.h"
#include "fabric/trains/meetings.h"
#include "fabric/trains/route_images.h"
#include "fabric/trains/train.h"
#include "topology/topology.h"

namespace coppice::fabric {

// Thrown if a run cannot be simulated message by message because two trains met or a condition of the closed
// form does not hold. what() describes where and in which cycle this first happened.
class ContentionError : public ModelError {
 public:
  explicit ContentionError(const std::string& what, Cycles cycle = 0) : ModelError(what), cycle_(cycle) {}
  // The cycle up to which the run was exact.
  Cycles cycle() const { return cycle_; }

 private:
  Cycles cycle_;
};

// A fabric whose simulation cost is one event per message. Each message is one train of flits, and the cycles
// of all its movements are known when it starts (train.h contains the closed form and its proof). The fabric
// is cycle-identical to FlitFabric while the following conditions hold, which are checked for every message.
// If a condition fails, ContentionError is thrown in the cycle of the first violation.
//
// Conditions for a single message:
//   credits: The D slots of a virtual channel keep a train moving if every flit finds a free slot. A slot is
//     free again R cycles after its last flit won the switch, where R is the sum of the channel's delay,
//     r + v, and the delay of the credit (TrainFabric::credits_keep_up()).
//   packets: Each packet uses a different virtual channel than the previous packet, and the packet before the
//     previous one must have left both routers. Two packets must therefore take at least r + v cycles from
//     head to head, and at least two virtual channels must be available.
// Conditions for two trains through one output port, where the head of the second train wins the switch in
// cycle w:
//   channel: The first train has freed the channel by cycle w. If it still occupies the channel for a part of
//     cycle w, this does not delay the tail of the second train.
//   input: The first train has left the next router, whose input both trains share, before the second train's
//     head can win the switch there.
//   virtual channel: The last packet of the first train began at least r + v cycles before w, so that the
//     virtual channel of the packet before it is free. If there is a single virtual channel, the first train
//     has left it when the second train's head requests it, and has left the next router when the head
//     arrives there.
// Packets of trains without a common output port never share a port in one cycle, because the input port of
// the next router follows from the output port here. Some cases could be predicted but are rejected: buffers
// too shallow for the credit loop, packet-based messages over a single virtual channel, and trains that share
// a channel flit by flit.
class TrainFabric final : public sc_core::sc_module, public Fabric, public StatisticsOwner {
 public:
  // All references must outlive the fabric. A ContentionError thrown in the fabric's process is stored in
  // `failure`.
  TrainFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
              const config::SystemConfig& system, const Framing& framing, int ni_ports, Failure& failure);

  // Lets the messages of the origin, the only accelerator that sends, represent all their images. The image
  // that arrives at the origin is ejected there. Statistics and observers include all images. `images` must
  // contain every route and outlive the fabric. Call this before the simulation.
  void stand_for(const RouteImages& images) { images_ = &images; }

  // Lets the run continue inexactly when trains meet, and records each meeting in `meetings`, which must
  // outlive the fabric. If there are too many meetings, the run ends with a ContentionError. Call this before
  // the simulation.
  void record_meetings(Meetings& meetings);
  // Declares that the statistics of `whole`, which must outlive this fabric, include this fabric's trains.
  void count_within(const Fabric& whole) { whole_ = &whole; }

  // Functions for flit messages that pass the same output ports as trains (MixedFabric). A flit message of NI
  // port `port` uses `outputs`, and its head cannot leave the first of these before cycle `begin`.
  void flits_come(std::span<const std::int32_t> outputs, std::int32_t port, const topology::Hop* route,
                  Cycles begin, Cycles now);
  // The passage of a flit message through an output port, from its first head to its last tail.
  struct OutputInterval {
    std::int32_t output;
    Cycles begin;      // when its first head could win the switch without obstruction
    Cycles last_head;  // when its last head won the switch
    Cycles tail;       // when its last flit won the switch
    // The cycle in which the last flit of the message left the next router, minus delay(output), or in which
    // it left the network.
    Cycles left_next;
    bool held_up;  // whether packets of this message may have met each other
    topology::VcRange vcs;
    NodeId src;
    NodeId dst;
  };
  void flits_passed(const OutputInterval& flits, Cycles now);
  std::size_t output_index(NodeId node, int port) const {
    return first_output_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(port);
  }
  // The number of cycles from the switch before an output port to the next router's input or to the NI.
  Cycles delay(std::int32_t output) const { return outputs_[static_cast<std::size_t>(output)].delay; }
  // The node to which an output port leads; kNoNode for the NI.
  NodeId node_behind(std::size_t output) const { return outputs_[output].to; }
  // The number of cycles from a router's input to its switch.
  Cycles head_delay() const { return timing_.routing_and_allocation(); }

  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;
  const FabricStatistics& statistics() const override { return statistics_; }
  void count_until(Cycles stop) override { stop_ = stop; }
  void read_statistics(const Reader& read) const override {
    if (whole_ == nullptr) statistics_.read(read);
  }
  bool idle() const override { return trains_ == 0; }
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;
  Cycles last_movement() const override { return last_movement_; }
  Femtoseconds period() const override { return period_; }
  void add_observer(FabricObserver& observer) override { observers_.push_back(&observer); }

 private:
  struct Port {
    Injector* injector = nullptr;
    Ejector* ejector = nullptr;
    Cycles free_at = 0;      // when the injection channel accepts the next message
    Cycles vcs_free_at = 0;  // from this cycle on, the next message does not meet the previous one
    // Whether the first flit of the next message may already have to wait for the previous message's credits.
    bool credits_short = false;
    bool sending = false;
  };
  // The interval in which a train or a flit message uses an output port.
  struct Interval {
    Cycles begin;       // when the head wins the switch
    Cycles tail;        // when the tail wins the switch
    Cycles free;        // when the head of another train may win the switch
    Cycles free_of_vc;  // like `free`, but for flits or if `vcs` contains a single virtual channel
    topology::VcRange vcs;
    bool flits = false;
    std::int64_t length = 0;     // number of flits of a train
    Femtoseconds next_free = 0;  // when the channel has accepted all flits of this and earlier trains
  };
  static constexpr Cycles kNoFlits = std::numeric_limits<Cycles>::max();
  enum class EventKind : std::uint8_t { kEjected, kInjected, kWake };
  struct Event {
    EventKind kind;
    std::int32_t port;  // NI port, as an index into ports_
    std::uint64_t message;
    // The order of events within a cycle.
    bool operator<(const Event& other) const {
      return kind != other.kind ? kind < other.kind : port < other.port;
    }
  };
  // An output port of a router.
  struct Output {
    NodeId node = topology::kNoNode;
    NodeId to = topology::kNoNode;  // kNoNode: the NI
    std::int32_t channel = -1;
    Cycles delay = 0;        // number of cycles from the switch to the next router's input or to the NI
    Cycles credit_loop = 0;  // R in the condition `credits`
    ChannelPace pace;
    Cycles spaced = 0;             // minimum number of cycles from a flit to the D-th flit after it
    std::vector<Interval> trains;  // in ascending order of cycles
    // State for flit messages that pass this port:
    Cycles flits_since = kNoFlits;  // a cycle no later than the arrival of flits that have not passed
    std::int32_t flits_coming = 0;  // number of flit messages that have not passed yet
    bool trained = false;           // whether a train has passed
    bool shared = false;            // whether flits have met here
    bool flits_only = false;  // flits met here or at an output that leads here, so no train may ever pass
  };
  // The train for a message length. A run has only a few different lengths.
  struct Known {
    Bytes bytes = -1;
    Femtoseconds flit_time = 0;  // flit time of the slowest channel
    Train train;
    Cycles paced = 0;       // number of cycles from a flit to the D-th flit after it
    Cycles next_start = 0;  // number of cycles from a message's first flit to that of the next message
  };
  // An output port on the route of the message that is being started.
  struct Stage {
    Output* output;
    topology::VcRange vcs;
    Traversal traversal;
    std::span<const topology::ChannelId> channels;  // channels of this output and of its images
  };

  void build(const config::SystemConfig& system);
  void tick();
  static constexpr std::size_t kAhead = 4;  // number of events to prefetch ahead
  void prefetch(const Event& event) const;
  void process(const Event& event, Cycles now);
  void try_start(std::int32_t port, Cycles now);
  void start(std::int32_t port, const Message& message, Cycles now);
  const Known& known(const Message& message);
  void follow(const Message& message, const Train& train, Cycles now);
  void follow_images(const Message& message, const Train& train, Cycles now);
  void add_stage(Output& out, topology::VcRange vcs, const Train& train, Cycles now);
  std::int64_t all(std::int64_t flits) const {
    return images_ == nullptr ? flits : flits * static_cast<std::int64_t>(images_->accelerators());
  }
  std::vector<std::int64_t> moved_before_stop(const Train& train, Cycles now) const;
  std::int32_t ejection_port(const Message& message) const;
  void require_credits(const Message& message, const Known& known, Cycles now) const;
  void require_virtual_channels(const Message& message, const Train& train, Cycles now) const;
  bool injection_credits_keep_up(const Known& known) const { return known.paced >= injection_credit_loop_; }
  Cycles injection_free_at(const Known& known, Cycles now) const;
  enum class Credits : std::uint8_t { kKeepUp, kKeepUpAlone, kShort };
  Credits credits_keep_up(std::size_t stage, const Known& known) const;
  Interval interval(std::size_t stage, const Known& known) const;
  void occupy(Output& output, const Interval& interval, NodeId src, NodeId dst, Cycles now);
  bool follows_closely(const Output& output, const Interval& first, Interval& second) const;
  void meet_at(Output& output, const Interval& one, const Interval& other, NodeId src, NodeId dst);
  void require_one_train(std::int32_t port, const Message& message, const Known& known, Cycles now);
  bool first_contention(Cycles at) const { return contended_at_ < 0 || at < contended_at_; }
  void contend(Cycles at, const std::string& what);
  void record_passing(std::int32_t port, const Message& message, const Train& train, Cycles now);
  void share(Output& output, Cycles now);
  void keep_trains_off(Output& output, Cycles now);
  void meet(Output& output, Cycles now);
  std::int32_t index(const Output& output) const {
    return static_cast<std::int32_t>(&output - outputs_.data());
  }
  void schedule(Cycles at, const Event& event);
  std::string place(const Output& output) const;
  Output& output(NodeId node, int port) {
    return outputs_[first_output_[static_cast<std::size_t>(node)] + static_cast<std::size_t>(port)];
  }

  const topology::Topology* topology_;
  int ni_ports_;
  TrainTiming timing_;
  Femtoseconds period_;
  Cycles vc_alloc_delay_;
  int vcs_;
  int vc_depth_;
  Cycles injection_credit_loop_ = 0;
  std::vector<std::size_t> first_output_;  // [node]
  std::vector<Output> outputs_;
  std::vector<Port> ports_;  // [interface][NI port]
  std::vector<Stage> stages_;
  std::array<Known, 64> known_;  // indexed by the lowest bits of the message length
  Calendar<Event> events_;
  sc_core::sc_event wake_event_;
  Cycles next_tick_ = -1;
  Cycles last_movement_ = 0;
  std::int64_t trains_ = 0;   // in flight
  Cycles contended_at_ = -1;  // the first known contention, which may lie in the future
  std::string contention_;
  const RouteImages* images_ = nullptr;
  Meetings* meetings_ = nullptr;
  const Fabric* whole_ = nullptr;  // the fabric to which this one belongs
  // [output port]: the output ports through which its flits have arrived.
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> feeders_;
  std::vector<std::int32_t> passing_;  // scratch space: the output ports of the message being started
  FabricStatistics statistics_;
  Cycles stop_ = std::numeric_limits<Cycles>::max();  // later movements of flits are not counted
  std::vector<FabricObserver*> observers_;
  Failure* failure_;
};

}  // namespace coppice::fabric

#pragma once

#include <memory>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/flits/flit_fabric.h"
#include "fabric/trains/meetings.h"
#include "fabric/trains/train_fabric.h"

namespace coppice::fabric {

// A fabric for both flits and trains: messages of some network-interface ports are simulated as flits, cycle
// by cycle, and all other messages as trains. It is cycle-identical to FlitNetwork as long as trains meet
// neither each other nor flits. Flits may meet each other at a port through which only flits have passed. Any
// other meeting is recorded in the Meetings.
//
// Why this is exact: a router's state consists of the owners of its buffers, channels and virtual channels,
// and of the pointers of its arbiters. Once traffic has finished (credits returned, channel free, next router
// left), only its changes to the pointers remain. They decide which of several flits that request the same
// resource in a cycle gets it, and which virtual channel is used next. Therefore
//   - a message that meets no other message moves as if it were alone, regardless of the pointers;
//   - where flits meet at an output port (including flits of one message that wait there for virtual
//     channels), the pointers of the port are correct if only flits have ever passed it;
//   - the virtual channels on which these flits arrive, which determine the order of arbitration, and the
//     pointers of the inputs are correct if only flits have ever passed the output ports that lead to
//     these inputs.
// Flits are assumed to use an output port from the cycle in which their head could have won the switch until
// all their credits have returned; no other message may arrive in this interval.
class MixedFabric final : public sc_core::sc_module, public Fabric, public StatisticsOwner {
 public:
  // Messages of the ports selected by `meetings` are simulated as flits. All references must outlive the
  // fabric.
  MixedFabric(const sc_core::sc_module_name& name, const topology::Topology& topology,
              const topology::RoutingFunction& routing, const config::SystemConfig& system,
              const Framing& framing, int ni_ports, Failure& failure, Meetings& meetings);

  void connect(NodeId node, int port, Injector& injector, Ejector& ejector) override;
  void wake(NodeId node, int port, Cycles at) override;
  const FabricStatistics& statistics() const override;
  void count_until(Cycles stop) override { trains_.count_until(stop); }
  void read_statistics(const Reader& read) const override { statistics().read(read); }
  bool idle() const override { return trains_.idle() && flits_.idle(); }
  void check_conservation() const override;
  std::string describe_packets(int limit) const override;
  Cycles last_movement() const override { return std::max(trains_.last_movement(), flits_.last_movement()); }
  Femtoseconds period() const override { return flits_.period(); }
  void add_observer(FabricObserver& observer) override;

 private:
  // An ejector for the flit network. It passes messages that arrive as flits to the original ejector as whole
  // messages, as if they had arrived as trains.
  class WholeMessages final : public Ejector {
   public:
    explicit WholeMessages(Ejector& ejector) : ejector_(&ejector) {}
    void packet_ejected(const Packet& packet, Cycles now) override { ejector_->packet_ejected(packet, now); }

   private:
    Ejector* ejector_;
  };
  // Follows flit messages through the routers and reports to the train fabric the output ports that they use.
  class Follower final : public FabricObserver {
   public:
    Follower(MixedFabric& fabric) : fabric_(&fabric) {}
    void flit_sent(const FlitEvent& event, const Packet& packet, Cycles now) override;

   private:
    // The passage of a message through an output port of its route.
    struct Stage {
      std::int32_t output;
      Cycles begin = 0;          // when the first head could win the switch
      bool head_passed = false;  // whether the first head has won
      Cycles last_head = 0;      // when the most recent head won the switch
      Cycles tail = 0;           // when the most recent tail won the switch
      std::int64_t packets = 0;  // number of packets that have passed
      bool held_up = false;      // whether the message has several heads and one of them has waited here
    };
    struct Followed {
      std::int64_t packets = -1;  // number of packets of the message; -1 if not known yet
      std::vector<Stage> stages;
      std::vector<Cycles> heads;  // [packet]: when the head of the packet could win the next switch
    };
    void injected(const FlitEvent& event, const Packet& packet, Cycles now);
    void open(const FlitEvent& event, const Packet& packet, Cycles now);
    void passed(Followed& followed, std::size_t stage, const Packet& packet, Cycles now);
    void close(const Followed& followed, std::size_t stage, Cycles left_next, const Packet& packet,
               Cycles now);

    MixedFabric* fabric_;
    std::unordered_map<std::uint64_t, Followed> messages_;
  };

  std::size_t index(NodeId node, int port) const { return static_cast<std::size_t>(node * ni_ports_ + port); }

  int ni_ports_;
  Meetings* meetings_;
  TrainFabric trains_;
  FlitNetwork flits_;
  Follower follower_;
  std::vector<bool> sends_flits_;  // [port]
  std::vector<std::unique_ptr<WholeMessages>> ejectors_;
  mutable FabricStatistics statistics_;
};

}  // namespace coppice::fabric

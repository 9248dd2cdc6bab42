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

// A fabric for both flits and trains: some network-interface ports send flits, which go through the routers
// cycle by cycle, all others send trains. Cycle-identical to FlitNetwork while trains meet neither each other
// nor flits; flits may meet each other at a port through which only flits have passed. Otherwise it records
// the meeting in its Meetings.
//
// The reason why this is exact: a router's state consists of the owners of its buffers, channels and virtual
// channels, and of the pointers of its arbiters. Of traffic that is over (credits back, channel free, next
// router left), only the pointers remain; they decide between flits that request one thing in a cycle, and
// which virtual channel is next. So
//   - a message that meets nothing moves as if it were alone, whatever the pointers are;
//   - where flits meet at an output port (including those of one message that wait there for virtual
//     channels), its pointers are right if everything that ever passed it was flits;
//   - the numbers of the virtual channels on which they arrive, by which its arbiters count, and the pointers
//     of the inputs are right if the same holds for the output ports that lead to it.
// Flits are taken to use an output port from when their head could have won the switch there until all their
// credits are back: nothing else may arrive in between.
class MixedFabric final : public sc_core::sc_module, public Fabric, public StatisticsOwner {
 public:
  // The messages of `meetings` send flits. All references must outlive the fabric.
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
  // An ejector that receives whole messages, as for trains, although they arrive as flits.
  class WholeMessages final : public Ejector {
   public:
    explicit WholeMessages(Ejector& ejector) : ejector_(&ejector) {}
    void packet_ejected(const Packet& packet, Cycles now) override { ejector_->packet_ejected(packet, now); }

   private:
    Ejector* ejector_;
  };
  // Follows messages of flits through the routers, and reports to the trains which ports they use.
  class Follower final : public FabricObserver {
   public:
    Follower(MixedFabric& fabric) : fabric_(&fabric) {}
    void flit_sent(const FlitEvent& event, const Packet& packet, Cycles now) override;

   private:
    // A message at an output port of its route.
    struct Stage {
      std::int32_t output;
      Cycles begin = 0;          // when its first head could win the switch
      bool head_passed = false;  // whether it has
      Cycles last_head = 0;      // when the last head so far did
      Cycles tail = 0;           // when the last tail so far did
      std::int64_t packets = 0;  // packets that have passed
      bool held_up = false;      // whether one of several heads has waited there
    };
    struct Followed {
      std::int64_t packets = -1;  // number of its packets; -1: not known yet
      std::vector<Stage> stages;
      std::vector<Cycles> heads;  // [packet]: when its head could win the next switch
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

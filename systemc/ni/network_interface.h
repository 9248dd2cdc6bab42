#pragma once

#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "config/settings/config.h"
#include "fabric/flits/terminal.h"
#include "fabric/framing.h"
#include "fabric/network_port.h"
#include "fabric/route_timing.h"
#include "ni/interface.h"
#include "ni/issue/command_decoder.h"
#include "ni/issue/route_override.h"
#include "ni/issue/table_context.h"
#include "ni/memory/gradient_memory.h"
#include "ni/memory/message_record.h"
#include "ni/memory/reduction_queues.h"
#include "ni/memory/reduction_unit.h"
#include "ni/memory_port.h"
#include "ni/messages/depacketizer.h"
#include "ni/messages/message_images.h"
#include "ni/messages/packetizer.h"
#include "ni/ni_context.h"
#include "ni/wake_scheduler.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

// Opens the record of a message that `entry` issues at `port` of `node` in cycle `now`. The message carries
// `bytes` of data over `route`, whose timing is `timing`. The lockstep allowed its step to start in cycle
// `released`, and `enabler` satisfied its last dependency. The record does not contain data yet.
std::uint64_t open_message(const NiContext& context, NodeId node, int port, const TableEntry& entry,
                           Bytes bytes, const fabric::RouteTiming& timing, Cycles released,
                           const Enabler& enabler, Cycles now);

// An accelerator's network interface, which executes reduce-schedule tables. Each port has its own table,
// timestep counter, lockstep counter, decoder, packetizer and depacketizer. All ports share the dependency
// tracker, the DMA engine and the reduction unit. Tables loaded later run alongside the interface's own
// tables, each set in its own context (table_context.h). If several contexts could issue,
// system.ni.context_order decides which one does. Contexts that started in the current cycle come last, in
// the order in which they started.
//
// Cycle by cycle: if the conditions of an entry hold in cycle c, it issues in cycle c. A port issues at most
// one entry per cycle. The first flit reaches the injection channel no earlier than c + dma_latency. A
// message whose tail is ejected in cycle c counts as arrived from cycle c + reduction_latency (reduce) or c +
// 1 (gather) on, or from the cycle in which the memory has received it if that is later.
//
// The lockstep estimates the duration of a message from its number of flits and the rate of the slowest
// channel on its route, and the duration of a nop from its bytes and the slowest rate at its port. Like any
// entry, a nop takes a cycle to issue. Both durations include system.ni.message_setup, the gap between the
// messages of a port (Packetizer). Real numbers are added flit by flit if the fabric moves flits, otherwise
// message by message. Cycles in which nothing can change are not simulated.
class NetworkInterface final : public sc_core::sc_module,
                               public Interface,
                               public StatisticsOwner,
                               private WakeScheduler::Sleeper {
 public:
  // One network port for each NI port, bound to a fabric that moves messages or to the internal terminal.
  sc_core::sc_vector<sc_core::sc_port<fabric::NetworkPortIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND>> network;
  // The terminal's ports, to be bound to the router's local channels if the network moves flits; otherwise
  // empty.
  sc_core::sc_vector<fabric::FlitModule::Port<fabric::FlitReceiveIf>> in;
  sc_core::sc_vector<fabric::FlitModule::Port<fabric::FlitSendIf>> out;
  // Reports every message that has been reduced or stored here.
  tlm::tlm_analysis_port<MessageRecord> completed{"completed"};

  // If `flits` is set, the interface contains a terminal with `local_ports` ports for a network that moves
  // flits. The tables start when the simulation starts unless `context.held` is set.
  NetworkInterface(const sc_core::sc_module_name& name, NodeId node, int ports, const NiContext& context,
                   GradientMemory& contents, fabric::FlitContext* flits = nullptr, int local_ports = 0);

  // For runs in which all accelerators do the same in the same cycles. After lead(), this interface simulates
  // its tables, and `images` accounts for the other accelerators. After follow(), this
  // interface is passive and copies the statistics of `leader`. Call these functions before the simulation.
  void lead(MessageImages& images) { images_ = &images; }
  void follow(const NetworkInterface& leader) { leader_ = &leader; }

  void start(Cycles at) override;
  bool started() const override { return started_; }
  void load(const ContextTables& tables, Cycles now) override;
  void unload(ContextId id) override;
  void start_context(ContextId id, Cycles at) override;
  Cycles cycle_of(const sc_core::sc_time& time) const override {
    return (static_cast<Femtoseconds>(time.value()) + context_.period - 1) / context_.period;
  }
  // The internal terminal; nullptr if the network moves messages.
  fabric::PacketTerminal* terminal() { return terminal_.get(); }

  NodeId node() const override { return node_; }
  int num_ports() const override { return static_cast<int>(ports_.size()); }
  bool finished() const override;
  std::string describe_waiting(Cycles now) const override;
  void settle() override;
  PortView view(int port, Cycles now) const override;
  void read_statistics(const Reader& read) const override;

 private:
  static constexpr Cycles kNever = TableContext::kNever;
  using Loaded = std::unordered_map<ContextId, std::unique_ptr<TableContext>>;
  struct Port {
    explicit Port(const fabric::Framing& framing) : packetizer(framing) {}
    Packetizer packetizer;
    std::unique_ptr<Depacketizer> depacketizer;
    Cycles free_since = 0;      // cycle after the last tail left
    ContextId last_served = 0;  // the context whose entry issued last
    Cycles last_issue = -1;     // the cycle in which that entry issued
  };
  // Messages that arrived before their context was started here (or before it was loaded, if early messages
  // are added on arrival).
  struct Early {
    int port;
    std::uint64_t message;
  };
  struct Completion {
    Cycles at;
    int port;
    std::uint64_t message;
    // Whether the memory has received the message; if so, the message is complete in cycle `at`.
    bool written = false;
    // Later completions compare greater. Ties are ordered by port, so that sums do not depend on the fabric.
    bool operator>(const Completion& other) const {
      return at != other.at ? at > other.at : port > other.port;
    }
  };

  void wake(Cycles now) override;
  void wakes_soon(std::size_t stage) const override;
  Cycles first_due() const;
  void complete_arrivals(Cycles now);
  void count_arrival(TableContext& context, const MessageRecord& arrival, Cycles now);
  void run_port(int port, Cycles now);
  bool run_context(TableContext& context, int port, Cycles now, bool may_issue);
  const std::vector<TableContext*>& in_order(const Port& port, Cycles now);
  DecoderState state_of(const TableContext& context, int port, Cycles cycle) const;
  void wait(TableContext& context, int port, DecoderState state, Cycles now);
  void wake_fabric(int port, Cycles now);
  void issue(TableContext& context, int port, const TableEntry& entry, Cycles now);
  // The flit time of the slowest channel on the routes of the port's messages.
  Femtoseconds slowest_flit(TableContext& context, int port);
  Cycles sending_time(std::int64_t flits, Femtoseconds flit_time) const;
  void hold(TableContext& context, int port, std::int64_t flits, Femtoseconds flit_time, Cycles now,
            bool absorb);
  TableContext* find(ContextId id) const;
  void take_early(TableContext& context, Cycles at);
  bool finish_if_done(TableContext& context, Cycles now);
  Loaded::node_type take_idle(const ContextTables& tables);
  void connect(int port);
  void direct_access_ends() override { memory_port_.direct_access_ends(); }
  void end_of_elaboration() override;
  void take_flit(int port, const fabric::Packet& packet, fabric::Flit flit, Cycles now);
  void message_arrived(int port, std::uint64_t message, Cycles now);
  void run_at(TableContext& context, int port, Cycles at);
  void wake_at(Cycles at);

  NodeId node_;
  NiContext context_;
  std::unique_ptr<fabric::PacketTerminal> terminal_;
  std::vector<std::unique_ptr<fabric::FabricPort>> fabric_ports_;
  std::vector<fabric::NetworkPortIf*> network_ports_;  // [port]: bound to `network`
  // Members that every wake-up needs are stored together, because the interfaces of a large system do not fit
  // into the caches.
  Cycles next_wake_ = -1;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
  // Started but unfinished contexts, in the order of their start; always includes `own_`.
  std::vector<TableContext*> running_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::unique_ptr<TableContext> own_;        // the tables passed to the constructor
  std::unique_ptr<ReductionQueues> queues_;  // set together with values_
  ValueMemory* values_ = nullptr;            // set if real numbers are summed, rounded in the order of flits
  Loaded loaded_;                            // all except own_
  // Finished contexts for later tables, since constructing a context costs more than executing a short table.
  std::vector<Loaded::node_type> idle_;
  std::vector<TableContext*> order_;  // scratch space: running_ in the order in which a port serves them
  std::unordered_map<ContextId, std::vector<Early>> early_;
  bool started_ = false;
  MessageImages* images_ = nullptr;
  const NetworkInterface* leader_ = nullptr;
  MemoryPort memory_port_;
  ReductionUnit reduction_;
  struct Counts {
    std::int64_t messages_sent = 0;
    std::int64_t messages_received = 0;
    Bytes bytes_sent = 0;
    Bytes bytes_received = 0;
  } counts_;
};

}  // namespace coppice::ni

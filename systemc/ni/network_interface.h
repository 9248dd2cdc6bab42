#pragma once

#include <limits>
#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "config/config.h"
#include "fabric/fabric.h"
#include "fabric/framing.h"
#include "fabric/route_timing.h"
#include "ni/alarm_clock.h"
#include "ni/command_decoder.h"
#include "ni/depacketizer.h"
#include "ni/dma_engine.h"
#include "ni/gradient_memory.h"
#include "ni/message_record.h"
#include "ni/packetizer.h"
#include "ni/path_table.h"
#include "ni/reduction_unit.h"
#include "ni/route_times.h"
#include "schedule/schedule.h"

namespace coppice::ni {

// What all network interfaces of a run share; outlives them.
struct NiContext {
  const topology::Topology* topology;
  const config::SystemConfig* system;
  const schedule::Schedule* schedule;
  fabric::Framing framing;
  Femtoseconds period;
  fabric::Fabric* fabric;
  MessageLog* log;
  AlarmClock* clock;
  const PathTable* paths = nullptr;  // none: messages take the schedule's routes
  bool held = false;                 // tables start with restart(), not with the simulation
};

// An accelerator's network interface: executes its reduce-schedule tables. Per port a table, timestep and
// lockstep counters, decoder, packetizer and depacketizer; shared the dependency tracker, the DMA engine and
// the reduction unit.
//
// Cycle by cycle: an entry whose conditions hold in cycle c issues in c, one per port and cycle; its first
// flit reaches the injection channel no earlier than c + dma_latency. A message whose tail is ejected in
// cycle c counts as arrived from c + reduction_latency (reduce) or c + 1 (gather) on. The lockstep takes a
// message to last as long as its flits at the pace of the slowest channel of its route, and a nop as long as
// its bytes would at the slowest pace of its port; either takes system.ni.message_setup more, which is how
// far a port's messages are apart (Packetizer). Nothing runs in cycles in which nothing can change.
class NetworkInterface final : public sc_core::sc_module, private AlarmClock::Sleeper {
 public:
  NetworkInterface(const sc_core::sc_module_name& name, NodeId node, int ports, const NiContext& context,
                   GradientMemory& memory);

  // Runs the tables again, on `memory`, from cycle `at` on, which is not in the past. All messages of the
  // last time must have been reduced or stored; throws ModelError if entries have not issued.
  void restart(GradientMemory& memory, Cycles at);

  // Every entry has issued.
  bool finished() const;
  // Per unfinished port: the entry at its head and what it waits for. For deadlock reports.
  std::string describe_waiting(Cycles now) const;

  NodeId node() const { return node_; }
  int num_ports() const { return static_cast<int>(ports_.size()); }
  // What an observer sees of a port in cycle `now`.
  struct PortView {
    DecoderState state;
    std::int32_t timestep;
    Cycles lockstep;
    std::int64_t issued;
  };
  PortView view(int port, Cycles now) const;

 private:
  // The arrival that met the last dependency of a message, as MessageRecord has it.
  struct Enabler {
    Cycles at = 0;
    Cycles tail_injected = 0;
    Cycles delay = 0;
    Cycles credit_delay = 0;
  };
  struct Port {
    Port(const fabric::Framing& framing, Cycles setup) : packetizer(framing, setup) {}
    ScheduleTable table;
    TimestepCounter timestep;
    LockstepCounter lockstep;
    Packetizer packetizer;
    std::unique_ptr<Depacketizer> depacketizer;
    Cycles free_since = 0;  // the cycle after the last tail that left
    // Its decoder runs again in cycle `due`, and when what it waits for happens.
    Cycles due = kNever;
    std::int32_t awaited_flow = -1;  // waits for arrivals of this flow
    bool awaits_place = false;       // waits for the tail of a message
    // Of the next message that it will issue.
    std::int32_t next_flow = -1;
    std::int32_t next_dependencies = 0;
    Enabler enabler;
    Femtoseconds slowest_flit = 0;  // of its messages; 0: not known yet
  };
  static constexpr Cycles kNever = std::numeric_limits<Cycles>::max();
  struct Completion {
    Cycles at;
    int port;
    std::uint64_t message;
    // Later completions compare greater; ports break ties, so that sums do not depend on the fabric.
    bool operator>(const Completion& other) const {
      return at != other.at ? at > other.at : port > other.port;
    }
  };

  void wake(Cycles now) override;
  void complete_arrivals(Cycles now);
  void count_arrival(const MessageRecord& arrival, Cycles now);
  void expect_next_message(Port& port, Cycles now);
  void run_port(int port, Cycles now);
  void wait(Port& port, DecoderState state, Cycles now);
  void wake_fabric(int port, Cycles now);
  void issue(int port, const TableEntry& entry, Cycles now);
  // The flit time of the slowest channel that the port's messages take.
  Femtoseconds slowest_flit(int port);
  Cycles sending_time(std::int64_t flits, Femtoseconds flit_time) const;
  void hold(Port& port, std::int64_t flits, Femtoseconds flit_time, Cycles now, bool absorb);
  void connect(int port);
  void message_arrived(int port, std::uint64_t message, Cycles now);
  void run_at(Port& port, Cycles at);
  void wake_at(Cycles at);

  NodeId node_;
  NiContext context_;
  GradientMemory* memory_;
  std::vector<std::unique_ptr<Port>> ports_;
  DependencyTracker tracker_;
  DmaEngine dma_;
  ReductionUnit reduction_;
  RouteTimes route_times_;
  Cycles setup_;
  std::priority_queue<Completion, std::vector<Completion>, std::greater<>> completions_;
  Cycles next_wake_ = -1;
};

}  // namespace coppice::ni

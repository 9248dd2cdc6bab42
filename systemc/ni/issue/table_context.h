#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/units.h"
#include "config/settings/config.h"
#include "ni/issue/dependency_tracker.h"
#include "ni/issue/lockstep_counter.h"
#include "ni/issue/route_times.h"
#include "ni/issue/schedule_table.h"
#include "ni/issue/start_causes.h"
#include "ni/issue/timestep_counter.h"
#include "ni/memory/gradient_memory.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

// The identity of a collective in flight, equal at all network interfaces; 0 is that of the tables that an
// interface was constructed with.
using ContextId = std::uint32_t;
inline constexpr ContextId kOwnTables = 0;

// A collective as one network interface executes it. All that it points to outlives its execution.
struct ContextTables {
  ContextId id = kOwnTables;
  const schedule::Schedule* schedule = nullptr;  // whose entries name nodes of the machine
  const schedule::NodeTables* tables = nullptr;  // this interface's
  GradientMemory* contents = nullptr;            // the collective's buffer at this accelerator
  Bytes base = 0;                                // where the buffer is in the accelerator's memory
  std::int64_t arrivals = 0;                     // messages that come here
  int priority = 0;                              // the higher is served first where priorities are followed
  int context = -1;                              // of the interface, that holds them; -1: whichever
};

// A context of a network interface: the state of one set of tables, all that several collectives in flight do
// not share. Per port the table, timestep and lockstep counters; the dependency tracker of all ports.
class TableContext {
 public:
  static constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

  // The reasons a port waits. Stored apart from the rest, since every arrival and every wake-up looks at all
  // ports.
  struct Waiting {
    Cycles due = kNever;             // its decoder runs again then, and when what it waits for happens
    std::int32_t awaited_flow = -1;  // waits for arrivals of this flow,
    std::int32_t awaited_count = 0;  // so many of them
    bool awaits_place = false;       // waits for the tail of a message
  };
  struct Port {
    ScheduleTable table;
    TimestepCounter timestep;
    LockstepCounter lockstep;
    Femtoseconds slowest_flit = 0;  // of its messages; 0: not known yet
  };

  TableContext(const topology::Topology& topology, const config::SystemConfig& system, NodeId node,
               const ContextTables& tables)
      : given(tables),
        tracker(tables.schedule->flows),
        enablers(static_cast<int>(tables.tables->ports.size())),
        route_times(topology, system, *tables.schedule, node),
        ports(tables.tables->ports.size()),
        waiting(ports.size()),
        setup(
            software(topology, system, node,
                     tables.schedule->protocol ? tables.schedule->protocol->setup : system.ni.message_setup)),
        nops_(system.ni.lockstep) {}

  // From cycle `now` on the tables are as they were loaded.
  void reset(Cycles now) {
    tracker = DependencyTracker(given.schedule->flows);
    for (std::size_t p = 0; p < ports.size(); ++p) {
      ports[p].table.load(given.tables->ports[p], given.schedule->repetition, nops_);
      enablers.expect(static_cast<int>(p), ports[p].table.next_message(), tracker, now);
    }
  }
  // Every entry has issued.
  bool issued() const {
    for (const Port& port : ports) {
      if (port.table.head() != nullptr) return false;
    }
    return true;
  }
  // The bytes that a message of `bytes` sends.
  Bytes sent(Bytes bytes) const {
    return given.schedule->protocol ? schedule::sent_bytes(bytes, given.schedule->protocol->efficiency)
                                    : bytes;
  }
  // Whether every entry has issued and left, and everything expected has arrived.
  bool complete() const { return in_flight == 0 && missing == 0 && issued(); }
  // Whether it was complete before cycle `now`: the events of a cycle end it in the next one, in whatever
  // order the parts of a cycle run.
  bool finished(Cycles now) const { return active < now && complete(); }

  ContextTables given;
  bool started = false;
  bool reached = false;  // a message has come
  Cycles begins = 0;     // the cycle in which its entries may issue first
  // The last cycle in which it began, passed a nop, or sent a tail.
  Cycles active = -1;
  DependencyTracker tracker;
  Enablers enablers;
  RouteTimes route_times;
  std::vector<Port> ports;
  std::vector<Waiting> waiting;  // [port]
  Cycles setup;                  // of every message
  std::int64_t missing = 0;      // arrivals
  std::int64_t in_flight = 0;    // messages whose tails are still here

 private:
  // The software delay in cycles; zero for switches, whose tables are in hardware.
  static Cycles software(const topology::Topology& topology, const config::SystemConfig& system, NodeId node,
                         Femtoseconds time) {
    return topology.is_accelerator(node) ? fabric::latency_cycles(time, system.clock.period()) : 0;
  }

  bool nops_;  // they hold the lockstep
};

}  // namespace coppice::ni

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

// The identity of a collective in flight, equal at all network interfaces; 0 denotes the tables with which an
// interface was constructed.
using ContextId = std::uint32_t;
inline constexpr ContextId kOwnTables = 0;

// A collective as one network interface executes it. Everything that it points to must outlive its execution.
struct ContextTables {
  ContextId id = kOwnTables;
  const schedule::Schedule* schedule = nullptr;  // its entries name nodes of the machine
  const schedule::NodeTables* tables = nullptr;  // the tables of this interface
  GradientMemory* contents = nullptr;            // the collective's buffer at this accelerator
  Bytes base = 0;                                // address of the buffer in the accelerator's memory
  std::int64_t arrivals = 0;                     // number of messages that arrive here
  int priority = 0;                              // the highest is served first if priorities are followed
  int context = -1;                              // the context that holds them; -1: any
};

// A context of a network interface: the state of one set of tables, which collectives in flight do not share.
// It has a table, timestep and lockstep counters for each port, and one dependency tracker for all ports.
class TableContext {
 public:
  static constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

  // The conditions for which a port waits. Stored apart from the other state, since every arrival and every
  // wake-up looks at all ports.
  struct Waiting {
    Cycles due = kNever;             // next run of its decoder, also when the awaited event occurs
    std::int32_t awaited_flow = -1;  // flow whose arrivals it waits for,
    std::int32_t awaited_count = 0;  // and their number
    bool awaits_place = false;       // whether it waits for the tail of a message to leave
  };
  struct Port {
    ScheduleTable table;
    TimestepCounter timestep;
    LockstepCounter lockstep;
    Femtoseconds slowest_flit = 0;  // among its messages; 0: not computed yet
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

  // Returns the tables, from cycle `now` on, to their state after loading.
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
  bool reached = false;  // a message has arrived
  Cycles begins = 0;     // the first cycle in which its entries may issue
  // The last cycle in which it began, skipped a nop, or sent a tail.
  Cycles active = -1;
  DependencyTracker tracker;
  Enablers enablers;
  RouteTimes route_times;
  std::vector<Port> ports;
  std::vector<Waiting> waiting;  // [port]
  Cycles setup;                  // of every message
  std::int64_t missing = 0;      // arrivals that are still expected
  std::int64_t in_flight = 0;    // messages whose tails have not left

 private:
  // The software delay in cycles; zero for switches, whose tables are in hardware.
  static Cycles software(const topology::Topology& topology, const config::SystemConfig& system, NodeId node,
                         Femtoseconds time) {
    return topology.is_accelerator(node) ? fabric::latency_cycles(time, system.clock.period()) : 0;
  }

  bool nops_;  // whether tables contain nops, which hold the lockstep
};

}  // namespace coppice::ni

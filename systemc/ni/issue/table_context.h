#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/units.h"
#include "config/settings/config.h"
#include "ni/issue/dependency_tracker.h"
#include "ni/issue/image_arrivals.h"
#include "ni/issue/lockstep_counter.h"
#include "ni/issue/route_times.h"
#include "ni/issue/schedule_table.h"
#include "ni/issue/start_causes.h"
#include "ni/issue/timestep_counter.h"
#include "ni/memory/gradient_memory.h"
#include "schedule/tables/schedule.h"

namespace coppice::ni {

// Identifies a collective in flight; all network interfaces use the same ID. ID 0 denotes the tables passed
// to the constructor of an interface.
using ContextId = std::uint32_t;
inline constexpr ContextId kOwnTables = 0;

// A collective as executed by one network interface. All objects to which it points must outlive its
// execution.
struct ContextTables {
  ContextId id = kOwnTables;
  const schedule::Schedule* schedule = nullptr;  // entries refer to nodes of the machine
  const schedule::NodeTables* tables = nullptr;  // the tables of this interface
  GradientMemory* contents = nullptr;            // the collective's buffer at this accelerator
  Bytes base = 0;                                // address of the buffer in the accelerator's memory
  std::int64_t arrivals = 0;                     // number of messages that arrive here
  int priority = 0;                              // higher values are served first, if priorities are enabled
  int context = -1;                              // index of the context that holds the tables; -1: any
  const ImageArrivals* images = nullptr;         // the arrivals, if this interface represents several
  // The timing of the schedule's only route; nullptr: the interface computes the timing of its routes.
  const fabric::RouteTiming* timing = nullptr;
};

// A context of a network interface: the state of one set of tables. Each collective in flight has its own
// context. A context has a table, a timestep counter and a lockstep counter for each port, and one dependency
// tracker for all ports.
class TableContext {
 public:
  static constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

  // The conditions for which a port waits. They are stored separately from the remaining state, because every
  // arrival and every wake-up checks the conditions of all ports.
  struct Waiting {
    Cycles due = kNever;  // cycle in which the decoder runs next unless the awaited event occurs earlier
    std::int32_t awaited_flow = -1;  // flow for whose arrivals the port waits
    std::int32_t awaited_count = 0;  // number of arrivals for which the port waits
    bool awaits_place = false;       // whether the port waits for the tail of a message to leave
  };
  struct Port {
    ScheduleTable table;
    TimestepCounter timestep;
    LockstepCounter lockstep;
    Femtoseconds slowest_flit = 0;  // slowest flit time among the port's messages; 0: not computed yet
  };

  TableContext(const topology::Topology& topology, const config::SystemConfig& system, NodeId node,
               const ContextTables& tables)
      : given(tables),
        tracker(tables.schedule->flows),
        enablers(static_cast<int>(tables.tables->ports.size())),
        route_times(topology, system, *tables.schedule, node),
        ports(tables.tables->ports.size()),
        waiting(ports.size()),
        setup(setup_of(topology, system, node, *tables.schedule)),
        nops_(system.ni.lockstep) {}

  // Assigns other tables of the same interface to the context, which is then in the state in which its
  // constructor would leave it.
  void replace(const topology::Topology& topology, const config::SystemConfig& system, NodeId node,
               const ContextTables& tables) {
    given = tables;
    started = reached = false;
    begins = 0;
    active = -1;
    route_times.use(*tables.schedule);
    for (Port& port : ports) {
      port.timestep = {};
      port.lockstep = {};
      port.slowest_flit = 0;
    }
    waiting.assign(ports.size(), {});
    due = kNever;
    setup = setup_of(topology, system, node, *tables.schedule);
    missing = in_flight = 0;
  }

  // Resets the context to the state just after loading, in cycle `now`.
  void reset(Cycles now) {
    tracker.reset(given.schedule->flows);
    unfinished = 0;
    for (std::size_t p = 0; p < ports.size(); ++p) {
      ports[p].table.load(given.tables->ports[p], given.schedule->repetition, nops_);
      if (ports[p].table.head() != nullptr) ++unfinished;
      enablers.expect(static_cast<int>(p), ports[p].table.next_message(), tracker, now);
    }
  }
  // Removes the head of a port's table.
  void pop(Port& port) {
    port.table.pop();
    if (port.table.head() == nullptr) --unfinished;
  }
  // Whether every entry has issued.
  bool issued() const { return unfinished == 0; }
  // The decoder of a port runs in cycle `at`, or in the cycle in which it already was to run if that is
  // earlier.
  void run_at(std::size_t port, Cycles at) {
    waiting[port].due = std::min(waiting[port].due, at);
    due = std::min(due, at);
  }
  // Records the conditions for which a port waits.
  void wait(std::size_t port, const Waiting& conditions) {
    waiting[port] = conditions;
    due = kNever;
    for (const Waiting& each : waiting) due = std::min(due, each.due);
  }
  const fabric::RouteTiming& timing(std::int32_t route) {
    return given.timing != nullptr ? *given.timing : route_times[route];
  }
  // The number of bytes sent for a message with `bytes` of data.
  Bytes sent(Bytes bytes) const {
    return given.schedule->protocol ? schedule::sent_bytes(bytes, given.schedule->protocol->efficiency)
                                    : bytes;
  }
  // Whether every entry has issued, every message has left, and every expected message has arrived.
  bool complete() const { return in_flight == 0 && missing == 0 && issued(); }
  // Whether the context was complete before cycle `now`. The events of a cycle take effect in the next cycle,
  // so the result does not depend on the order in which components are simulated within a cycle.
  bool finished(Cycles now) const { return active < now && complete(); }

  ContextTables given;
  bool started = false;
  bool reached = false;  // whether a message has arrived
  Cycles begins = 0;     // the first cycle in which entries may issue
  // The last cycle in which the context started, a nop was skipped, or a tail was sent.
  Cycles active = -1;
  DependencyTracker tracker;
  Enablers enablers;
  RouteTimes route_times;
  std::vector<Port> ports;
  std::vector<Waiting> waiting;  // [port]
  Cycles due = kNever;           // the first cycle in which the decoder of a port runs
  int unfinished = 0;            // number of ports that have not issued all entries
  Cycles setup;                  // setup time of every message
  std::int64_t missing = 0;      // number of arrivals that are still expected
  std::int64_t in_flight = 0;    // number of messages whose tails have not left

 private:
  // The setup time of a message in cycles; 0 for switches, whose tables are in hardware.
  static Cycles setup_of(const topology::Topology& topology, const config::SystemConfig& system, NodeId node,
                         const schedule::Schedule& schedule) {
    if (!topology.is_accelerator(node)) return 0;
    return fabric::latency_cycles(schedule.protocol ? schedule.protocol->setup : system.ni.message_setup,
                                  system.clock.period());
  }

  bool nops_;  // whether tables contain nops, which hold the lockstep
};

}  // namespace coppice::ni

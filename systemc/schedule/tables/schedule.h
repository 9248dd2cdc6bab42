#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "schedule/tables/table.h"
#include "topology/bounds/bound.h"
#include "topology/routing/routing.h"
#include "topology/topology.h"

namespace coppice::schedule {

using topology::Collective;

const char* to_string(Collective collective);

// The tables of one accelerator's network interface, one per port.
struct NodeTables {
  std::vector<Table> ports;
};

// A contiguous part of the gradient buffer.
struct Chunk {
  Bytes address = 0;
  Bytes bytes = 0;
};

// A part of the buffer and its owner: the accelerator that has its final value after a reduce-scatter, or
// contributes it to an all-gather.
struct Share {
  Chunk data;
  NodeId owner = topology::kNoNode;
};

// The difference between the entries of consecutive pieces of a pipelined schedule. It is the same at every
// port. If `step` is 0, no repetition is known. Affects only the size of folded tables (table_loop.h).
struct Repetition {
  std::int32_t flow = 0;
  Bytes address = 0;
  std::int32_t step = 0;

  bool operator==(const Repetition&) const = default;
};

// The protocol of a collective's messages, if the machine offers several (system.ni.protocols).
struct Protocol {
  std::string name{};
  double efficiency = 1;    // fraction of the sent bytes that is data
  Femtoseconds setup = 0;   // time that a port spends before each message
  Femtoseconds launch = 0;  // time from the call of the collective until its first entry may issue

  bool operator==(const Protocol&) const = default;
};

// The number of bytes sent for a message with `bytes` bytes of data. `efficiency` is the fraction of the sent
// bytes that is data.
Bytes sent_bytes(Bytes bytes, double efficiency);

// A compiled collective: the tables that all network interfaces execute.
struct Schedule {
  std::string algorithm;
  Collective collective = Collective::kAllReduce;
  Bytes size = 0;  // bytes of the gradient buffer, which is equally long at every accelerator
  // Greater than 1 if every accelerator computes an all-reduce by itself. `size` then covers this many copies
  // of the data, and the tables are a reduce-scatter that leaves the sum in each accelerator's own copy.
  int copies = 1;
  Bytes element = 4;  // bytes of one element
  int steps = 0;      // number of timesteps, over both phases of an all-reduce
  // The minimum number of timesteps for trees over channels that carry one chunk per timestep; 0: not known.
  int least_steps = 0;
  int flows = 0;
  int chunks = 0;  // the compiler's choice if the request is kAutomaticChunks
  // Whether some conflicting arrivals are ordered only by their timesteps (2D ring: a column's sum must not
  // overtake a lagging row). Such a schedule needs the lockstep; other schedules are correct under any
  // timing.
  bool ordered_by_lockstep = false;
  // Whether arrivals of a flow may overtake each other. An entry with d dependencies then waits for the
  // arrivals numbered 0 to d - 1 (TableEntry::arrival) instead of any d arrivals.
  bool numbered_arrivals = false;
  // The owners of the data of a reduce-scatter or all-gather, sorted by address; if empty, share_out()
  // assigns equal shares.
  std::vector<Share> shares;
  std::vector<NodeTables> nodes;
  int adders = 0;  // number of reducing switches, which are the last of `nodes` and own no data
  std::vector<topology::Route> routes;  // shared by entries that take the same path
  Repetition repetition;
  std::optional<Protocol> protocol{};  // nullopt: messages use the system's defaults

  int accelerators() const { return static_cast<int>(nodes.size()) - adders; }
  // The operation and the number of bytes that were requested.
  Collective requested() const { return copies > 1 ? Collective::kAllReduce : collective; }
  Bytes data_size() const { return size / copies; }
};

// The name of a schedule's collective, such as "all_reduce"; "broadcast" or "reduce" if one accelerator owns
// all the data.
std::string collective_name(const Schedule& schedule);

// Cuts `size` bytes of whole elements into `count` chunks whose sizes differ by at most one element; longer
// chunks come first.
std::vector<Chunk> split_into_chunks(Bytes size, Bytes element, int count);

// A copy of the schedule without its tables and routes.
Schedule without_tables(const Schedule& schedule);

// The shares of a schedule. If it has none of its own, the buffer is cut into equal chunks, one per
// accelerator in order; empty shares are omitted.
std::vector<Share> share_out(const Schedule& schedule);

}  // namespace coppice::schedule

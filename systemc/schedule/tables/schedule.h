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

// The distance between the entries of consecutive pieces of a pipelined schedule, at every port; step 0: no
// repetition is known. It affects only the size of folded tables (table_loop.h).
struct Repetition {
  std::int32_t flow = 0;
  Bytes address = 0;
  std::int32_t step = 0;

  bool operator==(const Repetition&) const = default;
};

// The protocol of a collective's messages, if the machine has several to choose from (system.ni.protocols).
struct Protocol {
  std::string name{};
  double efficiency = 1;    // bytes of data per byte sent
  Femtoseconds setup = 0;   // time a port spends before each message
  Femtoseconds launch = 0;  // time from the call of the collective until its first entry may issue

  bool operator==(const Protocol&) const = default;
};

// The bytes sent for a message with `bytes` of data; `efficiency` is the fraction of sent bytes that is data.
Bytes sent_bytes(Bytes bytes, double efficiency);

// A compiled collective: the tables that all network interfaces execute.
struct Schedule {
  std::string algorithm;
  Collective collective = Collective::kAllReduce;
  Bytes size = 0;  // of the whole gradient buffer, the same at every accelerator
  // Greater than 1 in an all-reduce that every accelerator computes by itself: `size` covers this many copies
  // of the data, and the tables are a reduce-scatter that leaves each accelerator the sum in its own copy.
  int copies = 1;
  Bytes element = 4;  // bytes of one element
  int steps = 0;      // timesteps, over both phases of an all-reduce
  // The fewest timesteps for trees over channels that carry one chunk per timestep; 0: not known.
  int least_steps = 0;
  int flows = 0;
  int chunks = 0;  // chosen by the compiler if the request left them to it (kAutomaticChunks)
  // Some conflicting arrivals are ordered only by their timesteps (2D ring: a column's sum must not overtake
  // a lagging row). Such a schedule needs the lockstep; others are correct under any timing.
  bool ordered_by_lockstep = false;
  // Arrivals of a flow may overtake each other: an entry with d dependencies waits for the arrivals numbered
  // 0 to d - 1 (TableEntry::arrival), not for any d arrivals.
  bool numbered_arrivals = false;
  // The owners of the data of a reduce-scatter or all-gather, by address; empty: share_out() decides.
  std::vector<Share> shares;
  std::vector<NodeTables> nodes;
  int adders = 0;                       // reducing switches, which contribute nothing; the last of `nodes`
  std::vector<topology::Route> routes;  // shared by entries that take the same path
  Repetition repetition;
  std::optional<Protocol> protocol{};  // nullopt: messages use the system's defaults

  int accelerators() const { return static_cast<int>(nodes.size()) - adders; }
  // The operation and the bytes of data that were requested.
  Collective requested() const { return copies > 1 ? Collective::kAllReduce : collective; }
  Bytes data_size() const { return size / copies; }
};

// "all_reduce"; "broadcast" or "reduce" if one accelerator owns all the data.
std::string collective_name(const Schedule& schedule);

// `size` bytes of whole elements cut into `count` chunks that differ by at most one element, the longer
// ones first.
std::vector<Chunk> split_into_chunks(Bytes size, Bytes element, int count);

// Everything in a schedule but its tables and routes.
Schedule without_tables(const Schedule& schedule);

// The shares of a schedule: its own if it has any, otherwise chunk a of n equal chunks for accelerator a;
// empty shares are omitted.
std::vector<Share> share_out(const Schedule& schedule);

}  // namespace coppice::schedule

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

// A part of the buffer and the accelerator that has its final value after a reduce-scatter, or contributes it
// to an all-gather.
struct Share {
  Chunk data;
  NodeId owner = topology::kNoNode;
};

// How far the entries of a pipelined schedule's next piece are from those of the one before, at every port;
// no step: nothing is known to repeat. Only how small tables get depends on it (table_loop.h).
struct Repetition {
  std::int32_t flow = 0;
  Bytes address = 0;
  std::int32_t step = 0;

  bool operator==(const Repetition&) const = default;
};

// How the messages of a collective go over the wire, where the machine has several ways to choose from
// (system.ni.protocols).
struct Protocol {
  std::string name{};
  double efficiency = 1;    // bytes of data per byte that is sent
  Femtoseconds setup = 0;   // of a port, before each message
  Femtoseconds launch = 0;  // from the call of the collective until its first entry may issue

  bool operator==(const Protocol&) const = default;
};

// The bytes that a message of `bytes` sends where `efficiency` of them are data.
Bytes sent_bytes(Bytes bytes, double efficiency);

// A compiled collective: what every network interface executes.
struct Schedule {
  std::string algorithm;
  Collective collective = Collective::kAllReduce;
  Bytes size = 0;       // of the whole gradient buffer, the same at every accelerator
  Bytes element = 4;    // bytes of one element
  int steps = 0;        // timesteps, both phases of an all-reduce
  int least_steps = 0;  // the fewest that trees over channels of one chunk a step could take; 0: not known
  int flows = 0;
  int chunks = 0;  // that the compiler chose, where the request left them to it (kAutomaticChunks)
  // Some arrivals come after what they must not disturb only because their timestep is later (2D ring: a
  // column's sum, and a row that still lags). Such a schedule needs the lockstep; others are right under any
  // timing.
  bool ordered_by_lockstep = false;
  // Arrivals of a flow may overtake each other: an entry with d dependencies waits for those numbered 0 to d
  // - 1 (TableEntry::arrival), not for any d.
  bool numbered_arrivals = false;
  // Who owns what in a reduce-scatter or all-gather, by address; empty: share_out().
  std::vector<Share> shares;
  std::vector<NodeTables> nodes;
  int adders = 0;  // the last of `nodes`: switches that add what they are sent and contribute nothing
  std::vector<topology::Route> routes;  // shared by entries that take the same path
  Repetition repetition;
  std::optional<Protocol> protocol{};  // none: messages go and cost as the system says

  int accelerators() const { return static_cast<int>(nodes.size()) - adders; }
};

// "all_reduce"; "broadcast" and "reduce" where all the data is the share of one accelerator.
std::string collective_name(const Schedule& schedule);

// `size` bytes of whole elements cut into `count` chunks that differ by at most one element, the longer
// ones first.
std::vector<Chunk> split_into_chunks(Bytes size, Bytes element, int count);

// The shares of a schedule: its own, or chunk a of n equal chunks to accelerator a, without those of no
// bytes.
std::vector<Share> share_out(const Schedule& schedule);

}  // namespace coppice::schedule

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/units.h"
#include "topology/bound.h"
#include "topology/routing.h"
#include "topology/topology.h"

namespace coppice::schedule {

using topology::Collective;
using topology::NodeId;

const char* to_string(Collective collective);

// What a network interface does with a table entry.
enum class Op : std::uint8_t {
  kReduce,  // send my partial sum to the parent, which adds it
  kGather,  // send the final value to the children, which store it
  kNop,     // hold the lockstep for one step
};

const char* to_string(Op op);

// Nodes named by an entry: most name at most two, and a large system has millions of entries.
using NodeList = boost::container::small_vector<NodeId, 2>;

// One line of a reduce-schedule table (MultiTree's NI). The entries of a port issue in order.
// NOLINTNEXTLINE(bugprone-exception-escape): moving a list of numbers throws nothing
struct TableEntry {
  Op op = Op::kNop;
  std::int32_t flow = -1;  // tree or chunk identity; -1 for a nop
  NodeId parent =
      topology::kNoNode;  // reduce: the destination; gather: whom the value came from, none at the root
  NodeList children;      // reduce: whose partial sums it includes; gather: the destination
  std::int32_t step = 0;  // the timestep, from 1, at which it may start
  std::int32_t dependencies = 0;  // arrivals of `flow` here that must have been reduced or stored first
  std::int32_t arrival =
      0;              // Schedule::numbered_arrivals: its number among those of `flow` at the destination
  Bytes address = 0;  // of the data in every accelerator's gradient buffer
  Bytes bytes = 0;    // nop: the longest message of its step, for which it holds the lockstep
  std::int32_t route = -1;  // index into Schedule::routes; -1 for a nop
  std::int32_t padding =
      0;  // bytes that follow the data on the way and are dropped, so that steps last alike

  // What it is on the way.
  Bytes message_bytes() const { return bytes + padding; }
  // The accelerator that the message goes to.
  NodeId destination() const { return op == Op::kReduce ? parent : children.front(); }
};

// The tables of one accelerator's network interface, one per port.
struct NodeTables {
  std::vector<std::vector<TableEntry>> ports;
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

// A compiled collective: what every network interface executes.
struct Schedule {
  std::string algorithm;
  Collective collective = Collective::kAllReduce;
  Bytes size = 0;       // of the whole gradient buffer, the same at every accelerator
  Bytes element = 4;    // bytes of one element
  int steps = 0;        // timesteps, both phases of an all-reduce
  int least_steps = 0;  // the fewest that trees over channels of one chunk a step could take; 0: not known
  int flows = 0;
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
  std::vector<topology::Route> routes;  // shared by entries that take the same path
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

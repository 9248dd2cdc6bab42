#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/units.h"
#include "schedule/compile/chunk_policy.h"
#include "schedule/compile/compiler.h"

namespace coppice::workload {

// The operations of collectives; a barrier moves no data of its ranks.
enum class CollectiveOp { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce, kAllToAll, kBarrier };
const char* to_string(CollectiveOp op);  // "all_reduce", …: the values of collective.op, and "barrier"

// The operations that configurations and programs can name: all except the barrier.
inline constexpr std::array kNamedCollectives{CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                              CollectiveOp::kAllGather, CollectiveOp::kBroadcast,
                                              CollectiveOp::kReduce,    CollectiveOp::kAllToAll};

// Whether one accelerator has, or receives, all the data.
constexpr bool rooted(CollectiveOp op) {
  return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

// The collective whose tables execute an operation: a broadcast is an all-gather, and a reduce is a
// reduce-scatter, with all data at the root; an all-to-all is an all-gather of all blocks; a barrier is the
// smallest all-reduce.
schedule::Collective tables_of(CollectiveOp op);

// The specification of a collective: the configured one, or one of a program with the configured algorithm.
// Schedules are compiled from it and from the network of its members.
struct CollectiveSpec {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string algorithm{};  // its name in the registry (schedule/registry.h); empty: not configured
  std::string file{};       // for algorithm `file`: the file of its tables, relative to the working directory
  Bytes size = 0;           // bytes of the whole result; for an all-gather, all gathered data
  int root = 0;             // for broadcast and reduce: the accelerator that has, or receives, all the data
  std::vector<int> group{};                 // participating accelerators; empty: all
  int chunks = schedule::kAutomaticChunks;  // independent chunks, counted like CompileRequest::chunks
  int planes = 0;  // number of the network's planes to use; 0: all (schedule/compile/spread.h)
  schedule::TreePlacement trees = schedule::TreePlacement::kAuto;
  schedule::ChunkPolicy chunk_policy{};  // for the dimensions of a hierarchy
  bool operator==(const CollectiveSpec&) const = default;
};

}  // namespace coppice::workload

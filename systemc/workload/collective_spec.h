#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/units.h"
#include "schedule/compile/chunk_policy.h"
#include "schedule/compile/compiler.h"

namespace coppice::workload {

// A barrier moves no data of its ranks.
enum class CollectiveOp { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce, kAllToAll, kBarrier };
const char* to_string(CollectiveOp op);  // "all_reduce", …: the values of collective.op, and "barrier"

// The operations that configurations and programs can name: all but the barrier.
inline constexpr std::array kNamedCollectives{CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                              CollectiveOp::kAllGather, CollectiveOp::kBroadcast,
                                              CollectiveOp::kReduce,    CollectiveOp::kAllToAll};

// One accelerator has, or gets, all the data.
constexpr bool rooted(CollectiveOp op) {
  return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

// The tables that execute an operation: a broadcast is an all-gather, and a reduce a reduce-scatter, with all
// data at the root; the blocks of an all-to-all are gathered; a barrier is the smallest all-reduce.
schedule::Collective tables_of(CollectiveOp op);

// The specification of a collective: the configured one, or one of a program with the configured algorithm.
// Schedules are compiled from it and the network of its members.
struct CollectiveSpec {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string algorithm{};   // its name in the registry (schedule/registry.h); empty: not given
  std::string file{};        // of algorithm file: tables, relative to the working directory
  Bytes size = 0;            // of the whole result, such as all data of an all-gather
  int root = 0;              // of broadcast and reduce: the accelerator that has, or gets, all the data
  std::vector<int> group{};  // the accelerators that take part; empty: all
  int chunks = schedule::kAutomaticChunks;  // that move on their own, as CompileRequest::chunks counts them
  int planes = 0;  // of the network that are used; 0: all (schedule/compile/spread.h)
  schedule::TreePlacement trees = schedule::TreePlacement::kAuto;
  schedule::ChunkPolicy chunk_policy{};  // over the dimensions of a hierarchy
  bool operator==(const CollectiveSpec&) const = default;
};

}  // namespace coppice::workload

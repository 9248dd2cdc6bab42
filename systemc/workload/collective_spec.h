#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/units.h"
#include "schedule/compile/chunk_policy.h"
#include "schedule/compile/compiler.h"

namespace coppice::workload {

// The operations of collectives. A barrier moves none of its ranks' data, but makes the ranks wait for each
// other.
enum class CollectiveOp { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kReduce, kAllToAll, kBarrier };
const char* to_string(CollectiveOp op);  // "all_reduce" and so on, as in collective.op, and "barrier"

// The operations that a configuration can name in collective.op: all except the barrier.
inline constexpr std::array kNamedCollectives{CollectiveOp::kAllReduce, CollectiveOp::kReduceScatter,
                                              CollectiveOp::kAllGather, CollectiveOp::kBroadcast,
                                              CollectiveOp::kReduce,    CollectiveOp::kAllToAll};

// Whether one accelerator, the root, has all data at the start or at the end.
constexpr bool rooted(CollectiveOp op) {
  return op == CollectiveOp::kBroadcast || op == CollectiveOp::kReduce;
}

// The collective whose tables execute an operation. A broadcast is an all-gather in which all data belongs to
// the root, and a reduce is a reduce-scatter of this kind. An all-to-all is an all-gather of all blocks, and
// a barrier is the smallest possible all-reduce.
schedule::Collective tables_of(CollectiveOp op);

// The settings of a collective: either the configured one, or one that belongs to a program and uses the
// configured algorithm. Its schedule is compiled from these settings and the network of its members.
struct CollectiveSpec {
  CollectiveOp op = CollectiveOp::kAllReduce;
  std::string algorithm{};   // name of an algorithm in schedule/registry.h; empty: not configured
  std::string file{};        // for algorithm `file`: name of the file with the tables
  Bytes size = 0;            // size of the whole result; for an all-gather, of all gathered data
  int root = 0;              // for a broadcast or reduce: the accelerator that sends or receives all data
  std::vector<int> group{};  // accelerators that participate; empty: all
  int chunks = schedule::kAutomaticChunks;  // number of independent chunks, as in CompileRequest::chunks
  int planes = 0;  // number of the network's planes to use (schedule/compile/spread.h); 0: all
  schedule::TreePlacement trees = schedule::TreePlacement::kAuto;
  schedule::ChunkPolicy chunk_policy{};  // for the dimensions of a hierarchy
  bool operator==(const CollectiveSpec&) const = default;
};

}  // namespace coppice::workload

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "workload/collective_spec.h"
#include "workload/layer.h"

// The work of a system as execution graphs: a directed acyclic graph of operations per rank. Everything that
// runs is expressed as a program: a single collective, a training iteration, a large model laid out over
// tensor, pipeline, data, expert and context parallelism, a text workload, or another tool's trace.
namespace coppice::workload {

// The ranks that join collectives together, in the order of their numbers in collectives.
struct RankGroup {
  std::string name;
  std::vector<int> ranks;
  bool operator==(const RankGroup&) const = default;
};

// A collective of all ranks of a group; each rank has one operation that refers to it.
struct GroupCollective {
  std::string name;
  CollectiveOp op = CollectiveOp::kAllReduce;
  int group = 0;     // index into Program::groups
  Bytes bytes = 0;   // measured like `collective.size`: the whole result for an all-gather
  int root = 0;      // index in the group, for a broadcast or reduce
  int priority = 0;  // if ports serve by priority, the highest comes first
  std::string kind;  // its purpose: "data", "tensor", "pipeline", "expert", "context", and so on
  // If true, the collective runs exactly as the configuration's `collective` specifies, or is rejected;
  // otherwise settings that do not suit the group are replaced.
  bool as_configured = false;
  bool operator==(const GroupCollective&) const = default;
};

// A message from one rank to another; one operation sends it, and one receives it.
struct Transfer {
  std::string name;
  int source = 0;  // rank that sends
  int destination = 0;
  Bytes bytes = 0;
  std::string kind;  // like GroupCollective::kind
  bool operator==(const Transfer&) const = default;
};

// The purpose of a computation, by which results group times.
enum class Purpose { kForward, kInputGradient, kWeightGradient, kRecomputation, kUpdate, kOther };

// A computation. Either its duration is set, or its operations and bytes, from which the accelerator's
// roofline determines the time. A pass over a layer (or the update of its weights; see `purpose`) takes the
// time that the accelerator's arrays need without other users of the memory.
struct Compute {
  Femtoseconds duration = 0;
  double operations = 0;  // a multiply-accumulate counts as two
  double bytes = 0;       // to and from the accelerator's memory
  Purpose purpose = Purpose::kOther;
  std::int32_t layer = -1;  // index into Program::layers; -1: none
  bool operator==(const Compute&) const = default;
};

// Bytes read from or written to the accelerator's memory without computation.
struct MemoryAccess {
  Bytes bytes = 0;
  bool write = false;
  bool operator==(const MemoryAccess&) const = default;
};

struct JoinCollective {
  std::int32_t collective = 0;  // index into Program::collectives
  bool operator==(const JoinCollective&) const = default;
};

struct Send {
  std::int32_t transfer = 0;  // index into Program::transfers
  bool operator==(const Send&) const = default;
};

struct Receive {
  std::int32_t transfer = 0;  // index into Program::transfers
  bool operator==(const Receive&) const = default;
};

// An operation of a rank. It starts when all operations in `after`, which belong to the same rank, have ended
// and its resource is free: the accelerator computes one operation at a time, in order of readiness, then of
// position in the list.
struct Operation {
  std::string name;
  std::variant<Compute, MemoryAccess, JoinCollective, Send, Receive> work;
  std::vector<std::int32_t> after;  // indices into RankProgram::operations
  std::int32_t iteration = 0;
  bool operator==(const Operation&) const = default;
};

struct RankProgram {
  std::vector<Operation> operations;
  Bytes memory_bytes = 0;  // its peak memory use; 0: unknown
  bool operator==(const RankProgram&) const = default;
};

struct Program {
  std::string name;
  std::vector<RankGroup> groups;
  std::vector<GroupCollective> collectives;
  std::vector<Transfer> transfers;
  std::vector<RankProgram> ranks;
  std::vector<int> placement;  // the accelerator of each rank; empty: rank r is accelerator r
  // Assumptions about details that input files do not specify, one sentence each; results repeat them.
  std::vector<std::string> assumptions{};
  std::vector<Layer> layers{};  // layers that accelerators compute for `samples` samples at a time
  std::int64_t samples = 1;
  bool operator==(const Program&) const = default;
};

// The accelerator of a rank.
inline int accelerator_of(const Program& program, int rank) {
  return program.placement.empty() ? rank : program.placement[static_cast<std::size_t>(rank)];
}

// Throws UnsupportedError, naming rank and operation, if a program cannot run: an index out of range, a
// collective that a rank of its group does not join or joins twice, or that another rank joins, a transfer
// that is not sent and received exactly once by its ranks, a cycle of dependencies, two ranks on one
// accelerator, or negative sizes.
void check_program(const Program& program);

const char* to_string(Purpose purpose);

}  // namespace coppice::workload

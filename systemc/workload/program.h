#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/units.h"
#include "workload/collective_spec.h"
#include "workload/layer.h"

// A system's work as execution graphs: one directed acyclic graph of operations for each rank. Every kind of
// work is expressed in this form: a single collective, a training iteration, a large model laid out over
// tensor, pipeline, data, expert and context parallelism, a text workload, or a trace of another tool.
namespace coppice::workload {

// Ranks that join collectives together. Their order determines their numbers in collectives.
struct RankGroup {
  std::string name;
  std::vector<int> ranks;
  bool operator==(const RankGroup&) const = default;
};

// A collective among all ranks of a group. On each of these ranks, one operation refers to it.
struct GroupCollective {
  std::string name;
  CollectiveOp op = CollectiveOp::kAllReduce;
  int group = 0;     // index in Program::groups
  Bytes bytes = 0;   // defined like `collective.size`: for an all-gather, the size of the whole result
  int root = 0;      // for a broadcast or reduce: index in the group
  int priority = 0;  // if ports serve by priority, collectives with a higher priority come first
  std::string kind;  // the purpose: "data", "tensor", "pipeline", "expert", "context" or any other word
  // Whether the collective must run exactly as the configuration's `collective` specifies. If false, settings
  // that are unsuitable for the group are replaced by others.
  bool as_configured = false;
  bool operator==(const GroupCollective&) const = default;
};

// A message from one rank to another. One operation sends it, and one operation receives it.
struct Transfer {
  std::string name;
  int source = 0;  // the rank that sends
  int destination = 0;
  Bytes bytes = 0;
  std::string kind;  // as in GroupCollective::kind
  bool operator==(const Transfer&) const = default;
};

// The purpose of a computation. Results list times by purpose.
enum class Purpose { kForward, kInputGradient, kWeightGradient, kRecomputation, kUpdate, kOther };

// A computation. Either its duration is set, or its operations and bytes are set and the accelerator's
// roofline determines the time. A pass over a layer, or the update of the layer's weights (see `purpose`),
// takes the time that the accelerator's arrays need if nothing else uses the memory.
struct Compute {
  Femtoseconds duration = 0;
  double operations = 0;  // a multiply-accumulate counts as two
  double bytes = 0;       // bytes moved to and from the accelerator's memory
  Purpose purpose = Purpose::kOther;
  std::int32_t layer = -1;  // index in Program::layers; -1: none
  bool operator==(const Compute&) const = default;
};

// A read from or write to the accelerator's memory without computation.
struct MemoryAccess {
  Bytes bytes = 0;
  bool write = false;
  bool operator==(const MemoryAccess&) const = default;
};

struct JoinCollective {
  std::int32_t collective = 0;  // index in Program::collectives
  bool operator==(const JoinCollective&) const = default;
};

struct Send {
  std::int32_t transfer = 0;  // index in Program::transfers
  bool operator==(const Send&) const = default;
};

struct Receive {
  std::int32_t transfer = 0;  // index in Program::transfers
  bool operator==(const Receive&) const = default;
};

// An operation of a rank. It starts when all operations in `after`, which belong to the same rank, have ended
// and its resource is free. An accelerator computes one operation at a time: operations are computed in the
// order in which they become ready or, if several become ready at the same time, in the order of the list.
struct Operation {
  std::string name;
  std::variant<Compute, MemoryAccess, JoinCollective, Send, Receive> work;
  std::vector<std::int32_t> after;  // indices in RankProgram::operations
  std::int32_t iteration = 0;
  bool operator==(const Operation&) const = default;
};

struct RankProgram {
  std::vector<Operation> operations;
  Bytes memory_bytes = 0;  // the rank's peak memory use; 0: unknown
  bool operator==(const RankProgram&) const = default;
};

struct Program {
  std::string name;
  std::vector<RankGroup> groups;
  std::vector<GroupCollective> collectives;
  std::vector<Transfer> transfers;
  std::vector<RankProgram> ranks;
  std::vector<int> placement;  // [rank]: its accelerator; empty: rank r runs on accelerator r
  // Assumptions about details that input files do not specify, one sentence each. They are copied into the
  // results.
  std::vector<std::string> assumptions{};
  std::vector<Layer> layers{};  // the layers that computations refer to, each for `samples` samples
  std::int64_t samples = 1;
  bool operator==(const Program&) const = default;
};

// The accelerator on which a rank runs.
inline int accelerator_of(const Program& program, int rank) {
  return program.placement.empty() ? rank : program.placement[static_cast<std::size_t>(rank)];
}

// Throws UnsupportedError if a program cannot run; the message names the rank and the operation. The possible
// causes are an index out of range; a collective that is not joined exactly once by every rank of its group
// and by no other rank; a transfer that is not sent and received exactly once by its ranks; a cycle of
// dependencies; two ranks on one accelerator; and negative sizes.
void check_program(const Program& program);

const char* to_string(Purpose purpose);

}  // namespace coppice::workload

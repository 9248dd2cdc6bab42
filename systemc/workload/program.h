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
// tensor, pipeline, data, expert and context parallelism, a text workload, another tool's trace.
namespace coppice::workload {

// Ranks that do collectives together, in the order in which the collective counts them.
struct RankGroup {
  std::string name;
  std::vector<int> ranks;
  bool operator==(const RankGroup&) const = default;
};

// A collective that every rank of its group takes part in, each with one operation that names it.
struct GroupCollective {
  std::string name;
  CollectiveOp op = CollectiveOp::kAllReduce;
  int group = 0;  // in Program::groups
  Bytes bytes =
      0;         // as `collective.size` counts them: an all-gather's, the whole that everyone has in the end
  int root = 0;  // rank in the group; for a broadcast or reduce
  int priority = 0;  // the higher is served first where priorities are followed
  std::string kind;  // what it is there for: "data", "tensor", "pipeline", "expert", "context", and so on
  // The collective runs exactly as the configuration's `collective` specifies, or is refused; otherwise
  // settings that do not suit the group are replaced.
  bool as_configured = false;
  bool operator==(const GroupCollective&) const = default;
};

// A message from one rank to another; one operation sends it, one receives it.
struct Transfer {
  std::string name;
  int source = 0;  // rank
  int destination = 0;
  Bytes bytes = 0;
  std::string kind;  // as GroupCollective::kind
  bool operator==(const Transfer&) const = default;
};

// The purpose of a computation, by which results can add up times.
enum class Purpose { kForward, kInputGradient, kWeightGradient, kRecomputation, kUpdate, kOther };

// Either a duration, or operations and bytes whose time the accelerator's roofline gives: whichever is set. A
// pass over a layer, or the update of its weights, as `purpose` says, has the duration that the accelerator's
// arrays take for it with the memory to themselves.
struct Compute {
  Femtoseconds duration = 0;
  double operations = 0;  // a multiply-accumulate is two
  double bytes = 0;       // to and from the accelerator's memory
  Purpose purpose = Purpose::kOther;
  std::int32_t layer = -1;  // in Program::layers; -1: none
  bool operator==(const Compute&) const = default;
};

// Bytes that are read from or written to the accelerator's memory, while nothing is computed on them.
struct MemoryAccess {
  Bytes bytes = 0;
  bool write = false;
  bool operator==(const MemoryAccess&) const = default;
};

struct JoinCollective {
  std::int32_t collective = 0;  // in Program::collectives
  bool operator==(const JoinCollective&) const = default;
};

struct Send {
  std::int32_t transfer = 0;  // in Program::transfers
  bool operator==(const Send&) const = default;
};

struct Receive {
  std::int32_t transfer = 0;  // in Program::transfers
  bool operator==(const Receive&) const = default;
};

// It starts when all operations of `after`, which are of the same rank, have ended and its resource is free:
// the accelerator computes one thing at a time, in the order of readiness and then of the list.
struct Operation {
  std::string name;
  std::variant<Compute, MemoryAccess, JoinCollective, Send, Receive> work;
  std::vector<std::int32_t> after;  // in RankProgram::operations
  std::int32_t iteration = 0;
  bool operator==(const Operation&) const = default;
};

struct RankProgram {
  std::vector<Operation> operations;
  Bytes memory_bytes = 0;  // the most that it keeps at a time; 0: not known
  bool operator==(const RankProgram&) const = default;
};

struct Program {
  std::string name;
  std::vector<RankGroup> groups;
  std::vector<GroupCollective> collectives;
  std::vector<Transfer> transfers;
  std::vector<RankProgram> ranks;
  std::vector<int> placement;  // the accelerator of each rank; empty: rank r is accelerator r
  // Assumptions made where input files leave something open, one sentence each; results repeat them.
  std::vector<std::string> assumptions{};
  std::vector<Layer> layers{};  // that accelerators compute, `samples` of them at a time
  std::int64_t samples = 1;
  bool operator==(const Program&) const = default;
};

// Throws UnsupportedError naming rank and operation where a program can't be run: an index without its
// object, a collective that a rank of its group misses or joins twice, a rank that is not of the group, a
// transfer that is not sent or received once by the ranks it names, a cycle of dependencies, two ranks on one
// accelerator, negative sizes.
void check_program(const Program& program);

const char* to_string(Purpose purpose);

}  // namespace coppice::workload

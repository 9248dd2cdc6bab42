#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// Returns the trees that a request's TreePlacement selects; `count` must be 1 or 2. Throws UnsupportedError
// if they cannot be placed.
//   routed     binary trees over the numbers of accelerators; messages follow CompileRequest::routing
//   embedded   trees that use no channel twice: embed_trees(), or hierarchy_trees() if there are switches
//   ccube      the trees of the C-Cube paper with detours (ccube_trees()); the first tree if `count` is 1
//   automatic  ccube on a DGX-1, embedded on a graph file without switches, otherwise routed
std::vector<LinkedTree> request_trees(const topology::Topology& topology, const CompileRequest& request,
                                      int count);

// Returns CompileRequest::chunks or, if the number is automatic, the number that eq. (4) of C-Cube yields for
// CompileRequest::step_latency and the slowest channel.
int resolve_chunks(const topology::Topology& topology, const CompileRequest& request, int trees);

// Compiles an all-reduce over one or two trees. Reduction and broadcast either follow each other (B in the
// C-Cube paper) or overlap (C1).
template <int kTrees, Phases kPhases>
class TreeCompiler final : public Compiler {
 public:
  static AlgorithmInfo info();
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

extern template class TreeCompiler<1, Phases::kApart>;
extern template class TreeCompiler<2, Phases::kApart>;
extern template class TreeCompiler<1, Phases::kOverlapped>;
extern template class TreeCompiler<2, Phases::kOverlapped>;

}  // namespace coppice::schedule

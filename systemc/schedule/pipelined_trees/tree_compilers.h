#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// The trees for a request's TreePlacement; `count` is 1 or 2. Throws UnsupportedError if they cannot be
// placed.
//   routed    binary trees over the accelerators' numbers; messages follow CompileRequest::routing
//   embedded  no channel used twice: embed_trees() between neighbours, or hierarchy_trees() over switches
//   ccube     the paper's trees with detours (ccube_trees(); only the first if `count` is 1)
//   automatic ccube on a DGX-1, embedded on a graph from a file without switches, routed elsewhere
std::vector<LinkedTree> request_trees(const topology::Topology& topology, const CompileRequest& request,
                                      int count);

// CompileRequest::chunks; if automatic, the number given by eq. (4) of C-Cube for
// CompileRequest::step_latency and the slowest channel.
int resolve_chunks(const topology::Topology& topology, const CompileRequest& request, int trees);

// An all-reduce over one or two trees: reduction, then broadcast (B in the paper), or both overlapped (C1).
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

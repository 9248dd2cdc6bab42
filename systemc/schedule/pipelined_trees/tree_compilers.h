#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/pipelined_trees/pipelined_trees.h"

namespace coppice::schedule {

// The trees that a request asks for: `count` is 1 or 2. Throws UnsupportedError where they do not fit.
//
// routed    binary trees over the numbers of the accelerators, their messages by CompileRequest::routing
// embedded  no channel used twice: embed_trees(), neighbours only, or hierarchy_trees() over switches
// ccube     the paper's trees with detours (ccube_trees(), the first of them where one is asked for)
// automatic ccube on a DGX-1, embedded on a graph from a file without switches, routed elsewhere
std::vector<LinkedTree> request_trees(const topology::Topology& topology, const CompileRequest& request,
                                      int count);

// CompileRequest::chunks, or by eq. (4) of C-Cube from CompileRequest::step_latency and the slowest channel.
int resolve_chunks(const topology::Topology& topology, const CompileRequest& request, int trees);

// An all-reduce over one or two trees: reduction, then broadcast (the paper's B), or both overlapped (C1).
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

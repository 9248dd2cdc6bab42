#pragma once

#include "schedule/compiler.h"
#include "schedule/trees.h"

namespace coppice::schedule {

// MultiTree (Huang et al., ISCA 2021): trees and their link schedule built together, timestep by timestep.
// The trees take turns by root, one new node a turn; a tree extends from the nodes it held when the timestep
// began, those that joined first coming first, over the first free out-channel to a node it lacks. Throws
// UnsupportedError if some accelerator cannot be reached.
Trees build_trees(const topology::Topology& topology);

class MultiTreeCompiler final : public Compiler {
 public:
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override;
};

}  // namespace coppice::schedule

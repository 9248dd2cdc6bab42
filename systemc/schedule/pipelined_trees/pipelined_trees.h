#pragma once

#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/compile/table_builder.h"
#include "schedule/pipelined_trees/binary_trees.h"

namespace coppice::schedule {

// An edge of a tree and its channels. If it has no channels, its messages are routed.
struct TreeLink {
  NodeId child = topology::kNoNode;
  NodeId parent = topology::kNoNode;
  ChannelPath up;    // from child to parent
  ChannelPath down;  // from parent to child
};

// A spanning tree of the accelerators. The links of a parent precede those of its children.
struct LinkedTree {
  NodeId root = topology::kNoNode;
  std::vector<TreeLink> links;
};

// Converts a tree over ranks that are accelerator numbers. All of its messages are routed.
LinkedTree routed_tree(const BinaryTree& tree);

int depth_of(const LinkedTree& tree);

// When the broadcast of a chunk begins (C-Cube, Sec. III-C): after all chunks have been reduced, or as soon
// as the chunk itself has been reduced.
enum class Phases { kApart, kOverlapped };

// Builds an all-reduce over `trees`. Each tree carries an equal part of the data, in CompileRequest::chunks
// chunks that follow each other one timestep apart. Chunks are assigned to the trees in turn, so that they
// become final in order of address. With L levels of edges and K chunks, the all-reduce takes 2 (L + K - 1)
// timesteps if the phases are separate, and 2 L + K - 1 timesteps if they overlap. Throws UnsupportedError
// for other collectives and for more chunks than elements.
Schedule schedule_linked_trees(const topology::Topology& topology, const CompileRequest& request,
                               const std::string& algorithm, const std::vector<LinkedTree>& trees,
                               Phases phases);

}  // namespace coppice::schedule

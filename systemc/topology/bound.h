#pragma once

#include <vector>

#include "topology/topology.h"

namespace coppice::topology {

// The set of nodes whose exit bandwidth limits an all-gather most, and the time it takes.
struct CutBound {
  // Least time to send one byte of every accelerator in `cut` out of it, per byte of an accelerator's
  // contribution: |S ∩ accelerators| / exit bandwidth(S), as an exact fraction of seconds per byte.
  std::int64_t accelerators_in_cut = 0;
  std::int64_t exit_bytes_per_second = 0;
  std::vector<NodeId> cut;  // ascending
};

// The largest |S ∩ accelerators| / exit bandwidth(S) over all vertex sets S that hold at least one
// accelerator and miss at least one, by parametric max-flow (Dinkelbach's iteration over Boost's
// push-relabel, exact in integers). With one accelerator nothing has to move: both numbers are 0, the cut
// is empty. Throws UnsupportedError naming the nodes if some accelerator cannot reach another.
CutBound worst_cut(const Topology& topology);

enum class Collective { kReduceScatter, kAllGather, kAllReduce };

// The least time any schedule could take for a collective of `bytes` in all, without in-network reduction:
// an all-reduce needs the cut twice. Nanoseconds.
double bound_ns(const CutBound& cut, Collective collective, Bytes bytes, int accelerators);

// Between `root` and any other accelerator, the vertex set that holds root and lets out the least. What root
// broadcasts leaves it; what is reduced to it (`inward`) comes into it: exit_bytes_per_second is then what it
// lets in. Throws like worst_cut().
CutBound root_cut(const Topology& topology, NodeId root, bool inward);

// The least time of a broadcast or reduce of `bytes` with such a cut, in nanoseconds.
double root_bound_ns(const CutBound& cut, Bytes bytes);

}  // namespace coppice::topology

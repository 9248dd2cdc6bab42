#include "schedule/compile/compiler.h"

#include <fmt/format.h>

#include "base/error.h"
#include "schedule/automatic/automatic.h"
#include "schedule/hierarchical/hierarchical.h"
#include "schedule/multitree/chained_multitree.h"
#include "schedule/multitree/multitree.h"
#include "schedule/multitree/multitree_optimal.h"
#include "schedule/packed_trees/packed_trees.h"
#include "schedule/pipelined_trees/tree_compilers.h"
#include "schedule/rings/ring.h"
#include "schedule/rings/ring2d.h"
#include "schedule/trees/direct.h"
#include "schedule/trees/halving_doubling.h"
#include "schedule/trees/hdrm.h"

namespace coppice::schedule {
namespace {

struct Registered {
  AlgorithmInfo info;
  std::unique_ptr<Compiler> (*make)();
};

template <typename T>
std::unique_ptr<Compiler> make() {
  return std::make_unique<T>();
}

std::vector<Registered> registry() {
  return {
      {{"ring", "ring over neighbours, a chunk per accelerator"}, make<RingCompiler>},
      {{"ring2d", "rings along rows, then columns, of a 2D torus or mesh (all_reduce)"},
       make<Ring2dCompiler>},
      {{"tree", "sums up a binary tree, then broadcasts down it (all_reduce)"},
       make<TreeCompiler<1, Phases::kApart>>},
      {{"double_tree", "two binary trees, half of the data each (all_reduce)"},
       make<TreeCompiler<2, Phases::kApart>>},
      {{"overlapped_tree", "as tree, every chunk broadcast as soon as it is summed (C-Cube)"},
       make<TreeCompiler<1, Phases::kOverlapped>>},
      {{"overlapped_double_tree", "as double_tree, every chunk broadcast as soon as it is summed (C-Cube)"},
       make<TreeCompiler<2, Phases::kOverlapped>>},
      {{"halving_doubling", "recursive halving and doubling over a power of two of accelerators"},
       make<HalvingDoublingCompiler>},
      {{"hdrm", "halving_doubling with ranks placed on a bigraph without contention (EFLOPS)"},
       make<HdrmCompiler>},
      {{"direct", "every accelerator to every other"}, make<DirectCompiler>},
      {{"hierarchical",
        "chunks in a pipeline over the dimensions of a hierarchy, as collective.scheduler says"},
       make<HierarchicalCompiler>},
      {{"multitree", "trees built with their link schedule, one per accelerator (ISCA 2021)", true},
       make<MultiTreeCompiler>},
      {{"multitree_optimal", "as multitree, in the fewest timesteps that the channels allow", true},
       make<MultiTreeOptimalCompiler>},
      {{"chained_multitree", "as multitree_optimal, slice by slice in the order of the data (all_reduce)"},
       make<ChainedMultiTreeCompiler>},
      {{"packed_trees", "spanning trees that share out all bandwidth, each piece summed and spread at once",
        true},
       make<PackedTreesCompiler>},
      {{"auto", "what should be fastest here by its tables' expected time", true}, make<AutomaticCompiler>},
  };
}

}  // namespace

std::unique_ptr<Compiler> make_compiler(const std::string& algorithm) {
  for (const Registered& registered : registry()) {
    if (registered.info.name == algorithm) return registered.make();
  }
  return nullptr;
}

void require_whole_chunks(const CompileRequest& request, const std::string& algorithm) {
  if (request.chunks == 1) return;
  if (request.chunks == kAutomaticChunks) {
    throw UnsupportedError(
        fmt::format("{} does not choose its chunks: automatic ones are for tree algorithms", algorithm));
  }
  throw UnsupportedError(fmt::format("{} does not cut its chunks into pieces: it takes 1 chunk, not {}",
                                     algorithm, request.chunks));
}

std::vector<AlgorithmInfo> algorithms() {
  std::vector<AlgorithmInfo> names;
  for (const Registered& registered : registry()) names.push_back(registered.info);
  return names;
}

}  // namespace coppice::schedule

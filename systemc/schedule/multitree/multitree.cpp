#include "schedule/multitree/multitree.h"

#include "schedule/compile/effort.h"
#include "schedule/compile/memory_limit.h"
#include "schedule/multitree/piece_count.h"
#include "schedule/multitree/slow_links.h"
#include "schedule/multitree/tree_growth.h"
#include "schedule/trees/pack_trees.h"
#include "schedule/trees/translated_schedule.h"

namespace coppice::schedule {

using topology::Topology;

namespace {

Trees build_trees_of(const Topology& topology) {
  Trees best = grow_trees(topology, 1, LookingOrder::kAsFarAsNeeded);
  if (topology.num_switches() == 0) return best;
  const int least = least_steps(topology, 1);
  for (const LookingOrder order : kLookingOrders) {
    if (best.steps == least) break;
    Trees other = grow_trees(topology, 1, order);
    if (other.steps < best.steps) best = std::move(other);
  }
  return best;
}

// Whether only the tree of accelerator 0 is stored and represents its translations.
bool translates(const Topology& topology, const CompileRequest& request) {
  return request.root < 0 && looks_alike(topology, request) && may_translate(topology, request, 1) &&
         has_port_per_channel(topology, request);
}

double seconds_of_trees(const Topology& topology, const CompileRequest& request) {
  return translates(topology, request) ? seconds_at(topology, 0.1, 1) : seconds_of_growth(topology, request);
}

}  // namespace

Trees build_trees(const Topology& topology) {
  return build_without_slow_links(topology, build_trees_of);
}

Schedule compile_rooted(const Topology& topology, const CompileRequest& request,
                        const std::string& algorithm) {
  const int pieces = rooted_pieces(topology, request);
  Schedule schedule = schedule_trees(topology, request, algorithm,
                                     grow_trees_of(topology, request.root, pieces, request.seed));
  if (request.chunks == kAutomaticChunks) schedule.chunks = pieces;
  return schedule;
}

AlgorithmInfo MultiTreeCompiler::info() {
  return {.name = "multitree",
          .summary = "trees built with their link schedule, one per accelerator (ISCA 2021)",
          .chunking = Chunking::kChosen,
          .rooted = true,
          .one_plane = true,
          .trials = {{.turn = 2, .seconds = seconds_of_trees}}};
}

Schedule MultiTreeCompiler::compile(const Topology& topology, const CompileRequest& request) const {
  if (request.root >= 0) return compile_rooted(topology, request, info().name);
  require_whole_chunks(request, info().name);
  const bool translated = translates(topology, request);
  if (!translated && !may_pack_trees(topology, request, 1)) {
    require_memory_for_trees(info().name, topology.num_accelerators(), request);
  }
  const Trees trees = translated ? grow_tree_to_translate(topology) : build_trees(topology);
  Schedule schedule = translated ? schedule_translations(topology, request, info().name, trees)
                                 : schedule_trees(topology, request, info().name, trees);
  const int least = least_steps(topology, 1);
  // If slow links are omitted, timesteps are shorter, so their number cannot be compared with the bound.
  const int phases = request.collective == Collective::kAllReduce ? 2 : 1;
  schedule.least_steps = trees.steps < least ? 0 : phases * least;
  return schedule;
}

}  // namespace coppice::schedule

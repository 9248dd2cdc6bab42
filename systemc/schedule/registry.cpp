#include "schedule/registry.h"

#include <algorithm>

#include "schedule/all_to_all/all_to_all.h"
#include "schedule/automatic/automatic.h"
#include "schedule/files/schedule_file.h"
#include "schedule/hierarchical/hierarchical.h"
#include "schedule/multitree/chained_multitree.h"
#include "schedule/multitree/multitree.h"
#include "schedule/multitree/multitree_optimal.h"
#include "schedule/packed_trees/packed_trees.h"
#include "schedule/pipelined_trees/tree_compilers.h"
#include "schedule/rings/ring.h"
#include "schedule/rings/ring2d.h"
#include "schedule/trees/bucket.h"
#include "schedule/trees/direct.h"
#include "schedule/trees/halving_doubling.h"
#include "schedule/trees/hdrm.h"
#include "schedule/trees/one_shot.h"
#include "schedule/trees/rabenseifner.h"
#include "schedule/trees/swing.h"
#include "schedule/trees/two_shot.h"
#include "schedule/vendor/vendor_compilers.h"

namespace coppice::schedule {
namespace {

template <typename T>
AlgorithmInfo compiled_by() {
  AlgorithmInfo info = T::info();
  info.make = []() -> std::unique_ptr<Compiler> { return std::make_unique<T>(); };
  return info;
}

// Selects the algorithm with the shortest expected time among those that do not rely on the lockstep. Defined
// in this file because it needs the list of all algorithms.
class AutomaticCompiler final : public Compiler {
 public:
  static AlgorithmInfo info() {
    return {.name = "auto",
            .summary = "the algorithm with the shortest expected time",
            .chunking = Chunking::kChosen,
            .rooted = true,
            .chooses_algorithm = true};
  }
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override {
    return choose_algorithm(topology, request, algorithms()).schedule;
  }
};

// Selects an algorithm as NCCL does: NCCL's tuner predicts the time of every algorithm and protocol and
// chooses the fastest.
class NcclCompiler final : public Compiler {
 public:
  static AlgorithmInfo info() {
    return {.name = "nccl",
            .summary = "the NCCL algorithm with the shortest expected time: rings, trees or NVLS",
            .chunking = Chunking::kChosen,
            .rooted = true,
            .chooses_algorithm = true};
  }
  Schedule compile(const topology::Topology& topology, const CompileRequest& request) const override {
    std::vector<AlgorithmInfo> own;
    for (const std::string& name : chosen_among(info().name)) own.push_back(*find_algorithm(name));
    for (AlgorithmInfo& one : own) one.trials = {{.chunks = kAutomaticChunks}};
    return choose_algorithm(topology, request, own).schedule;
  }
};

// Adds the all-to-all algorithms, merging each with the compiler of the same name if there is one.
std::vector<AlgorithmInfo> with_exchanges(std::vector<AlgorithmInfo> all) {
  for (const AllToAllAlgorithm& exchange : all_to_all_algorithms()) {
    auto named = std::ranges::find(all, exchange.name, &AlgorithmInfo::name);
    if (named == all.end()) {
      named = all.insert(all.end(), AlgorithmInfo{.name = exchange.name, .summary = exchange.summary});
    }
    named->exchange = &exchange;
  }
  return all;
}

}  // namespace

const std::vector<AlgorithmInfo>& algorithms() {
  static const std::vector<AlgorithmInfo> all = with_exchanges({
      compiled_by<RingCompiler>(),
      compiled_by<Ring2dCompiler>(),
      compiled_by<TreeCompiler<1, Phases::kApart>>(),
      compiled_by<TreeCompiler<2, Phases::kApart>>(),
      compiled_by<TreeCompiler<1, Phases::kOverlapped>>(),
      compiled_by<TreeCompiler<2, Phases::kOverlapped>>(),
      compiled_by<HalvingDoublingCompiler>(),
      compiled_by<HdrmCompiler>(),
      compiled_by<RabenseifnerCompiler>(),
      compiled_by<SwingCompiler>(),
      compiled_by<BineCompiler>(),
      compiled_by<BucketCompiler>(),
      compiled_by<DirectCompiler>(),
      compiled_by<TwoShotCompiler>(),
      compiled_by<OneShotCompiler>(),
      compiled_by<HierarchicalCompiler>(),
      compiled_by<MultiTreeCompiler>(),
      compiled_by<MultiTreeOptimalCompiler>(),
      compiled_by<ChainedMultiTreeCompiler>(),
      compiled_by<PackedTreesCompiler>(),
      compiled_by<RailRingCompiler>(),
      compiled_by<RailTreeCompiler>(),
      compiled_by<NvlsCompiler>(),
      compiled_by<AutomaticCompiler>(),
      compiled_by<NcclCompiler>(),
      tables_from_a_file(),
  });
  return all;
}

const AlgorithmInfo* find_algorithm(std::string_view name) {
  const auto found = std::ranges::find(algorithms(), name, &AlgorithmInfo::name);
  return found == algorithms().end() ? nullptr : &*found;
}

std::vector<std::string> chosen_among(std::string_view algorithm) {
  if (algorithm != NcclCompiler::info().name) return {};
  return {RingCompiler::info().name, RailRingCompiler::info().name, RailTreeCompiler::info().name,
          NvlsCompiler::info().name};
}

std::unique_ptr<Compiler> make_compiler(std::string_view algorithm) {
  const AlgorithmInfo* const info = find_algorithm(algorithm);
  return info == nullptr || info->make == nullptr ? nullptr : info->make();
}

std::optional<double> predicted_ns(const CostModel& model, const Schedule& schedule) {
  if (schedule.collective != Collective::kAllReduce || model.accelerators < 2) return std::nullopt;
  const AlgorithmInfo* const info = find_algorithm(schedule.algorithm);
  if (info == nullptr || info->predicted_ns == nullptr) return std::nullopt;
  return info->predicted_ns(model, schedule);
}

}  // namespace coppice::schedule

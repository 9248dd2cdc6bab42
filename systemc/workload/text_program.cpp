#include "workload/text_program.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "workload/program_builder.h"

namespace coppice::workload {
namespace {

CollectiveOp op_of(Exchange exchange) {
  switch (exchange) {
    case Exchange::kAllGather:
      return CollectiveOp::kAllGather;
    case Exchange::kReduceScatter:
      return CollectiveOp::kReduceScatter;
    case Exchange::kAllToAll:
      return CollectiveOp::kAllToAll;
    case Exchange::kNone:
    case Exchange::kAllReduce:
      break;
  }
  return CollectiveOp::kAllReduce;
}

// The GroupCollective::kind for communication among the members of a group.
const char* kind_of(Group group) {
  switch (group) {
    case Group::kModel:
      return "tensor";
    case Group::kExpert:
      return "expert";
    case Group::kData:
    case Group::kExpertData:
      break;
  }
  return "data";
}

// The ranks whose numbers differ from `rank` only in the middle digit, if numbers are written with a lowest
// digit of `block` values and a middle digit of `width` values.
std::vector<int> ranks_along(int rank, int block, int width) {
  std::vector<int> ranks;
  const int first = rank - rank / block % width * block;
  for (int i = 0; i < width; ++i) ranks.push_back(first + i * block);
  return ranks;
}

class RankIteration {
 public:
  RankIteration(ProgramBuilder& builder, const TextWorkload& workload, int rank, int ranks, int inner,
                AllGatherBytes counted, Overlap overlap)
      : builder_(builder),
        workload_(workload),
        rank_(rank),
        ranks_(ranks),
        inner_(inner),
        counted_(counted),
        overlap_(overlap) {}

  void run() {
    const auto count = static_cast<int>(workload_.layers.size());
    for (int i = 0; i < count; ++i) forward(i, Purpose::kForward);
    for (int i = count - 1; i >= 0; --i) {
      recompute_before(i);
      backward(i);
    }
    finish();
  }

 private:
  bool dlrm() const { return workload_.parallelism == Parallelism::kDlrm; }
  // Whether a layer stands for the embedding tables, whose all-to-alls overlap the bottom MLP.
  bool is_embedding(int layer) const { return dlrm() && layer == 0; }
  const TextLayer& layer(int i) const { return workload_.layers[static_cast<std::size_t>(i)]; }

  // The members of the group of kind `group` to which this rank belongs.
  std::vector<int> ranks_of(Parallelism parallelism, Group group) const {
    // Ranks with consecutive numbers share a layer.
    const auto share_cuts = [&](int model) {
      return group == Group::kModel ? ranks_along(rank_, 1, model)
                                    : ranks_along(rank_, model, ranks_ / model);
    };
    switch (parallelism) {
      case Parallelism::kData:
      case Parallelism::kModel:
      case Parallelism::kDlrm:
      case Parallelism::kCustomized:
        return ranks_along(rank_, 1, ranks_);
      case Parallelism::kTransformer:
      case Parallelism::kTransformerRecomputed:
        return ranks_of_transformer(group);
      case Parallelism::kDataThenModel:
        return share_cuts(inner_);
      case Parallelism::kModelThenData:
        return group == Group::kData ? ranks_along(rank_, 1, inner_)
                                     : ranks_along(rank_, inner_, ranks_ / inner_);
    }
    return ranks_along(rank_, 1, ranks_);
  }

  // Ranks are numbered in four levels. Consecutive ranks share a layer; the ranks of the next level share
  // experts; those of the third level have copies of the weights; and the last level consists of the pipeline
  // stages.
  std::vector<int> ranks_of_transformer(Group group) const {
    const int model = workload_.model_group;
    const int data = ranks_ / model / workload_.pipeline;
    const int expert = workload_.expert_group.value_or(1);
    switch (group) {
      case Group::kModel:
        break;
      case Group::kData:
        return ranks_along(rank_, model, data);
      case Group::kExpert:
        return ranks_along(rank_, model, expert);
      case Group::kExpertData:
        return ranks_along(rank_, model * expert, data / expert);
    }
    return ranks_along(rank_, 1, model);
  }

  void compute(const std::string& name, Femtoseconds time, Purpose purpose) {
    if (time == 0) return;
    Compute compute;
    compute.duration = time;
    compute.purpose = purpose;
    last_ = {builder_.add(rank_, {name, compute, last_})};
  }

  // Adds a collective. Returns the operations to wait for before its data can be used; if there is no
  // collective, these are the previous operations.
  Frontier issue(const std::string& name, const TextLayer& layer, const Communication& communication,
                 Group of_pass) {
    if (communication.exchange == Exchange::kNone || communication.bytes == 0) return last_;
    const Group group = communication.among.value_or(of_pass);
    const std::vector<int> members = ranks_of(layer.parallelism, group);
    if (members.size() == 1) return last_;
    const char* kind = kind_of(group);
    GroupCollective collective;
    collective.name = name;
    collective.op = op_of(communication.exchange);
    const char* const name_of_group = group == Group::kExpertData ? "expert data" : kind;
    collective.group = builder_.group(members, fmt::format("{} {}", name_of_group, members.front()));
    collective.bytes = total_bytes(communication, counted_, static_cast<int>(members.size()));
    collective.kind = kind;
    return {builder_.join(rank_, std::move(collective), last_, 0)};
  }

  void wait(const Frontier& until) {
    for (const std::int32_t operation : until) {
      if (std::ranges::find(last_, operation) == last_.end()) last_.push_back(operation);
    }
  }

  void forward(int i, Purpose purpose) {
    if (dlrm() && i == workload_.last_bottom_layer + 1) wait(embedding_);
    const std::string name = "forward " + layer(i).name;
    compute(name, layer(i).forward.compute, purpose);
    const Frontier done = issue(name, layer(i), layer(i).forward.communication, Group::kModel);
    if (is_embedding(i)) {
      embedding_ = done;
    } else {
      wait(done);
    }
  }

  void recompute_before(int i) {
    if (std::ranges::find(workload_.recompute_from, i) == workload_.recompute_from.end()) return;
    int from = 0;
    for (const int checkpoint : workload_.checkpoints) {
      if (checkpoint <= i) from = std::max(from, checkpoint);
    }
    for (int again = from; again <= i; ++again) forward(again, Purpose::kRecomputation);
  }

  void backward(int i) {
    const TextLayer& own = layer(i);
    if (dlrm() && i == workload_.last_bottom_layer) {
      embedding_ =
          issue("gradient " + layer(0).name, layer(0), layer(0).input_gradient.communication, Group::kModel);
    }
    if (is_embedding(i)) wait(embedding_);
    compute("weight gradient " + own.name, own.weight_gradient.compute, Purpose::kWeightGradient);
    reduce(own);
    compute("input gradient " + own.name, own.input_gradient.compute, Purpose::kInputGradient);
    if (!is_embedding(i)) {
      wait(issue("gradient " + own.name, own, own.input_gradient.communication, Group::kModel));
    }
  }

  void reduce(const TextLayer& own) {
    const Communication& gradient = own.weight_gradient.communication;
    if (gradient.bytes == 0) return;
    if (overlap_ == Overlap::kNone) {
      waiting_.push_back(&own);
    } else {
      keep(issue("gradients of " + own.name, own, gradient, Group::kData));
    }
  }

  void keep(const Frontier& reduced) { gradients_.insert(gradients_.end(), reduced.begin(), reduced.end()); }

  // Merges the all-reduces among the same ranks into one.
  void reduce_together() {
    std::vector<std::pair<const TextLayer*, Communication>> sums;
    for (const TextLayer* own : waiting_) {
      const Communication& gradient = own->weight_gradient.communication;
      const auto same = std::ranges::find_if(sums, [&](const auto& sum) {
        return sum.second.exchange == Exchange::kAllReduce && gradient.exchange == Exchange::kAllReduce &&
               sum.first->parallelism == own->parallelism && sum.second.among == gradient.among;
      });
      if (same == sums.end()) {
        sums.emplace_back(own, gradient);
      } else {
        same->second.bytes += gradient.bytes;
      }
    }
    for (const auto& [own, sum] : sums) keep(issue("gradients", *own, sum, Group::kData));
  }

  void finish() {
    reduce_together();
    wait(gradients_);
    for (const TextLayer& own : workload_.layers) compute("update " + own.name, own.update, Purpose::kUpdate);
  }

  ProgramBuilder& builder_;
  const TextWorkload& workload_;
  int rank_;
  int ranks_;
  int inner_;
  AllGatherBytes counted_;
  Overlap overlap_;
  Frontier last_;
  Frontier embedding_;
  Frontier gradients_;
  std::vector<const TextLayer*> waiting_;
};

// The assumptions about details that SimAI's files do not specify.
std::vector<std::string> assumptions_of(const TextWorkload& workload, AllGatherBytes counted) {
  std::vector<std::string> list;
  if (workload.pipeline > 1) {
    list.push_back(
        fmt::format("the {} pipeline stages (pp:) run independently, each with all layers of the text "
                    "workload, because it has no transfers between stages",
                    workload.pipeline));
  }
  if (workload.accumulation > 1) {
    list.push_back(
        fmt::format("an iteration runs the layers of the text workload only once, not once for each of the "
                    "{} micro-batches (ga:)",
                    workload.accumulation));
  }
  const bool gathers = std::ranges::any_of(workload.layers, [](const TextLayer& layer) {
    return layer.forward.communication.exchange == Exchange::kAllGather ||
           layer.input_gradient.communication.exchange == Exchange::kAllGather ||
           layer.weight_gradient.communication.exchange == Exchange::kAllGather;
  });
  if (gathers && workload.accelerators > 0 && counted == AllGatherBytes::kInput) {
    list.emplace_back(
        "the bytes of ALLGATHER are taken to be one rank's input, but this text workload has a header of "
        "SimAI, which writes the bytes of the result: if SimAI wrote the workload, set "
        "training.all_gather_bytes: total");
  }
  return list;
}

}  // namespace

void require_groups(const TextWorkload& workload, int ranks) {
  if (workload.accelerators > 0 && workload.accelerators != ranks) {
    throw UnsupportedError(
        fmt::format("the text workload is for {} accelerators (all_gpus:), but the system has {}",
                    workload.accelerators, ranks));
  }
  const std::int64_t copies = std::int64_t{std::max(workload.model_group, 1)} * workload.pipeline;
  if (ranks % copies != 0) {
    throw UnsupportedError(fmt::format("{} accelerators cannot be split into groups of {}", ranks, copies));
  }
  const int expert = workload.expert_group.value_or(1);
  if (ranks / copies % expert != 0) {
    throw UnsupportedError(fmt::format(
        "{} accelerators with the same weights cannot be split into groups of {} that share experts (ep:)",
        ranks / copies, expert));
  }
}

namespace {

// The number of consecutive ranks that hold one copy of the model; 0 if this depends on the layer or on the
// dimensions.
int ranks_per_copy(const TextWorkload& workload) {
  const auto all = [&](auto... kinds) {
    return std::ranges::all_of(workload.layers,
                               [&](const TextLayer& layer) { return ((layer.parallelism == kinds) || ...); });
  };
  if (all(Parallelism::kData)) return 1;
  if (all(Parallelism::kTransformer, Parallelism::kTransformerRecomputed))
    return std::max(workload.model_group, 1) * workload.expert_group.value_or(1);
  return 0;
}

// [copy][i]: the rank that corresponds to rank i of copy 0.
std::vector<std::vector<int>> copies_of(const TextWorkload& workload, int ranks) {
  const int block = ranks_per_copy(workload);
  const int stage = ranks / workload.pipeline;  // number of ranks of a pipeline stage
  std::vector<std::vector<int>> copies(block == 0 ? 1 : static_cast<std::size_t>(stage / block));
  for (int rank = 0; rank < ranks; ++rank)
    copies[block == 0 ? 0 : static_cast<std::size_t>(rank % stage / block)].push_back(rank);
  return copies;
}

Program build_ranks(const TextWorkload& workload, const std::vector<int>& widths, std::span<const int> built,
                    int ranks, AllGatherBytes counted, Overlap overlap) {
  ProgramBuilder builder(workload.name, ranks);
  const int inner = widths.empty() ? 1 : widths.front();
  for (const int rank : built) RankIteration(builder, workload, rank, ranks, inner, counted, overlap).run();
  Program program = builder.take();
  program.assumptions = assumptions_of(workload, counted);
  return program;
}

int ranks_of(const std::vector<int>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 1, std::multiplies<>());
}

}  // namespace

Program build_text_program(const TextWorkload& workload, const std::vector<int>& widths,
                           AllGatherBytes counted, Overlap overlap) {
  const int ranks = ranks_of(widths);
  require_groups(workload, ranks);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return build_ranks(workload, widths, all, ranks, counted, overlap);
}

ReplicatedProgram build_replicated_text(const TextWorkload& workload, const std::vector<int>& widths,
                                        AllGatherBytes counted, Overlap overlap) {
  const int ranks = ranks_of(widths);
  require_groups(workload, ranks);
  auto copies = copies_of(workload, ranks);
  return {build_ranks(workload, widths, copies.front(), ranks, counted, overlap), std::move(copies)};
}

}  // namespace coppice::workload

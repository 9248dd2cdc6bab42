#include "workload/text_program.h"

#include <algorithm>
#include <functional>
#include <numeric>

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

// Ranks whose number in blocks of `block` x `width` differs from that of `rank` in the middle digit alone.
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
  // The embedding tables, whose all-to-alls run beside the bottom MLP.
  bool is_embedding(int layer) const { return dlrm() && layer == 0; }
  const TextLayer& layer(int i) const { return workload_.layers[static_cast<std::size_t>(i)]; }

  // Who shares a layer's cuts, or its weights.
  std::vector<int> ranks_of(Parallelism parallelism, Group group) const {
    // Groups of so many ranks in a row share a layer's cuts.
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
        return share_cuts(workload_.model_group);
      case Parallelism::kDataThenModel:
        return share_cuts(inner_);
      case Parallelism::kModelThenData:
        return group == Group::kData ? ranks_along(rank_, 1, inner_)
                                     : ranks_along(rank_, inner_, ranks_ / inner_);
    }
    return ranks_along(rank_, 1, ranks_);
  }

  void compute(const std::string& name, Femtoseconds time, Purpose purpose) {
    if (time == 0) return;
    Compute compute;
    compute.duration = time;
    compute.purpose = purpose;
    last_ = {builder_.add(rank_, {name, compute, last_})};
  }

  // What has to be waited for where the collective's data is needed: nothing new if there is none.
  Frontier issue(const std::string& name, const TextLayer& layer, const Communication& communication,
                 Group group) {
    if (communication.exchange == Exchange::kNone || communication.bytes == 0) return last_;
    const std::vector<int> members = ranks_of(layer.parallelism, group);
    if (members.size() == 1) return last_;
    const char* kind = group == Group::kModel ? "tensor" : "data";
    GroupCollective collective;
    collective.name = name;
    collective.op = op_of(communication.exchange);
    collective.group = builder_.group(members, fmt::format("{} {}", kind, members.front()));
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

  // All all-reduces among the same ranks are one.
  void reduce_together() {
    std::vector<std::pair<const TextLayer*, Communication>> sums;
    for (const TextLayer* own : waiting_) {
      const Communication& gradient = own->weight_gradient.communication;
      const auto same = std::ranges::find_if(sums, [&](const auto& sum) {
        return sum.second.exchange == Exchange::kAllReduce && gradient.exchange == Exchange::kAllReduce &&
               sum.first->parallelism == own->parallelism;
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

}  // namespace

Program build_text_program(const TextWorkload& workload, const std::vector<int>& widths,
                           AllGatherBytes counted, Overlap overlap) {
  const int ranks = std::accumulate(widths.begin(), widths.end(), 1, std::multiplies<>());
  if (workload.model_group > 0 && ranks % workload.model_group != 0) {
    throw UnsupportedError(
        fmt::format("{} accelerators are no whole groups of {}", ranks, workload.model_group));
  }
  ProgramBuilder builder(workload.name, ranks);
  const int inner = widths.empty() ? 1 : widths.front();
  for (int rank = 0; rank < ranks; ++rank) {
    RankIteration(builder, workload, rank, ranks, inner, counted, overlap).run();
  }
  return builder.take();
}

}  // namespace coppice::workload

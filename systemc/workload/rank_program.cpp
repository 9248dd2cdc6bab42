#include "workload/rank_program.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace coppice::workload {
namespace {

constexpr auto kDataIndex = static_cast<std::size_t>(ParallelAxis::kData);
constexpr auto kPipelineIndex = static_cast<std::size_t>(ParallelAxis::kPipeline);

std::string unit_name(const PipelineUnit& unit) {
  return fmt::format("{} {}", unit.forward ? "forward" : "backward", unit.micro_batch);
}

}  // namespace

RankProgramBuilder::RankProgramBuilder(ProgramBuilder& builder, const LargeTraining& training,
                                       const ParallelLayout& layout, int rank)
    : builder_(builder),
      training_(training),
      layout_(layout),
      rank_(rank),
      at_(layout.coordinates(rank)),
      slice_(training.slice()) {
  using enum ParallelAxis;
  tensor_group_ = group_over({kTensor}, "tensor");
  context_group_ = group_over({kContext}, "context");
  expert_group_ = group_over({kExpert}, "expert");
  dense_.group = group_over({kContext, kExpert, kData}, "data");
  experts_.group = group_over({kContext, kData}, "expert copies");
  const int pipeline = training.parallel.pipeline;
  const int stage = at_[kPipelineIndex];
  if (!training.model.tied || pipeline == 1 || (stage > 0 && stage < pipeline - 1)) return;
  ParallelCoordinates end = at_;
  end[kPipelineIndex] = 0;
  std::vector<int> ends{layout.rank(end)};
  end[kPipelineIndex] = pipeline - 1;
  ends.push_back(layout.rank(end));
  tied_group_ = builder.group(ends, fmt::format("embedding {}", ends.front()));
}

int RankProgramBuilder::group_over(const std::vector<ParallelAxis>& axes, const char* name) {
  const std::vector<int> ranks = layout_.group(rank_, axes);
  return builder_.group(ranks, fmt::format("{} {}", name, ranks.front()));
}

Bytes RankProgramBuilder::hidden_bytes() const {
  return slice_.tokens() * training_.model.width * kHalfBytes;
}

Bytes RankProgramBuilder::key_value_bytes() const {
  return slice_.tokens() * 2 * slice_.local_key_value_heads(training_.model) * training_.model.head_width *
         kHalfBytes;
}

int RankProgramBuilder::stage_of(const PipelineUnit& unit) const {
  return unit.chunk * training_.parallel.pipeline + at_[kPipelineIndex];
}

Frontier RankProgramBuilder::compute(const std::string& name, const Work& work, Purpose purpose,
                                     Frontier after) {
  Compute compute;
  compute.operations = work.operations;
  compute.bytes = work.bytes;
  compute.purpose = purpose;
  return {builder_.add(rank_, {name, compute, std::move(after), iteration_})};
}

Frontier RankProgramBuilder::join(int group, CollectiveOp op, Bytes bytes, const char* kind,
                                  const std::string& name, Frontier after) {
  if (builder_.size_of(group) == 1 || bytes == 0) return after;
  return {builder_.join(rank_, {name, op, group, bytes, 0, 0, kind}, std::move(after), iteration_)};
}

Frontier RankProgramBuilder::exchange_tokens(const Place& place, const char* what, Frontier ready) {
  return join(tensor_group_, CollectiveOp::kAllGather, hidden_bytes(), "tensor", place.name + what,
              std::move(ready));
}

Frontier RankProgramBuilder::enter(const Place& place, const char* part, Frontier ready) {
  if (!training_.sequence_parallel) return ready;
  return exchange_tokens(place, part, std::move(ready));
}

Frontier RankProgramBuilder::leave(const Place& place, const char* part, Frontier ready) {
  const CollectiveOp op =
      training_.sequence_parallel ? CollectiveOp::kReduceScatter : CollectiveOp::kAllReduce;
  return join(tensor_group_, op, hidden_bytes(), "tensor", place.name + part, std::move(ready));
}

void RankProgramBuilder::add_iteration(int iteration) {
  iteration_ = iteration;
  const auto units = pipeline_order(training_.schedule, training_.parallel.pipeline, at_[kPipelineIndex],
                                    training_.chunks, training_.micro_batches);
  std::vector<std::size_t> last_of_chunk(static_cast<std::size_t>(training_.chunks), 0);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i].forward) last_of_chunk[static_cast<std::size_t>(units[i].chunk)] = i;
  }
  previous_layer_ = last_;
  before_last_ = last_;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Frontier before = last_;
    if (units[i].forward) {
      forward(units[i]);
    } else {
      backward(units[i], last_of_chunk[static_cast<std::size_t>(units[i].chunk)] == i);
    }
    before_last_ = before;
  }
  update();
}

Frontier RankProgramBuilder::receive_from(int stage, const PipelineUnit& unit) {
  ParallelCoordinates from = at_;
  from[kPipelineIndex] = stage % training_.parallel.pipeline;
  const int other = layout_.rank(from);
  if (other == rank_) return last_;  // the stage is on this rank, so its result needs no transfer
  const Bytes bytes = hidden_bytes() / (training_.sequence_parallel ? slice_.tensor : 1);
  const int kind = unit.forward ? kForwardTransfer : kBackwardTransfer;
  const std::int32_t received = builder_.receive(
      rank_, {kind, iteration_, stage, unit.micro_batch, 0},
      {fmt::format("{} of stage {}", unit_name(unit), stage), other, rank_, bytes, "pipeline"}, before_last_,
      iteration_);
  return both(last_, {received});
}

void RankProgramBuilder::send_to(int stage, const PipelineUnit& unit, const Frontier& after) {
  ParallelCoordinates to = at_;
  to[kPipelineIndex] = stage % training_.parallel.pipeline;
  const int other = layout_.rank(to);
  if (other == rank_) return;
  const Bytes bytes = hidden_bytes() / (training_.sequence_parallel ? slice_.tensor : 1);
  const int kind = unit.forward ? kForwardTransfer : kBackwardTransfer;
  const int own = stage_of(unit);
  builder_.send(rank_, {kind, iteration_, own, unit.micro_batch, 0},
                {fmt::format("{} of stage {}", unit_name(unit), own), rank_, other, bytes, "pipeline"}, after,
                iteration_);
}

Frontier RankProgramBuilder::gather_weights(const StageParameters& parameters, const std::string& name,
                                            const Frontier& ready) {
  // The weights of a layer are gathered while the previous layer is being computed.
  const Frontier after = previous_layer_;
  previous_layer_ = ready;
  if (training_.zero < 3) return {};
  const StageParameters by_group = by_copies(parameters);
  const Frontier dense = join(dense_.group, CollectiveOp::kAllGather, kHalfBytes * by_group.dense, "data",
                              name + " weights", after);
  return both(dense, join(experts_.group, CollectiveOp::kAllGather, kHalfBytes * by_group.expert, "data",
                          name + " experts", after));
}

// The weights to exchange among each group of copies. If experts and other weights are copied on the same
// ranks, they are exchanged together.
StageParameters RankProgramBuilder::by_copies(const StageParameters& parameters) const {
  return dense_.group == experts_.group ? StageParameters{parameters.all(), 0} : parameters;
}

Frontier RankProgramBuilder::embedding(const PipelineUnit& unit) {
  const Place place{unit_name(unit) + " embedding", Purpose::kForward};
  const Frontier gathered = gather_weights(embedding_parameters(training_), place.name, last_);
  Frontier ready =
      compute(place.name, embedding_work(training_.model, slice_), Purpose::kForward, both(last_, gathered));
  return leave(place, "", std::move(ready));
}

void RankProgramBuilder::forward(const PipelineUnit& unit) {
  const int stage = stage_of(unit);
  Frontier ready = stage == 0 ? embedding(unit) : receive_from(stage - 1, unit);
  for (int layer = 0; layer < training_.layers_of_stage(stage); ++layer) {
    const Place place{fmt::format("{} layer {}.{}", unit_name(unit), stage, layer), Purpose::kForward};
    const Frontier gathered = gather_weights(layer_parameters(training_), place.name, ready);
    ready = forward_layer(place, std::move(ready), gathered);
  }
  if (stage == training_.stages() - 1) {
    ready = output_layer(unit, std::move(ready));
  } else {
    send_to(stage + 1, unit, ready);
  }
  last_ = std::move(ready);
}

Frontier RankProgramBuilder::output_layer(const PipelineUnit& unit, Frontier ready) {
  const Place place{unit_name(unit) + " output", Purpose::kForward};
  const Frontier gathered = gather_weights(output_uses(training_), place.name, ready);
  ready = enter(place, "", both(std::move(ready), gathered));
  ready =
      compute(place.name, output_work(training_.model, slice_).forward, Purpose::kForward, std::move(ready));
  // For every token, ranks exchange the maximum and the sum over words, and the value of the correct word.
  return join(tensor_group_, CollectiveOp::kAllReduce, 3 * kElementBytes * slice_.tokens(), "tensor",
              unit_name(unit) + " loss", std::move(ready));
}

Frontier RankProgramBuilder::output_gradient(const PipelineUnit& unit, Frontier ready) {
  const Place place{unit_name(unit) + " output", Purpose::kInputGradient};
  const Frontier gathered = gather_weights(output_uses(training_), place.name, ready);
  const PassWork work = output_work(training_.model, slice_);
  ready = compute(place.name, work.input_gradient, Purpose::kInputGradient, both(std::move(ready), gathered));
  weights_ = compute(place.name + " weights", work.weight_gradient, Purpose::kWeightGradient, ready);
  return leave(place, "", std::move(ready));
}

void RankProgramBuilder::backward(const PipelineUnit& unit, bool last) {
  const int stage = stage_of(unit);
  const bool ends = stage == training_.stages() - 1;
  weights_.clear();
  Frontier ready = ends ? output_gradient(unit, last_) : receive_from(stage + 1, unit);
  if (ends) reduce(output_parameters(training_), weights_, last);
  for (int layer = training_.layers_of_stage(stage) - 1; layer >= 0; --layer) {
    const Place place{fmt::format("{} layer {}.{}", unit_name(unit), stage, layer), Purpose::kInputGradient};
    const Frontier gathered = gather_weights(layer_parameters(training_), place.name, ready);
    Frontier weights;
    ready = backward_layer(place, std::move(ready), gathered, weights);
    reduce(layer_parameters(training_), weights, last);
    weights_ = both(std::move(weights_), weights);
  }
  if (stage > 0) {
    // A stage sends its result only when its pass is complete, including weight gradients, as frameworks do.
    send_to(stage - 1, unit, both(ready, weights_));
  } else {
    const Place place{unit_name(unit) + " embedding", Purpose::kWeightGradient};
    ready = compute(place.name, embedding_work(training_.model, slice_), Purpose::kWeightGradient,
                    enter(place, "", std::move(ready)));
    reduce(embedding_parameters(training_), ready, last);
  }
  last_ = both(std::move(ready), weights_);
  if (training_.zero >= 2 || (last && training_.overlap)) flush_all();
}

// Adds gradients for reduction. They are reduced after the last micro-batch, when they are complete, unless
// ranks store only parts of them: in this case, they are reduced after every micro-batch.
void RankProgramBuilder::reduce(const StageParameters& parameters, const Frontier& after, bool last) {
  if (!last && training_.zero < 2) return;
  const StageParameters by_group = by_copies(parameters);
  add_to(dense_, by_group.dense, after, last);
  add_to(experts_, by_group.expert, after, last);
}

void RankProgramBuilder::add_to(Bucket& bucket, std::int64_t parameters, const Frontier& after, bool last) {
  if (parameters == 0) return;
  bucket.parameters += parameters;
  bucket.after = both(std::move(bucket.after), after);
  if (last) reduced_.emplace_back(bucket.group, parameters);
  if (bucket.parameters * kHalfBytes >= training_.bucket && training_.overlap) flush(bucket);
}

void RankProgramBuilder::flush(Bucket& bucket) {
  if (bucket.parameters == 0) return;
  if (!training_.overlap) bucket.after = both(std::move(bucket.after), last_);
  const CollectiveOp op = training_.zero == 0 ? CollectiveOp::kAllReduce : CollectiveOp::kReduceScatter;
  reductions_ = both(std::move(reductions_), join(bucket.group, op, bucket.parameters * kHalfBytes, "data",
                                                  "gradients", std::move(bucket.after)));
  bucket.parameters = 0;
  bucket.after.clear();
}

void RankProgramBuilder::flush_all() {
  flush(dense_);
  flush(experts_);
}

void RankProgramBuilder::reduce_tied() {
  if (tied_group_ < 0) return;
  Transformer words = training_.model;
  words.learned_positions = false;
  words.embedding_normalization = false;
  std::int64_t parameters = local_embedding_parameters(words, slice_);
  if (training_.zero >= 1) parameters = StageParameters{parameters, 0}.shares(training_);
  reductions_ = join(tied_group_, CollectiveOp::kAllReduce, kHalfBytes * parameters, "pipeline",
                     "gradients of the tied embedding", both(reductions_, last_));
}

// Each rank has updated only its share of the weights, so all ranks gather all weights, in buckets.
Frontier RankProgramBuilder::gather_updated(const Frontier& updated) {
  Frontier gathered;
  std::map<int, Bytes> waiting;  // [group]: bytes that have not been gathered yet
  const auto gather = [&](int group, Bytes& bytes) {
    gathered =
        both(std::move(gathered), join(group, CollectiveOp::kAllGather, bytes, "data", "weights", updated));
    bytes = 0;
  };
  for (const auto& [group, parameters] : reduced_) {
    Bytes& bytes = waiting[group];
    bytes += parameters * kHalfBytes;
    if (bytes >= training_.bucket) gather(group, bytes);
  }
  for (auto& [group, bytes] : waiting) {
    if (bytes > 0) gather(group, bytes);
  }
  return gathered;
}

void RankProgramBuilder::update() {
  flush_all();
  reduce_tied();
  StageParameters own;
  for (const auto& [group, parameters] : reduced_) {
    (group == dense_.group ? own.dense : own.expert) += parameters;
  }
  const std::int64_t updated = training_.zero >= 1 ? own.shares(training_) : own.all();
  // The update of a weight reads its gradient and state, and writes its state and value.
  const Bytes a_weight = 2 * kHalfBytes + 2 * kElementBytes * (1 + training_.optimizer_states);
  const Work work{0, static_cast<double>(updated * a_weight)};
  const Frontier updated_weights = compute("update", work, Purpose::kUpdate, both(last_, reductions_));
  last_ = updated_weights;
  if (training_.zero == 1 || training_.zero == 2) last_ = gather_updated(updated_weights);
  reduced_.clear();
  reductions_.clear();
}

namespace {

// Builds the operations of the given ranks.
Program build_ranks(const LargeTraining& training, const ParallelLayout& layout, std::span<const int> ranks) {
  ProgramBuilder builder(training.model.name, layout.ranks());
  for (const int rank : ranks) {
    RankProgramBuilder of_rank(builder, training, layout, rank);
    for (int iteration = 0; iteration < training.iterations; ++iteration) of_rank.add_iteration(iteration);
  }
  Program program = builder.take();
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    const int stage = layout.coordinates(rank)[kPipelineIndex];
    program.ranks[static_cast<std::size_t>(rank)].memory_bytes = training_memory(training, stage).total();
  }
  return program;
}

}  // namespace

Program build_large_training(const LargeTraining& training) {
  check_training(training);
  const ParallelLayout layout(training.parallel);
  std::vector<int> ranks(static_cast<std::size_t>(layout.ranks()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return build_ranks(training, layout, ranks);
}

ReplicatedProgram build_replicated_training(const LargeTraining& training) {
  check_training(training);
  const ParallelLayout layout(training.parallel);
  std::vector<std::vector<int>> copies(static_cast<std::size_t>(training.parallel.data));
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    copies[static_cast<std::size_t>(layout.coordinates(rank)[kDataIndex])].push_back(rank);
  }
  Program program = build_ranks(training, layout, copies.front());
  return {std::move(program), std::move(copies)};
}

}  // namespace coppice::workload

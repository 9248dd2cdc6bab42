#include "schedule/chunk_simulation.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace coppice::schedule {

Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before) {
  if (policy == IntraDimension::kFifo) return 0;
  return 2 * before + (op == Op::kReduce ? 0 : 1);
}

std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan) {
  std::vector<ChunkStage> stages;
  // An all-gather starts from what each accelerator contributes.
  Bytes held = plan.reduce_scatter.empty() ? plan.bytes / model.accelerators() : plan.bytes;
  const auto go = [&](std::size_t d, Op op) {
    stages.push_back({d, op, held, model.transfer(d, op, held)});
    held = model.after(d, op, held);
  };
  for (const std::size_t d : plan.reduce_scatter) go(d, Op::kReduce);
  for (const std::size_t d : plan.all_gather) go(d, Op::kGather);
  return stages;
}

ChunkSimulation::ChunkSimulation(const LatencyModel& model)
    : model_(&model), dimensions_(model.dimensions()) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) dimensions_[d].fixed_delay = model.fixed_delay(d);
}

Femtoseconds ChunkSimulation::run(std::span<const ChunkPlan> chunks, IntraDimension policy) {
  std::vector<std::vector<ChunkStage>> stages;
  for (const ChunkPlan& plan : chunks) stages.push_back(stages_of(*model_, plan));
  return run(stages, policy);
}

Femtoseconds ChunkSimulation::run(std::span<const std::vector<ChunkStage>> chunks, IntraDimension policy) {
  chunks_ = chunks;
  policy_ = policy;
  now_ = 0;
  for (Dimension& dimension : dimensions_) {
    dimension.begun.clear();
    dimension.completed = 0;
    dimension.free_at = 0;
  }
  for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    begin_stage(static_cast<std::int32_t>(chunk), 0);
  }
  for (;;) {
    for (Dimension& dimension : dimensions_) serve(dimension);
    const Femtoseconds next = next_event();
    if (next < 0) return now_;
    now_ = next;
    // Everything that happens at a time comes before what is chosen then.
    for (Dimension& dimension : dimensions_) {
      while (dimension.completed < dimension.begun.size()) {
        const ChunkOperation& operation = dimension.begun[dimension.completed];
        if (operation.sent + dimension.fixed_delay > now_) break;
        ++dimension.completed;
        begin_stage(operation.chunk, operation.stage + 1);
      }
    }
  }
}

Femtoseconds ChunkSimulation::next_event() const {
  constexpr Femtoseconds kNever = std::numeric_limits<Femtoseconds>::max();
  Femtoseconds next = kNever;
  for (const Dimension& dimension : dimensions_) {
    if (!dimension.waiting.empty()) next = std::min(next, dimension.free_at);
    if (dimension.completed < dimension.begun.size()) {
      next = std::min(next, dimension.begun[dimension.completed].sent + dimension.fixed_delay);
    }
  }
  return next == kNever ? -1 : next;
}

namespace {

// For a heap whose front goes first.
constexpr auto kGoesLater = [](const auto& a, const auto& b) {
  return std::tie(a.rank, a.operation.came, a.operation.chunk) >
         std::tie(b.rank, b.operation.came, b.operation.chunk);
};

}  // namespace

void ChunkSimulation::begin_stage(std::int32_t chunk, std::int32_t stage) {
  const auto& stages = chunks_[static_cast<std::size_t>(chunk)];
  if (static_cast<std::size_t>(stage) == stages.size()) return;
  const ChunkStage& begins = stages[static_cast<std::size_t>(stage)];
  auto& waiting = dimensions_[begins.dimension].waiting;
  waiting.push_back({.rank = intra_dimension_rank(policy_, begins.op, begins.before),
                     .operation = {.chunk = chunk, .stage = stage, .came = now_}});
  std::ranges::push_heap(waiting, kGoesLater);
}

void ChunkSimulation::serve(Dimension& dimension) {
  if (dimension.free_at > now_ || dimension.waiting.empty()) return;
  std::ranges::pop_heap(dimension.waiting, kGoesLater);
  ChunkOperation operation = dimension.waiting.back().operation;
  dimension.waiting.pop_back();
  const ChunkStage& stage =
      chunks_[static_cast<std::size_t>(operation.chunk)][static_cast<std::size_t>(operation.stage)];
  operation.began = now_;
  operation.sent = now_ + stage.transfer;
  dimension.free_at = operation.sent;
  dimension.begun.push_back(operation);
}

}  // namespace coppice::schedule

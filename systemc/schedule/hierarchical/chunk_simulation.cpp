#include "schedule/hierarchical/chunk_simulation.h"

#include <algorithm>
#include <tuple>

#include "base/time_limit.h"
#include "schedule/tables/dimension_algorithm.h"

namespace coppice::schedule {

Bytes intra_dimension_rank(IntraDimension policy, Op op, Bytes before, int size) {
  switch (policy) {
    case IntraDimension::kFifo:
      return 0;
    case IntraDimension::kSmallestChunkFirst:
      return 2 * before + (op == Op::kReduce ? 0 : 1);
    case IntraDimension::kLeastToSendFirst:
      break;
  }
  return op == Op::kReduce ? before / size * (size - 1) : before * (size - 1);
}

bool goes_back(const ChunkPlan& plan) {
  return plan.reduce_scatter.empty() || plan.all_gather.empty() ||
         std::ranges::equal(plan.reduce_scatter.rbegin(), plan.reduce_scatter.rend(), plan.all_gather.begin(),
                            plan.all_gather.end());
}

namespace {

// Counts the contiguous runs of pieces in each stage. The pieces of a chunk are numbered by the coordinates
// of their owners; the first dimension of the reduce-scatter is the most significant. If data is not gathered
// in the reverse order, it is not contiguous.
void find_runs(const LatencyModel& model, const ChunkPlan& plan, std::span<ChunkStage> stages) {
  std::vector<bool> gathered(model.dimensions(), false);
  for (ChunkStage& stage : stages) {
    if (stage.op != Op::kGather) continue;
    bool all_behind = true;  // whether all later dimensions have been gathered
    for (std::size_t level = plan.reduce_scatter.size(); level-- > 0;) {
      const std::size_t d = plan.reduce_scatter[level];
      if (d == stage.dimension) stage.joins = all_behind;
      if (gathered[d] && !all_behind) stage.apart *= model.dimension(d).size;
      all_behind = all_behind && gathered[d];
    }
    gathered[stage.dimension] = true;
  }
}

}  // namespace

std::vector<ChunkStage> stages_of(const LatencyModel& model, const ChunkPlan& plan) {
  std::vector<ChunkStage> stages;
  const Bytes all = model.accelerators();
  // An all-gather starts with each accelerator's own share.
  Bytes shares = plan.reduce_scatter.empty() ? 1 : all;
  const auto go = [&](std::size_t d, Op op) {
    const Bytes held = plan.bytes * shares / all;
    stages.push_back({{d, op, shares}, held, model.transfer(d, op, held), model.sent(d, op, held)});
    const Bytes size = model.dimension(d).size;
    shares = op == Op::kReduce ? shares / size : shares * size;
  };
  for (const std::size_t d : plan.reduce_scatter) go(d, Op::kReduce);
  std::span<const std::size_t> back = plan.all_gather;
  if (!stages.empty() && !back.empty() && back.front() == plan.reduce_scatter.back() &&
      model.in_network(back.front())) {
    ChunkStage& stage = stages.back();
    stage.whole = true;
    stage.sent = stage.before;
    stage.transfer = transfer_time(stage.sent, model.dimension(stage.dimension).bandwidth);
    shares = stage.shares;
    back = back.subspan(1);
  }
  for (const std::size_t d : back) go(d, Op::kGather);
  if (!model.adds_in_network()) find_runs(model, plan, stages);
  return stages;
}

OffloadedShares offloaded_shares(const ProgramStage& stage, int size) {
  if (stage.whole) return {stage.shares, stage.shares};
  if (stage.op == Op::kReduce) return {stage.shares - stage.shares / size, stage.shares / size};
  return {stage.shares, stage.shares * (size - 1)};
}

namespace {

void add_offloaded(const LatencyModel& model, Bytes chunk, const ChunkStage& stage, IntraDimension policy,
                   std::int32_t number, ChunkPath& way) {
  const std::size_t d = stage.dimension;
  const int size = model.dimension(d).size;
  const OffloadedShares shares = offloaded_shares(stage, size);
  ChunkStep step{
      .dimension = static_cast<std::int32_t>(d),
      .stage = number,
      .begins_stage = true,
      .ends_stage = false,
      .transfer = model.shares_transfer(d, chunk, shares.up),
      .rank = intra_dimension_rank(policy, stage.op, chunk / model.accelerators() * stage.shares, size)};
  way.push_back(step);
  step.dimension += static_cast<std::int32_t>(model.dimensions());
  step.begins_stage = false;
  step.ends_stage = true;
  step.transfer = model.shares_transfer(d, chunk, shares.down);
  way.push_back(step);
}

// Returns the time for which all messages of a step occupy their links.
Femtoseconds transfer_of(const LatencyModel& model, Bytes chunk, const ChunkStage& stage, int step,
                         Bytes runs) {
  // The first step sends only the accelerator's own part.
  const int same_parts = stage.joins ? step : 0;
  return checked_time(
      runs, model.step_transfer(stage.dimension, stage.op, chunk, stage.shares / stage.apart, same_parts));
}

}  // namespace

ChunkPath chunk_path(const LatencyModel& model, const ChunkPlan& plan, IntraDimension policy, Grain grain) {
  ChunkPath way;
  const Bytes share = plan.bytes / model.accelerators();
  std::int32_t number = 0;
  for (const ChunkStage& stage : stages_of(model, plan)) {
    const std::size_t d = stage.dimension;
    if (model.in_network(d)) {
      add_offloaded(model, plan.bytes, stage, policy, number++, way);
      continue;
    }
    const DimensionAlgorithm algorithm(d, model.dimension(d).kind, model.dimension(d).size, false,
                                       model.dimension(d).method);
    const int steps = grain == Grain::kOperations ? 1 : model.steps(d);
    for (int step = 0; step < steps; ++step) {
      const Bytes runs = stage.runs(algorithm.move(stage.op, step, 0, 0).parts);
      way.push_back(
          {.dimension = static_cast<std::int32_t>(d),
           .stage = number,
           .begins_stage = step == 0,
           .ends_stage = step == steps - 1,
           .transfer = grain == Grain::kOperations ? stage.transfer
                                                   : transfer_of(model, plan.bytes, stage, step, runs),
           .rank = intra_dimension_rank(policy, stage.op, share * stage.shares, model.dimension(d).size),
           .messages = static_cast<std::int32_t>(algorithm.messages() * runs)});
    }
    ++number;
  }
  return way;
}

ChunkSimulation::ChunkSimulation(const LatencyModel& model, Grain grain)
    : model_(&model),
      grain_(grain),
      dimensions_(model.adds_in_network() ? 2 * model.dimensions() : model.dimensions()) {
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const std::size_t d = i % model.dimensions();
    const bool whole = grain == Grain::kOperations && !model.in_network(d);
    dimensions_[i].latency = whole ? model.fixed_delay(d) : model.step_latency(d);
  }
}

Femtoseconds ChunkSimulation::run(std::span<const ChunkPlan> chunks, IntraDimension policy) {
  std::vector<ChunkPath> ways;
  ways.reserve(chunks.size());
  for (const ChunkPlan& plan : chunks) ways.push_back(chunk_path(*model_, plan, policy, grain_));
  return run(ways);
}

Femtoseconds ChunkSimulation::run(std::span<const ChunkPath> ways, Femtoseconds give_up) {
  in_turns_ = false;
  return run_all(ways, give_up);
}

Femtoseconds ChunkSimulation::run_in_turns(std::span<const ChunkPath> ways,
                                           std::span<const std::vector<ChunkTurn>> turns) {
  in_turns_ = true;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) dimensions_[d].order = turns[d];
  return run_all(ways, kNever);
}

std::vector<std::vector<ChunkTurn>> ChunkSimulation::turns() const {
  std::vector<std::vector<ChunkTurn>> turns;
  for (const Dimension& dimension : dimensions_) turns.push_back(dimension.taken);
  return turns;
}

Femtoseconds ChunkSimulation::run_all(std::span<const ChunkPath> ways, Femtoseconds give_up) {
  ways_ = ways;
  now_ = 0;
  progress_.assign(ways.size(), {});
  for (Dimension& dimension : dimensions_) {
    dimension.waiting.clear();
    dimension.in_flight.clear();
    dimension.arrived = 0;
    dimension.free_at = 0;
    dimension.to_send = 0;
    dimension.taken.clear();
    dimension.begun.clear();
  }
  least_finish_ = 0;
  count_steps();
  for (std::size_t chunk = 0; chunk < ways.size(); ++chunk) begin_step(static_cast<std::int32_t>(chunk), 0);
  for (;;) {
    for (Dimension& dimension : dimensions_) serve(dimension);
    if (least_finish_ > give_up) return least_finish_;
    const Femtoseconds next = next_event();
    if (next == kNever) return now_;
    now_ = next;
    if (now_ > give_up) return now_;
    // All events of an instant are processed before the next steps are chosen.
    for (Dimension& dimension : dimensions_) receive(dimension);
  }
}

namespace {

// Adds two times that are only compared; saturates instead of overflowing.
Femtoseconds capped_sum(Femtoseconds time, Femtoseconds by) {
  Femtoseconds sum = 0;
  return __builtin_add_overflow(time, by, &sum) ? kLongestTime : std::min(sum, kLongestTime);
}

}  // namespace

void ChunkSimulation::count_steps() {
  for (const ChunkPath& way : ways_) {
    for (const ChunkStep& step : way) {
      Femtoseconds& to_send = dimensions_[static_cast<std::size_t>(step.dimension)].to_send;
      to_send = capped_sum(to_send, step.transfer);
    }
  }
}

Femtoseconds ChunkSimulation::next_event() const {
  Femtoseconds next = kNever;
  for (const Dimension& dimension : dimensions_) {
    if (has_next(dimension)) next = std::min(next, dimension.free_at);
    if (dimension.arrived < dimension.in_flight.size()) {
      next = std::min(next, dimension.in_flight[dimension.arrived].arrives);
    }
  }
  return next;
}

namespace {

// Orders a heap such that the element to be served next is at the front.
constexpr auto kGoesLater = [](const auto& a, const auto& b) {
  return std::tie(a.place, a.rank, a.came, a.chunk) > std::tie(b.place, b.rank, b.came, b.chunk);
};

}  // namespace

void ChunkSimulation::begin_step(std::int32_t chunk, std::int32_t step) {
  const ChunkPath& way = ways_[static_cast<std::size_t>(chunk)];
  if (static_cast<std::size_t>(step) == way.size()) return;
  const ChunkStep& begins = way[static_cast<std::size_t>(step)];
  Progress& progress = progress_[static_cast<std::size_t>(chunk)];
  if (begins.begins_stage) {
    progress.came = now_;
    progress.operation = std::numeric_limits<std::size_t>::max();
  }
  progress.ready = step;
  if (in_turns_) return;
  auto& waiting = dimensions_[static_cast<std::size_t>(begins.dimension)].waiting;
  waiting.push_back({progress.operation, begins.rank, progress.came, chunk, step});
  std::ranges::push_heap(waiting, kGoesLater);
}

bool ChunkSimulation::has_next(const Dimension& dimension) const {
  if (!in_turns_) return !dimension.waiting.empty();
  if (dimension.taken.size() == dimension.order.size()) return false;
  const ChunkTurn next = dimension.order[dimension.taken.size()];
  return progress_[static_cast<std::size_t>(next.chunk)].ready == next.step;
}

ChunkTurn ChunkSimulation::dequeue_next(Dimension& dimension) {
  ChunkTurn next;
  if (in_turns_) {
    next = dimension.order[dimension.taken.size()];
  } else {
    std::ranges::pop_heap(dimension.waiting, kGoesLater);
    next = {dimension.waiting.back().chunk, dimension.waiting.back().step};
    dimension.waiting.pop_back();
  }
  dimension.taken.push_back(next);
  progress_[static_cast<std::size_t>(next.chunk)].ready = -1;
  return next;
}

void ChunkSimulation::serve(Dimension& dimension) {
  if (dimension.free_at > now_ || !has_next(dimension)) return;
  const ChunkTurn goes = dequeue_next(dimension);
  const ChunkStep& step = ways_[static_cast<std::size_t>(goes.chunk)][static_cast<std::size_t>(goes.step)];
  Progress& progress = progress_[static_cast<std::size_t>(goes.chunk)];
  if (step.begins_stage) {
    progress.operation = dimension.begun.size();
    dimension.begun.push_back(
        {.chunk = goes.chunk, .stage = step.stage, .came = progress.came, .began = now_});
  }
  // At best, the remaining messages are sent back to back from now on, after which the last message still has
  // to arrive.
  const Femtoseconds sent = capped_sum(now_, dimension.to_send);
  least_finish_ = std::max(least_finish_, capped_sum(sent, dimension.latency));
  dimension.to_send -= step.transfer;
  dimension.free_at = checked_sum(now_, step.transfer);
  const Femtoseconds arrives = checked_sum(dimension.free_at, dimension.latency);
  dimension.in_flight.push_back({arrives, goes.chunk, goes.step});
  if (!step.ends_stage) return;
  const std::size_t began_in = static_cast<std::size_t>(step.dimension) % model_->dimensions();
  ChunkOperation& operation = dimensions_[began_in].begun[progress.operation];
  operation.sent = dimension.free_at;
  operation.complete = arrives;
}

void ChunkSimulation::receive(Dimension& dimension) {
  while (dimension.arrived < dimension.in_flight.size()) {
    const InFlight message = dimension.in_flight[dimension.arrived];
    if (message.arrives > now_) return;
    ++dimension.arrived;
    begin_step(message.chunk, message.step + 1);
  }
}

}  // namespace coppice::schedule

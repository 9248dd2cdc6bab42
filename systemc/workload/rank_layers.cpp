#include <fmt/format.h>

#include "workload/rank_program.h"

// Builds the passes of a rank over its layers.
namespace coppice::workload {
namespace {

constexpr auto kContextIndex = static_cast<std::size_t>(ParallelAxis::kContext);

Work difference(const Work& whole, const Work& part) {
  return {whole.operations - part.operations, whole.bytes - part.bytes};
}

Work portion(const Work& whole, double parts) {
  return {whole.operations / parts, whole.bytes / parts};
}

}  // namespace

Frontier RankProgramBuilder::forward_layer(const Place& place, Frontier ready, const Frontier& gathered) {
  return forward_mlp(place, forward_attention(place, both(std::move(ready), gathered)));
}

Frontier RankProgramBuilder::forward_attention(const Place& place, Frontier ready) {
  const PassWork work = attention_work(training_.model, slice_);
  const std::string name = place.name + " attention";
  ready = enter(place, " attention", std::move(ready));
  if (slice_.context > 1 && training_.context_exchange == ContextExchange::kRing) {
    ready = ring_attention(place, std::move(ready), difference(work.forward, work.scores), work.scores);
  } else if (slice_.context > 1) {
    ready = compute(name, difference(work.forward, work.scores), place.purpose, std::move(ready));
    ready = join(context_group_, CollectiveOp::kAllGather, key_value_bytes() * slice_.context, "context",
                 name + " keys", std::move(ready));
    ready = compute(name + " scores", work.scores, place.purpose, std::move(ready));
  } else {
    ready = compute(name, work.forward, place.purpose, std::move(ready));
  }
  return leave(place, " attention", std::move(ready));
}

// One step in which blocks move around the ring: the rank sends its block to the next rank and receives the
// block of the previous rank.
Frontier RankProgramBuilder::ring_step(const Place& place, Bytes bytes, Frontier block) {
  ParallelCoordinates to = at_;
  ParallelCoordinates from = at_;
  const auto ways = static_cast<int>(slice_.context);
  to[kContextIndex] = (at_[kContextIndex] + 1) % ways;
  from[kContextIndex] = (at_[kContextIndex] + ways - 1) % ways;
  const int next = layout_.rank(to);
  const int previous = layout_.rank(from);
  builder_.send(rank_, {kRingTransfer, ring_sends_[next]++, 0, 0, 0},
                {place.name + " keys", rank_, next, bytes, "context"}, block, iteration_);
  return {builder_.receive(rank_, {kRingTransfer, ring_receives_[previous]++, 0, 0, 0},
                           {place.name + " keys", previous, rank_, bytes, "context"}, std::move(block),
                           iteration_)};
}

Frontier RankProgramBuilder::ring_attention(const Place& place, Frontier ready, const Work& projections,
                                            const Work& scores) {
  const std::string name = place.name + " attention";
  const Frontier projected = compute(name, projections, place.purpose, std::move(ready));
  Frontier block = projected;
  Frontier computed = projected;
  for (int step = 0; step < slice_.context; ++step) {
    if (step > 0) block = ring_step(place, key_value_bytes(), std::move(block));
    computed =
        compute(fmt::format("{} scores {}", name, step), portion(scores, static_cast<double>(slice_.context)),
                place.purpose, both(computed, block));
  }
  return computed;
}

// Keys and values travel around the ring a second time. Their gradients travel with them and, at the end,
// return to the ranks that own them.
Frontier RankProgramBuilder::ring_attention_gradient(const Place& place, Frontier ready,
                                                     const Work& projections, const Work& scores) {
  const std::string name = place.name + " attention";
  const auto ways = static_cast<double>(slice_.context);
  Frontier block = ready;
  Frontier computed = std::move(ready);
  for (int step = 0; step < slice_.context; ++step) {
    // The block includes the gradients computed so far, so it can be sent only after they are computed.
    if (step > 0) block = ring_step(place, 2 * key_value_bytes(), both(block, computed));
    computed = compute(fmt::format("{} scores {}", name, step), portion(scores, ways), place.purpose,
                       both(computed, block));
  }
  block = ring_step(place, key_value_bytes(), both(block, computed));
  return compute(name, projections, place.purpose, both(computed, block));
}

Bytes RankProgramBuilder::routed_bytes() const {
  return hidden_bytes() * training_.model.experts_per_token;
}

// Whether each tensor-parallel rank sends only its share of the tokens to the experts. The ranks of an expert
// then gather all tokens that arrive.
bool RankProgramBuilder::routes_shares() const {
  return training_.sequence_parallel && training_.parallel.expert > 1;
}

Frontier RankProgramBuilder::gather_inputs(const Place& place, const char* what, Frontier ready) {
  if (!routes_shares()) return enter(place, what, std::move(ready));
  return join(tensor_group_, CollectiveOp::kAllGather, routed_bytes(), "tensor", place.name + what,
              std::move(ready));
}

Frontier RankProgramBuilder::to_experts(const Place& place, Frontier ready) {
  const auto route = [&](Bytes bytes, Frontier after) {
    return join(expert_group_, CollectiveOp::kAllToAll, bytes, "expert", place.name + " mlp to experts",
                std::move(after));
  };
  if (!routes_shares()) return route(routed_bytes(), enter(place, " mlp", std::move(ready)));
  return gather_inputs(place, " mlp", route(routed_bytes() / slice_.tensor, std::move(ready)));
}

Frontier RankProgramBuilder::from_experts(const Place& place, Frontier ready) {
  const auto route = [&](Bytes bytes, Frontier after) {
    return join(expert_group_, CollectiveOp::kAllToAll, bytes, "expert", place.name + " mlp from experts",
                std::move(after));
  };
  if (!routes_shares()) return leave(place, " mlp", route(routed_bytes(), std::move(ready)));
  return route(routed_bytes() / slice_.tensor,
               join(tensor_group_, CollectiveOp::kReduceScatter, routed_bytes(), "tensor",
                    place.name + " mlp", std::move(ready)));
}

Frontier RankProgramBuilder::forward_mlp(const Place& place, Frontier ready) {
  ready = to_experts(place, std::move(ready));
  ready = compute(place.name + " mlp", mlp_work(training_.model, slice_).forward, place.purpose,
                  std::move(ready));
  return from_experts(place, std::move(ready));
}

Frontier RankProgramBuilder::backward_layer(const Place& place, Frontier ready, const Frontier& gathered,
                                            Frontier& weights) {
  ready = both(std::move(ready), gathered);
  if (training_.recompute == Recomputation::kFull) {
    const Place again{place.name + " again", Purpose::kRecomputation};
    ready = both(ready, forward_layer(again, ready, {}));
  }
  return backward_attention(place, backward_mlp(place, std::move(ready), weights), weights);
}

Frontier RankProgramBuilder::backward_mlp(const Place& place, Frontier ready, Frontier& weights) {
  const std::string name = place.name + " mlp";
  const PassWork work = mlp_work(training_.model, slice_);
  // Only this rank's share of the input was stored, so the rest must be gathered.
  const Frontier inputs = gather_inputs(place, " mlp inputs", ready);
  ready = to_experts(place, std::move(ready));
  ready = compute(name, work.input_gradient, place.purpose, std::move(ready));
  weights = both(std::move(weights), compute(name + " weights", work.weight_gradient,
                                             Purpose::kWeightGradient, both(ready, inputs)));
  return from_experts(place, std::move(ready));
}

Frontier RankProgramBuilder::backward_attention(const Place& place, Frontier ready, Frontier& weights) {
  const std::string name = place.name + " attention";
  const PassWork work = attention_work(training_.model, slice_);
  const Work scores{2 * work.scores.operations, 2 * work.scores.bytes};
  const Work projections = difference(work.input_gradient, scores);
  const Frontier inputs = enter(place, " attention inputs", ready);
  ready = enter(place, " attention", std::move(ready));
  if (training_.recompute == Recomputation::kSelective) {
    ready = compute(name + " again", work.scores, Purpose::kRecomputation, std::move(ready));
  }
  if (slice_.context > 1 && training_.context_exchange == ContextExchange::kRing) {
    ready = ring_attention_gradient(place, std::move(ready), projections, scores);
  } else if (slice_.context > 1) {
    const Bytes all = key_value_bytes() * slice_.context;
    ready = join(context_group_, CollectiveOp::kAllGather, all, "context", name + " keys", std::move(ready));
    ready = compute(name + " scores", scores, place.purpose, std::move(ready));
    ready = join(context_group_, CollectiveOp::kReduceScatter, all, "context", name + " key gradients",
                 std::move(ready));
    ready = compute(name, projections, place.purpose, std::move(ready));
  } else {
    ready = compute(name, work.input_gradient, place.purpose, std::move(ready));
  }
  weights = both(std::move(weights), compute(name + " weights", work.weight_gradient,
                                             Purpose::kWeightGradient, both(ready, inputs)));
  return leave(place, " attention", std::move(ready));
}

}  // namespace coppice::workload

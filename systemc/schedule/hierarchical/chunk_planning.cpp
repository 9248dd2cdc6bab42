#include "schedule/hierarchical/chunk_planning.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "schedule/hierarchical/themis.h"

namespace coppice::schedule {
namespace {

constexpr int kUsualChunks = 64;  // Themis, Sec. 5.3

// Returns the size of the smallest chunk in which every piece has at least one element.
Bytes least_chunk(const LatencyModel& model, const CompileRequest& request) {
  return pieces_of_a_chunk(model.accelerators(), model.rings()) * request.element;
}

}  // namespace

int chunk_count(const LatencyModel& model, const CompileRequest& request) {
  if (request.chunks != kAutomaticChunks) return request.chunks;
  return static_cast<int>(std::clamp<Bytes>(request.size / least_chunk(model, request), 1, kUsualChunks));
}

ChunkSchedule plan_chunks(const LatencyModel& model, const CompileRequest& request) {
  const int count = chunk_count(model, request);
  const auto chunks = split_into_chunks(request.size, request.element, count);
  const ChunkScheduler scheduler = request.chunk_policy.scheduler;
  const std::optional<IntraDimension>& named = request.chunk_policy.intra_dimension;
  const IntraDimension policy = named.value_or(usual_policy(scheduler));
  switch (scheduler) {
    case ChunkScheduler::kBaseline:
      break;
    case ChunkScheduler::kThemis:
      return {schedule_themis(model, request.collective, chunks), policy};
    case ChunkScheduler::kThemisPlus:
      return schedule_themis_plus(model, request.collective, chunks, least_chunk(model, request), named,
                                  {.seed = request.seed});
  }
  return {schedule_baseline(model, request.collective, chunks), policy};
}

LatencyModel latency_model(std::vector<DimensionModel> dimensions, const CompileRequest& request) {
  set_methods(dimensions, request.chunk_policy.methods);
  const bool knows_machine = request.chunk_policy.scheduler == ChunkScheduler::kThemisPlus;
  return LatencyModel(std::move(dimensions), request.element, knows_machine ? request.timing : StepTiming{});
}

}  // namespace coppice::schedule

#include "schedule/hierarchical/chunk_prediction.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace coppice::schedule {
namespace {

struct Interval {
  Femtoseconds begin = 0;
  Femtoseconds end = 0;
};

void require_few_windows(Femtoseconds finish, Femtoseconds window) {
  constexpr Femtoseconds kMost = 1'000'000;
  if (finish / window < kMost) return;
  throw UnsupportedError(fmt::format(
      "{} consists of {} windows of {}, but at most {} windows are possible: choose longer windows",
      format_duration(finish), finish / window + 1, format_duration(window), kMost));
}

// Returns the fraction of each window that the union of the intervals covers.
std::vector<double> coverage(std::vector<Interval> intervals, Femtoseconds finish, Femtoseconds window) {
  std::ranges::sort(intervals, {}, &Interval::begin);
  std::vector<Femtoseconds> covered(
      static_cast<std::size_t>(finish / window + (finish % window == 0 ? 0 : 1)), 0);
  Femtoseconds until = 0;  // time up to which the coverage has been counted
  for (const Interval& interval : intervals) {
    for (Femtoseconds at = std::max(until, interval.begin); at < interval.end;) {
      const Femtoseconds end = std::min(interval.end, (at / window + 1) * window);
      covered[static_cast<std::size_t>(at / window)] += end - at;
      at = end;
    }
    until = std::max(until, interval.end);
  }
  std::vector<double> parts;
  for (std::size_t w = 0; w < covered.size(); ++w) {
    const Femtoseconds begin = static_cast<Femtoseconds>(w) * window;
    parts.push_back(static_cast<double>(covered[w]) / static_cast<double>(std::min(window, finish - begin)));
  }
  return parts;
}

}  // namespace

ChunkStudy study_chunks(const LatencyModel& planner, const LatencyModel& machine, Collective collective,
                        std::span<const ChunkPlan> plans, IntraDimension policy, Femtoseconds window,
                        Grain grain) {
  ChunkSimulation planned(planner, grain);
  planned.run(plans, policy);
  const auto turns = planned.turns();
  const LatencyModel& model = machine;
  std::vector<std::vector<ChunkStage>> stages;
  std::vector<ChunkPath> ways;
  Bytes data = 0;
  for (const ChunkPlan& plan : plans) {
    stages.push_back(stages_of(model, plan));
    ways.push_back(chunk_path(model, plan, policy, grain));
    data += plan.bytes;
  }
  ChunkSimulation simulation(model, grain);
  ChunkStudy study;
  study.finish = simulation.run_in_turns(ways, turns);
  study.ideal = ideal_time(model, collective, data);
  require_few_windows(study.finish, window);
  double used = 0;
  for (std::size_t d = 0; d < model.dimensions(); ++d) {
    ChunkStudy::Dimension& dimension = study.dimensions.emplace_back();
    Femtoseconds busy = 0;
    std::vector<Interval> present;
    for (const ChunkOperation& operation : simulation.operations(d)) {
      const ChunkStage& stage =
          stages[static_cast<std::size_t>(operation.chunk)][static_cast<std::size_t>(operation.stage)];
      dimension.sent += stage.sent;
      dimension.operations.push_back(operation);
      busy += stage.transfer;
      present.push_back({operation.came, operation.complete});
    }
    dimension.utilization = static_cast<double>(busy) / static_cast<double>(study.finish);
    used += dimension.utilization * static_cast<double>(model.dimension(d).bandwidth.bytes_per_second);
    dimension.activity = coverage(std::move(present), study.finish, window);
  }
  // Without in-network reduction, the mean utilization of the dimensions equals ideal / finish.
  study.utilization = model.adds_in_network()
                          ? used / static_cast<double>(model.total_bandwidth().bytes_per_second)
                          : static_cast<double>(study.ideal) / static_cast<double>(study.finish);
  return study;
}

}  // namespace coppice::schedule

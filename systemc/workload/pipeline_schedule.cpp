#include "workload/pipeline_schedule.h"

#include <algorithm>
#include <stdexcept>

namespace coppice::workload {
namespace {

std::vector<PipelineUnit> gpipe(int micro_batches) {
  std::vector<PipelineUnit> units;
  for (int m = 0; m < micro_batches; ++m) units.push_back({true, 0, m});
  for (int m = micro_batches - 1; m >= 0; --m) units.push_back({false, 0, m});
  return units;
}

// The k-th forward pass of a rank. Micro-batches pass through the rank's chunks in rounds of as many
// micro-batches as there are ranks.
PipelineUnit nth_forward(int k, int ranks, int chunks) {
  const int round = k / (ranks * chunks);
  const int within = k % (ranks * chunks);
  return {true, within / ranks, round * ranks + within % ranks};
}

PipelineUnit nth_backward(int k, int ranks, int chunks) {
  const PipelineUnit mirror = nth_forward(k, ranks, chunks);
  return {false, chunks - 1 - mirror.chunk, mirror.micro_batch};
}

// Performs `ahead` forward passes, then alternates forward and backward passes.
std::vector<PipelineUnit> alternate(int ahead, int ranks, int chunks, int micro_batches) {
  const int passes = chunks * micro_batches;
  ahead = std::min(ahead, passes);
  std::vector<PipelineUnit> units;
  for (int k = 0; k < ahead; ++k) units.push_back(nth_forward(k, ranks, chunks));
  for (int k = 0; k < passes; ++k) {
    if (ahead + k < passes) units.push_back(nth_forward(ahead + k, ranks, chunks));
    units.push_back(nth_backward(k, ranks, chunks));
  }
  return units;
}

}  // namespace

const char* to_string(PipelineSchedule schedule) {
  switch (schedule) {
    case PipelineSchedule::kGpipe:
      return "gpipe";
    case PipelineSchedule::kOneForwardOneBackward:
      return "1f1b";
    case PipelineSchedule::kInterleaved:
      return "interleaved";
  }
  return "?";
}

std::vector<PipelineUnit> pipeline_order(PipelineSchedule schedule, int ranks, int rank, int chunks,
                                         int micro_batches) {
  if (schedule != PipelineSchedule::kInterleaved && chunks != 1) {
    throw std::invalid_argument(
        "only an interleaved schedule can have more than one chunk of layers per rank");
  }
  switch (schedule) {
    case PipelineSchedule::kGpipe:
      return gpipe(micro_batches);
    case PipelineSchedule::kOneForwardOneBackward:
      return alternate(ranks - 1 - rank, 1, 1, micro_batches);
    case PipelineSchedule::kInterleaved:
      break;
  }
  if (micro_batches % ranks != 0) {
    throw std::invalid_argument(
        "the number of micro-batches of an interleaved schedule must be a multiple of the number of pipeline "
        "ranks");
  }
  return alternate(2 * (ranks - 1 - rank) + (chunks - 1) * ranks, ranks, chunks, micro_batches);
}

}  // namespace coppice::workload

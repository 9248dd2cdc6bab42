#pragma once

#include <vector>

namespace coppice::workload {

// The order in which the stages of a pipeline compute micro-batches.
enum class PipelineSchedule {
  kGpipe,                  // all forward passes, then all backward passes (Huang et al. 2019)
  kOneForwardOneBackward,  // forward and backward passes alternate as early as possible (Narayanan et al.
                           // 2021, PipeDream-Flush)
  kInterleaved,  // like kOneForwardOneBackward, with several stages per rank (Narayanan et al. 2021,
                 // Sec. 2.2)
};
const char* to_string(PipelineSchedule schedule);  // "gpipe", "1f1b", "interleaved"

// The pass of one micro-batch through one of a rank's chunks of layers.
struct PipelineUnit {
  bool forward = true;
  int chunk = 0;
  int micro_batch = 0;
  bool operator==(const PipelineUnit&) const = default;
};

// The passes of rank `rank` of `ranks` in one iteration, in order. A rank has `chunks` chunks of layers;
// chunk c of rank r is stage c x ranks + r. Throws std::invalid_argument if the schedule is kInterleaved and
// `micro_batches` is not a multiple of `ranks`, or if another schedule has more than one chunk.
std::vector<PipelineUnit> pipeline_order(PipelineSchedule schedule, int ranks, int rank, int chunks,
                                         int micro_batches);

}  // namespace coppice::workload

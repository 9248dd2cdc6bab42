#pragma once

#include <cstdint>
#include <functional>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The messages of one accelerator's port in a step of a pipeline.
struct PipelineStep {
  Bytes bytes = 0;   // of one message
  int messages = 1;  // sent back to back
};

// The number of steps for which a message is in flight and being counted while the pipeline continues:
// messages that depend on it are due that many steps later.
int steps_of_a_hop(const topology::Topology& topology, const CompileRequest& request,
                   const PipelineStep& step);

// The faster of two schedules by their expected times.
Schedule faster_of(const topology::Topology& topology, const CompileRequest& request, Schedule one,
                   Schedule other);

// The schedule with CompileRequest::chunks pieces or, if automatic, with the number expected to be fastest:
// calls `compile` with 1, 2, 4, ... as long as more pieces help, each of the `flows` per piece has an
// element, and the tables stay small; `messages` is the number of messages of all accelerators per piece.
Schedule best_of_pieces(const topology::Topology& topology, const CompileRequest& request,
                        std::int64_t messages, int flows, const std::function<Schedule(int pieces)>& compile);

}  // namespace coppice::schedule

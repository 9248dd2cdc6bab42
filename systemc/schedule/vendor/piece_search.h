#pragma once

#include <cstdint>
#include <functional>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The messages of one accelerator's port in a step of a pipeline.
struct PipelineStep {
  Bytes bytes = 0;   // of a message
  int messages = 1;  // that leave one after the other
};

// Steps that a message is on its way, and counted, while the pipeline goes on: what waits for it is due so
// many steps later.
int steps_of_a_hop(const topology::Topology& topology, const CompileRequest& request,
                   const PipelineStep& step);

// The faster of two schedules by their expected times.
Schedule faster_of(const topology::Topology& topology, const CompileRequest& request, Schedule one,
                   Schedule other);

// The schedule of CompileRequest::chunks pieces, or of as many as should be fastest: `compile` is asked for
// 1, 2, 4, ... while more gain, as far as `flows` per piece have an element each and the tables stay small;
// `messages` are those of all accelerators for a piece.
Schedule best_of_pieces(const topology::Topology& topology, const CompileRequest& request,
                        std::int64_t messages, int flows, const std::function<Schedule(int pieces)>& compile);

}  // namespace coppice::schedule

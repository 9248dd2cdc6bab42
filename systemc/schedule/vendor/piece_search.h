#pragma once

#include <cstdint>
#include <functional>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The messages that a port sends in one step of a pipeline.
struct PipelineStep {
  Bytes bytes = 0;   // per message
  int messages = 1;  // sent back to back
};

// The number of pipeline steps that pass until a message has arrived and been reduced or stored: messages
// that depend on it are due that many steps later.
int steps_of_a_hop(const topology::Topology& topology, const CompileRequest& request,
                   const PipelineStep& step);

// The faster of two schedules by their expected times.
Schedule faster_of(const topology::Topology& topology, const CompileRequest& request, Schedule one,
                   Schedule other);

// The schedule with CompileRequest::chunks pieces or, if automatic, with the number that is expected to be
// fastest: calls `compile` with 1, 2, 4, ... as long as more pieces help, each of the `flows` flows of a
// piece has an element, and the tables remain small. `messages`: the number of messages per piece, summed
// over all accelerators.
Schedule best_of_pieces(const topology::Topology& topology, const CompileRequest& request,
                        std::int64_t messages, int flows, const std::function<Schedule(int pieces)>& compile);

}  // namespace coppice::schedule

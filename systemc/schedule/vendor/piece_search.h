#pragma once

#include <cstdint>
#include <functional>

#include "schedule/compile/compiler.h"

namespace coppice::schedule {

// The messages that a port sends in one step of a pipeline.
struct PipelineStep {
  Bytes bytes = 0;   // bytes per message
  int messages = 1;  // number of messages, which are sent back to back
};

// Returns the number of pipeline steps until a message has arrived and been reduced or stored. Messages that
// depend on it are due that many steps later.
int steps_of_a_hop(const topology::Topology& topology, const CompileRequest& request,
                   const PipelineStep& step);

// Returns the schedule with the shorter expected time.
Schedule faster_of(const topology::Topology& topology, const CompileRequest& request, Schedule one,
                   Schedule other);

// Returns the schedule with CompileRequest::chunks pieces or, if the number is automatic, with the number
// that is expected to be fastest. In the latter case, `compile` is called with 1, 2, 4, ... pieces as long as
// more pieces help, each of the `flows` flows of a piece has an element, and the tables remain small.
// `messages` is the number of messages per piece, summed over all accelerators.
Schedule best_of_pieces(const topology::Topology& topology, const CompileRequest& request,
                        std::int64_t messages, int flows, const std::function<Schedule(int pieces)>& compile);

}  // namespace coppice::schedule

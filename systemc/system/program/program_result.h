#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "system/process/cost_meter.h"
#include "system/program/program_machine.h"
#include "system/program/program_timeline.h"

namespace coppice::system {

// The record of a run, "coppice.result/1", whatever ran: what the run took and moved; of a collective that is
// all that the program does also its bandwidth, bound and tables; of all but the configuration's collective
// of all accelerators also iterations, collectives and accelerators. Throws ModelError, naming the quantity,
// for a run that ended before the least possible time or a part of time or bandwidth above 1: no wrong number
// leaves in silence.
nlohmann::ordered_json make_result(const ProgramSetup& setup, const ProgramMachine& machine,
                                   const ProgramTimeline& timeline, const std::string& statistics_path,
                                   const CostMeter& cost);

// Whether the program is but the configuration's collective of all accelerators.
bool is_collective(const workload::Program& program);

// For people: of a result of make_result().
std::string summarize(const nlohmann::ordered_json& result);

}  // namespace coppice::system

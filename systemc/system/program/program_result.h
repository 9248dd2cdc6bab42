#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "system/process/cost_meter.h"
#include "system/program/program_machine.h"
#include "system/program/program_timeline.h"

namespace coppice::system {

// The record of any run, "coppice.result/1": its time and traffic; if the program is a single collective,
// also its bandwidth, bound and tables; unless it is the configuration's collective of all accelerators, also
// iterations, collectives and accelerators. Throws ModelError naming the quantity if the run ended before the
// least possible time or a fraction of time or bandwidth exceeds 1, so that no wrong number goes unnoticed.
nlohmann::ordered_json make_result(const ProgramSetup& setup, const ProgramMachine& machine,
                                   const ProgramTimeline& timeline, const std::string& statistics_path,
                                   const CostMeter& cost);

// Whether the program is only the configuration's collective of all accelerators.
bool is_collective(const workload::Program& program);

// The text summary of a result of make_result().
std::string summarize(const nlohmann::ordered_json& result);

}  // namespace coppice::system

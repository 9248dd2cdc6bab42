#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "system/process/cost_meter.h"
#include "system/program/program_machine.h"
#include "system/program/program_timeline.h"

namespace coppice::system {

// Creates the result of a run, "coppice.result/1". Every result contains the time and traffic of the run. The
// result of a single collective also contains its bandwidth, bound and tables. Unless the run is the
// configured collective among all accelerators, the result also lists iterations, collectives and
// accelerators. Throws a ModelError that names the quantity if the run was faster than possible or a fraction
// of time or bandwidth exceeds 1.
nlohmann::ordered_json make_result(const ProgramSetup& setup, const ProgramMachine& machine,
                                   const ProgramTimeline& timeline, const std::string& statistics_path,
                                   const CostMeter& cost);

// Whether the program consists only of the configured collective among all accelerators.
bool is_collective(const workload::Program& program);

// Formats a summary of a result of make_result().
std::string summarize(const nlohmann::ordered_json& result);

}  // namespace coppice::system

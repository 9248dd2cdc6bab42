#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is an MSCCL++ execution plan: JSON with thread blocks.
bool looks_like_plan(std::string_view text);

// The tables of an MSCCL++ execution plan (the JSON that mscclpp.language writes). Its one-sided operations
// are executed symbolically, and every value that crosses the network becomes a message, as in parse_msccl().
// Blocks that share an operation (tbg_info) each take their part of its chunks; a pipeline runs as one
// iteration. Throws ConfigError with the position in the file if the plan is malformed, the algorithm is
// faulty, or the plan uses multicast by switches, which network interfaces do not support.
Schedule parse_plan(std::string_view text, const std::string& file, const topology::Topology& topology,
                    const CompileRequest& request);

// The collective that the plan implements, such as "all_reduce".
std::string plan_collective(std::string_view text, const std::string& file);

}  // namespace coppice::schedule

#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is an MSCCL++ execution plan, which is JSON with thread blocks.
bool looks_like_plan(std::string_view text);

// Builds the tables of an MSCCL++ execution plan from the JSON that mscclpp.language writes. Its one-sided
// operations are executed symbolically, and every value that crosses the network becomes a message, as in
// parse_msccl(). If blocks share an operation (tbg_info), each of them processes a part of every chunk. A
// pipeline is executed as one iteration. Throws ConfigError, with the position in the file, if the plan is
// malformed, if the algorithm is faulty, or if the plan uses multicast by switches, which network interfaces
// do not support.
Schedule parse_plan(std::string_view text, const std::string& file, const topology::Topology& topology,
                    const CompileRequest& request);

// Returns the collective that the plan implements, such as "all_reduce".
std::string plan_collective(std::string_view text, const std::string& file);

}  // namespace coppice::schedule

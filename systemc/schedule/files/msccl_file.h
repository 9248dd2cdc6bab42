#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is XML, which only MSCCL's is.
bool looks_like_xml(std::string_view text);

// The tables of an MSCCL algorithm (the XML that msccl-tools writes): its thread blocks are executed on
// symbols, the k-th send of a connection meeting its k-th receive, and every value that is sent becomes a
// message: a gather if it is final, else a reduce. What a block keeps in scratch or copies is followed by its
// value, since an accelerator here has one buffer; of an all-to-all that holds the blocks of all pairs, and
// `request` has their size. Channels of a connection spread over the parallel links
// between its ends. `request` gives what a file leaves open: size, NI ports, routing; its collective has to
// be the file's.
//
// Throws ConfigError with the place in the file: no XML of that form, a step that cannot be executed, blocks
// that wait for each other for ever, or an all-to-all that leaves a chunk out. What only a
// proof can tell is left to check_schedule().
Schedule parse_msccl(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request);

// The collective that the file is of, "all_reduce".
std::string msccl_collective(std::string_view text, const std::string& file);

}  // namespace coppice::schedule

#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is XML; only MSCCL's format is.
bool looks_like_xml(std::string_view text);

// The tables of an MSCCL algorithm (the XML that msccl-tools writes). Its thread blocks are executed
// symbolically, with the k-th send of a connection matching its k-th receive, and every value that is sent
// becomes a message: a gather if it is final, otherwise a reduce. Copies and scratch buffers are resolved to
// the values they hold, since an accelerator here has one buffer. For an all-to-all, that buffer holds the
// blocks of all pairs, and `request` has their size. Channels of a connection spread over the parallel links
// between its ends. `request` supplies what a file does not state: size, NI ports and routing; its collective
// must be that of the file.
//
// Throws ConfigError with the position in the file if the XML is malformed, a step cannot be executed, blocks
// wait for each other forever, or an all-to-all omits a chunk. Properties that need a proof are left to
// check_schedule().
Schedule parse_msccl(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request);

// The collective that the file implements, such as "all_reduce".
std::string msccl_collective(std::string_view text, const std::string& file);

}  // namespace coppice::schedule

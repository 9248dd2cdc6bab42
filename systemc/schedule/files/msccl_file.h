#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is XML. Only MSCCL's format uses XML.
bool looks_like_xml(std::string_view text);

// Builds the tables of an MSCCL algorithm from the XML that msccl-tools writes. The thread blocks are
// executed symbolically, where the k-th send of a connection matches its k-th receive. Every value that is
// sent becomes a message, which is a gather if the value is final and otherwise a reduce. Since an
// accelerator has a single buffer here, copies and scratch buffers are resolved to the values that they hold.
// For an all-to-all, the buffer contains the blocks of all pairs, and request.size is their total size. The
// channels of a connection are spread over the parallel links between its two GPUs. `request` supplies what a
// file does not state: the size, NI ports and routing. The request's collective must be that of the file.
//
// Throws ConfigError, with the position in the file, if the XML is malformed, if a step cannot be executed,
// if blocks wait for each other forever, or if an all-to-all omits a chunk. Properties that need a proof are
// left to check_schedule().
Schedule parse_msccl(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request);

// Returns the collective that the file implements, such as "all_reduce".
std::string msccl_collective(std::string_view text, const std::string& file);

}  // namespace coppice::schedule

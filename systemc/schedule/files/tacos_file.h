#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is the CSV that TACOS writes.
bool looks_like_tacos(std::string_view text);

// The tables of an algorithm synthesised by TACOS: each row lists the chunks that a directed link forwards,
// in order. The file does not state its collective; it is read as an all-gather, in which chunk c belongs to
// accelerator c / (chunks / accelerators). A reduce-scatter runs that all-gather backwards on reversed links,
// and an all-reduce runs both. `request` selects the collective and the size.
//
// Throws ConfigError with the line number if the file is not a CSV of this form, a link is missing from the
// topology, a chunk never reaches a link's sender, or an accelerator misses a chunk.
Schedule parse_tacos(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request);

// An all-gather schedule in the TACOS format, where 1 GB is 2^30 bytes. Throws UnsupportedError for other
// collectives, messages that traverse more than one link, and chunks of different lengths.
std::string to_tacos(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule

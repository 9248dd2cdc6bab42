#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file has the CSV format that TACOS writes.
bool looks_like_tacos(std::string_view text);

// Builds the tables of an algorithm that TACOS has synthesised. Each row of the file lists the chunks that a
// directed link forwards, in order. The file does not state its collective. It is read as an all-gather in
// which chunk c belongs to accelerator c / (chunks / accelerators). For a reduce-scatter, this all-gather is
// run backwards on the reversed links; for an all-reduce, this reduce-scatter is followed by the all-gather.
// `request` selects the collective and the size.
//
// Throws ConfigError, with the line number, if the file is not a CSV of this form, if a link is missing from
// the topology, if a chunk never reaches the sender of a link, or if an accelerator does not receive a chunk.
Schedule parse_tacos(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request);

// Converts an all-gather to TACOS' format, in which 1 GB is 2^30 bytes. Throws UnsupportedError for other
// collectives, for messages that cross more than one link, and for chunks of different lengths.
std::string to_tacos(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule

#pragma once

#include <string>
#include <string_view>

#include "schedule/compile/compiler.h"
#include "schedule/tables/schedule.h"

namespace coppice::schedule {

// Whether a schedule file is the CSV that TACOS writes.
bool looks_like_tacos(std::string_view text);

// The tables of an algorithm that TACOS synthesised: a row per directed link with the chunks that it
// forwards, in order. The file does not say its collective; it is read as an all-gather, chunk c of
// accelerator c / (chunks / accelerators), and forwarded link by link. A reduce-scatter is the same backwards
// on reversed links, an all-reduce one after the other. `request` says which, and the size.
//
// Throws ConfigError with the line: no such CSV, a link that the topology has not, a chunk that never reaches
// the link's sender, an accelerator that misses a chunk.
Schedule parse_tacos(std::string_view text, const std::string& file, const topology::Topology& topology,
                     const CompileRequest& request);

// The schedule of an all-gather in that form, its GB/s of 2^30 bytes. Throws UnsupportedError for other
// collectives, messages over more than one link, and chunks that differ.
std::string to_tacos(const topology::Topology& topology, const Schedule& schedule);

}  // namespace coppice::schedule

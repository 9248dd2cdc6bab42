#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/compile/table_builder.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::schedule {

// A collective that looks the same from every accelerator. It is described by the messages for the origin's
// data and the moves that map them to the messages for every other accelerator's data.
struct SymmetricSends {
  Translations moves;
  int pieces = 1;
  std::vector<Send> sends;  // for flows 0 to pieces - 1 (the origin's chunk); each send uses a channel
  // [channel]: the channel's way, a number that it shares with its images (TablePattern); -1: not used.
  std::vector<std::int32_t> ways;
};

// Whether the tables of a collective among this many accelerators should and can be stored as a pattern
// (CompileRequest::pattern_beyond). They can if all pieces of all chunks have the same length.
bool pattern_pays(const CompileRequest& request, int accelerators, int pieces);

// Builds, as a pattern, the tables that build_schedule() would build from the messages of all flows. Entries
// of the same port and step are ordered by the numbers that their flows have when the entries are moved to
// the origin. Requires pattern_pays(). Throws ModelError if the moves do not map channels to channels, or map
// one port to several.
Schedule build_symmetric_schedule(const topology::Topology& topology, const CompileRequest& request,
                                  const std::string& algorithm, const SymmetricSends& symmetric);

}  // namespace coppice::schedule

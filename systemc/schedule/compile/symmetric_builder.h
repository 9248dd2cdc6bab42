#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/compile/compiler.h"
#include "schedule/compile/table_builder.h"
#include "schedule/tables/translated_tables.h"

namespace coppice::schedule {

// A collective that looks the same from every accelerator: the messages for one accelerator's data, and the
// moves that map them to the messages for all other accelerators' data.
struct SymmetricSends {
  Translations moves;
  int pieces = 1;
  std::vector<Send> sends;  // of flows 0 to pieces - 1 (the pieces of the origin's chunk), over channels
  // [channel]: a number that the channel shares with its images (TablePattern); -1: not used.
  std::vector<std::int32_t> ways;
};

// Whether the tables of a collective on this many accelerators should (CompileRequest::pattern_beyond) and
// can be stored as a pattern: all pieces of all chunks must have the same length.
bool pattern_pays(const CompileRequest& request, int accelerators, int pieces);

// The tables that build_schedule() would make from the messages of all flows, as a pattern. Entries of one
// port and step are ordered by the distance of their flows' owners. Requires pattern_pays(). Throws
// ModelError if the moves do not map channels to channels, or map one port to several.
Schedule build_symmetric_schedule(const topology::Topology& topology, const CompileRequest& request,
                                  const std::string& algorithm, const SymmetricSends& symmetric);

}  // namespace coppice::schedule

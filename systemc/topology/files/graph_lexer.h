#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "topology/topology.h"

namespace coppice::topology {

// A word of a graph file and where it stands. Quotes are taken off; "->" and "--" are words of their own.
struct Word {
  std::string text;
  SourceLocation where;
};

using Line = std::vector<Word>;

// The words of a graph file, line by line; lines without words are left out. # starts a comment. Throws
// ConfigError at a quote that is not closed.
std::vector<Line> split_lines(std::string_view text, const std::string& file);

// The first of them; empty if there is none.
Line first_line(std::string_view text, const std::string& file);

// The place just behind a line, for what is missing there.
SourceLocation end_of(const Line& line);

// A whole number from `least` to `most`; `what` names it in the ConfigError.
std::int64_t parse_number(const Word& word, std::string_view what, std::int64_t least, std::int64_t most);

// Throws ConfigError at `where[accelerator]` if an accelerator of several has no channel out of it or none
// into it, or cannot reach another one; places may be fewer, the first counts for the rest.
void require_usable(const Topology& topology, const std::vector<SourceLocation>& places);

}  // namespace coppice::topology

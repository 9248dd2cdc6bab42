#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "topology/topology.h"

namespace coppice::topology {

// A word of a graph file and its location. Quotes are removed; "->" and "--" are separate words.
struct Word {
  std::string text;
  SourceLocation where;
};

using Line = std::vector<Word>;

// The words of a graph file, line by line, without empty lines. # starts a comment. Throws ConfigError at an
// unterminated quote.
std::vector<Line> split_lines(std::string_view text, const std::string& file);

// The first line with words; empty if there is none.
Line first_line(std::string_view text, const std::string& file);

// The location just after a line, for errors about missing words.
SourceLocation end_of(const Line& line);

// A whole number from `least` to `most`; the ConfigError calls it `what`.
std::int64_t parse_number(const Word& word, std::string_view what, std::int64_t least, std::int64_t most);

// Throws ConfigError at `where[accelerator]` if one of several accelerators has no channel out of it or none
// into it, or cannot reach another. `places` may be shorter; its first entry then stands for the rest.
void require_usable(const Topology& topology, const std::vector<SourceLocation>& places);

}  // namespace coppice::topology

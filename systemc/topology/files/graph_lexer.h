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

// Splits a graph file into lines and words, and drops empty lines. # starts a comment. Throws ConfigError if
// a quotation mark is not closed.
std::vector<Line> split_lines(std::string_view text, const std::string& file);

// Returns the first line that contains words; empty if there is none.
Line first_line(std::string_view text, const std::string& file);

// Returns the location just after a line, for errors about missing words.
SourceLocation end_of(const Line& line);

// Parses an integer from `least` to `most`. `what` describes the number in the ConfigError that is thrown if
// it is invalid.
std::int64_t parse_number(const Word& word, std::string_view what, std::int64_t least, std::int64_t most);

// Throws ConfigError if there are several accelerators and one of them has no outgoing or no incoming
// channel, or cannot reach another. The location of the error is `places[accelerator]` or, if `places` is too
// short, its first entry.
void require_usable(const Topology& topology, const std::vector<SourceLocation>& places);

}  // namespace coppice::topology

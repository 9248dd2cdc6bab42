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

// Splits a graph file into lines and words, without empty lines. # starts a comment. Throws ConfigError at a
// quotation mark that is not closed.
std::vector<Line> split_lines(std::string_view text, const std::string& file);

// The first line with words; empty if there is none.
Line first_line(std::string_view text, const std::string& file);

// The location just after a line, for errors about missing words.
SourceLocation end_of(const Line& line);

// Parses an integer from `least` to `most`. `what` describes it in the ConfigError.
std::int64_t parse_number(const Word& word, std::string_view what, std::int64_t least, std::int64_t most);

// Throws ConfigError at `places[accelerator]` if one of several accelerators has no outgoing or no incoming
// channel, or cannot reach another accelerator. If `places` is too short, its first entry is used for the
// remaining accelerators.
void require_usable(const Topology& topology, const std::vector<SourceLocation>& places);

}  // namespace coppice::topology

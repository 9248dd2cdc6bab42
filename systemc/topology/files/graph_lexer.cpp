#include "topology/files/graph_lexer.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "topology/connectivity.h"

namespace coppice::topology {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

bool is_arrow(std::string_view text) {
  return text.starts_with("->") || text.starts_with("--");
}

// Returns the length of the unquoted word at the start of `text`.
std::size_t bare_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && !is_space(text[length]) && text[length] != '#' && text[length] != '"' &&
         !is_arrow(text.substr(length))) {
    ++length;
  }
  return length;
}

Line split_line(std::string_view text, SourceLocation where) {
  Line words;
  std::size_t at = 0;
  while (at < text.size() && text[at] != '#') {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    where.column = static_cast<int>(at) + 1;
    const std::string_view rest = text.substr(at);
    if (rest.front() == '"') {
      const std::size_t close = rest.find('"', 1);
      if (close == std::string_view::npos)
        throw ConfigError(where, "this quotation mark is not closed on its line");
      words.push_back({std::string(rest.substr(1, close - 1)), where});
      at += close + 1;
    } else {
      const std::size_t length = is_arrow(rest) ? 2 : bare_length(rest);
      words.push_back({std::string(rest.substr(0, length)), where});
      at += length;
    }
  }
  return words;
}

}  // namespace

namespace {

// Returns the first `most` non-empty lines of the text, split into words.
std::vector<Line> split(std::string_view text, const std::string& file, std::size_t most) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<Line> lines;
  SourceLocation where{.file = file, .line = 1, .column = 1};
  while (!text.empty() && lines.size() < most) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (Line words = split_line(line, where); !words.empty()) lines.push_back(std::move(words));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++where.line;
  }
  return lines;
}

}  // namespace

std::vector<Line> split_lines(std::string_view text, const std::string& file) {
  return split(text, file, text.size());
}

Line first_line(std::string_view text, const std::string& file) {
  std::vector<Line> lines = split(text, file, 1);
  return lines.empty() ? Line() : std::move(lines.front());
}

SourceLocation end_of(const Line& line) {
  SourceLocation where = line.back().where;
  where.column += static_cast<int>(line.back().text.size());
  return where;
}

std::int64_t parse_number(const Word& word, std::string_view what, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const char* end = word.text.data() + word.text.size();
  const auto [stop, error] = std::from_chars(word.text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    throw ConfigError(word.where, fmt::format("'{}' is not {}: write a whole number", word.text, what));
  }
  if (error == std::errc::result_out_of_range || value < least || value > most) {
    throw ConfigError(word.where,
                      fmt::format("{} cannot be {}: it must be {} to {}", what, word.text, least, most));
  }
  return value;
}

void require_usable(const Topology& topology, const std::vector<SourceLocation>& places) {
  const auto place = [&](NodeId node) {
    const auto i = static_cast<std::size_t>(node);
    return i < places.size() ? places[i] : places.front();
  };
  for (NodeId node = 0; node < topology.num_accelerators() && topology.num_accelerators() > 1; ++node) {
    const bool out = !topology.out_channels(node).empty();
    const bool in = !topology.in_channels(node).empty();
    if (out && in) continue;
    throw ConfigError(place(node),
                      fmt::format("accelerator {} has no channel{}: it needs a channel in each direction",
                                  node, !out && !in ? "" : (out ? " into it" : " out of it")));
  }
  if (const auto apart = find_unreachable(topology)) {
    throw ConfigError(place(apart->second),
                      fmt::format("the graph is not connected: accelerator {} cannot reach accelerator {}",
                                  apart->first, apart->second));
  }
}

}  // namespace coppice::topology

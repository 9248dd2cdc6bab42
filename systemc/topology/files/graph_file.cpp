#include "topology/files/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "base/error.h"
#include "base/usable_bandwidth.h"
#include "topology/dims.h"
#include "topology/files/graph_lexer.h"

namespace coppice::topology {
namespace {

// The optional values that follow the two ends of a channel or link.
struct ChannelOptions {
  std::optional<Bandwidth> bandwidth;
  std::optional<Femtoseconds> latency;
  std::optional<double> efficiency;
  std::optional<std::int64_t> multiplicity;
};

class GraphParser {
 public:
  GraphParser(std::string file, const GraphFileDefaults& defaults)
      : file_(std::move(file)), defaults_(defaults) {}

  GraphFile parse(std::string_view text);

 private:
  // A count and its location in the file.
  struct Count {
    int value = 0;
    SourceLocation where;
  };

  void parse_statement(const Line& line);
  void parse_count(const Line& line, std::optional<Count>& count, int least);
  void parse_channel(const Line& line, bool both_ways);
  NodeId parse_node(const Word& word) const;
  ChannelOptions parse_options(const Line& line) const;
  void require_possible(const Line& line, const ChannelOptions& options) const;
  void add(const Line& line, NodeId src, NodeId dst, const ChannelOptions& options);
  GraphFile& graph(const SourceLocation& where);

  std::string file_;
  GraphFileDefaults defaults_;
  std::optional<Count> accelerators_;
  std::optional<Count> switches_;
  std::optional<GraphFile> graph_;  // set once the first channel has been read
};

// Returns the value of the keyword at `i`, which is the next word.
const Word& value_of(const Line& line, std::size_t i) {
  if (i + 1 < line.size()) return line[i + 1];
  throw ConfigError(end_of(line), fmt::format("'{}' needs a value", line[i].text));
}

// Parses the word after the keyword at `i` and stores the result in `value`.
template <typename T, typename Parse>
void parse_once(const Line& line, std::size_t i, std::optional<T>& value, Parse parse) {
  if (value) throw ConfigError(line[i].where, fmt::format("'{}' occurs twice on this line", line[i].text));
  const Word& word = value_of(line, i);
  try {
    value = parse(word.text);
  } catch (const std::invalid_argument& error) {
    throw ConfigError(word.where, error.what());
  }
}

// Parses the fraction of a link's bandwidth that messages can use. Throws std::invalid_argument if it is
// invalid.
double parse_efficiency(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0.01 && value <= 1) return value;
  throw std::invalid_argument(fmt::format("efficiency '{}' is not a number from 0.01 to 1", text));
}

ChannelOptions GraphParser::parse_options(const Line& line) const {
  ChannelOptions options;
  for (std::size_t i = 4; i < line.size(); ++i) {
    const Word& word = line[i];
    if (word.text == "bandwidth") {
      parse_once(line, i++, options.bandwidth, parse_bandwidth);
    } else if (word.text == "latency") {
      parse_once(line, i++, options.latency, parse_duration);
    } else if (word.text == "efficiency") {
      parse_once(line, i++, options.efficiency, parse_efficiency);
    } else if (word.text.size() > 1 && word.text.front() == 'x') {
      if (options.multiplicity) throw ConfigError(word.where, "the multiplicity occurs twice on this line");
      options.multiplicity =
          parse_number({word.text.substr(1), word.where}, "a multiplicity", 1, kMaxMultiplicity);
    } else {
      throw ConfigError(word.where, fmt::format("unknown word '{}': expected bandwidth \"16 GB/s\", latency "
                                                "\"150 ns\", efficiency 0.8 or x2 here",
                                                word.text));
    }
  }
  return options;
}

NodeId GraphParser::parse_node(const Word& word) const {
  const int accelerators = accelerators_->value;
  const int switches = switches_ ? switches_->value : 0;
  const bool names_switch = word.text.size() > 1 && word.text.front() == 's';
  if (names_switch) {
    if (switches == 0)
      throw ConfigError(word.where, "the network has no switches: write 'switches N' before the channels");
    const Word number{word.text.substr(1), word.where};
    return accelerators + static_cast<NodeId>(parse_number(number, "a switch", 0, switches - 1));
  }
  return static_cast<NodeId>(parse_number(word, "a node", 0, accelerators + switches - 1));
}

GraphFile& GraphParser::graph(const SourceLocation& where) {
  if (!accelerators_)
    throw ConfigError(where, "'accelerators N' must come first, for example: accelerators 8");
  if (!graph_) {
    graph_ = GraphFile{.topology =
                           Topology(Kind::kFile, {}, accelerators_->value, switches_ ? switches_->value : 0)};
  }
  return *graph_;
}

// Checks the values that the file sets. Default values have already been checked as part of the
// configuration.
void GraphParser::require_possible(const Line& line, const ChannelOptions& options) const {
  if (defaults_.objection == nullptr) return;
  const auto check = [&](const char* word, const LinkSpec& link) {
    const std::string objection = (*defaults_.objection)(link);
    if (objection.empty()) return;
    const auto at = std::ranges::find(line, word, &Word::text);
    throw ConfigError((at + 1)->where, fmt::format("{}: {}", word, objection));
  };
  if (options.bandwidth) check("bandwidth", {*options.bandwidth, 0});
  if (options.latency) check("latency", {Bandwidth{1}, *options.latency});
}

void GraphParser::add(const Line& line, NodeId src, NodeId dst, const ChannelOptions& options) {
  const Bandwidth bandwidth = usable_bandwidth(options.bandwidth.value_or(defaults_.link.bandwidth),
                                               options.efficiency.value_or(defaults_.efficiency));
  try {
    graph_->topology.add_channel(src, dst, bandwidth, options.latency.value_or(defaults_.link.latency));
  } catch (const UnsupportedError& error) {
    throw ConfigError(line.front().where, error.what());
  }
}

void GraphParser::parse_channel(const Line& line, bool both_ways) {
  GraphFile& graph_file = graph(line.front().where);
  const std::string_view arrow = both_ways ? "--" : "->";
  if (line.size() < 4 || line[2].text != arrow) {
    throw ConfigError(line.size() < 3 ? end_of(line) : line[2].where,
                      fmt::format("write a {0} as in this example: {0} 0 {1} 1", line.front().text, arrow));
  }
  const NodeId a = parse_node(line[1]);
  const NodeId b = parse_node(line[3]);
  const ChannelOptions options = parse_options(line);
  require_possible(line, options);
  graph_file.uses_default_bandwidth |= !options.bandwidth;
  graph_file.uses_default_latency |= !options.latency;
  for (std::int64_t i = 0; i < options.multiplicity.value_or(1); ++i) {
    add(line, a, b, options);
    if (both_ways) add(line, b, a, options);
  }
}

void GraphParser::parse_count(const Line& line, std::optional<Count>& count, int least) {
  const Word& keyword = line.front();
  if (count) throw ConfigError(keyword.where, fmt::format("'{}' occurs twice: write it once", keyword.text));
  if (graph_) {
    throw ConfigError(keyword.where, fmt::format("'{}' must come before all channels", keyword.text));
  }
  const Word& word = value_of(line, 0);
  count = Count{static_cast<int>(parse_number(word, "the number of " + keyword.text, least, kMaxNodes)),
                word.where};
  if (line.size() > 2) {
    throw ConfigError(line[2].where, fmt::format("the line must end after '{} {}'", keyword.text, word.text));
  }
}

void GraphParser::parse_statement(const Line& line) {
  const Word& keyword = line.front();
  if (keyword.text == "accelerators") {
    parse_count(line, accelerators_, 1);
  } else if (keyword.text == "switches") {
    parse_count(line, switches_, 0);
  } else if (keyword.text == "channel") {
    parse_channel(line, false);
  } else if (keyword.text == "link") {
    parse_channel(line, true);
  } else {
    throw ConfigError(
        keyword.where,
        fmt::format("unknown statement '{}': write accelerators, switches, channel or link", keyword.text));
  }
}

GraphFile GraphParser::parse(std::string_view text) {
  for (const Line& line : split_lines(text, file_)) parse_statement(line);
  GraphFile& result = graph({.file = file_, .line = 1, .column = 1});
  require_usable(result.topology, {accelerators_->where});
  return std::move(result);
}

}  // namespace

GraphFile parse_graph(std::string_view text, const std::string& file, const GraphFileDefaults& defaults) {
  return GraphParser(file, defaults).parse(text);
}

}  // namespace coppice::topology

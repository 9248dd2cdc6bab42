#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "topology/dims.h"
#include "topology/files/foreign_networks.h"
#include "topology/files/named_network.h"

namespace coppice::topology {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

struct Row {
  std::vector<std::string_view> cells;
  SourceLocation where;
};

std::vector<Row> rows_of(std::string_view text, const std::string& file) {
  std::vector<Row> rows;
  for (int line = 1; !text.empty(); ++line) {
    std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.find_first_not_of(" \t,") == std::string_view::npos) continue;
    Row cells{{}, {file, line, 1}};
    while (true) {
      const std::size_t comma = row.find(',');
      cells.cells.push_back(row.substr(0, comma));
      if (comma == std::string_view::npos) break;
      row.remove_prefix(comma + 1);
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

double number_of(const Row& row, std::size_t column, const char* what, double most) {
  std::string_view text = row.cells[column];
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0 && number <= most)
    return number;
  throw ConfigError(row.where, fmt::format("{} must be a number from 0 to {:g}, not '{}'", what, most, text));
}

int node_of(const Row& row, std::size_t column, int nodes) {
  return static_cast<int>(number_of(row, column, "a node", nodes - 1));
}

}  // namespace

GraphFile parse_tacos_network(std::string_view text, const std::string& file,
                              const GraphFileDefaults& defaults) {
  const std::vector<Row> rows = rows_of(text, file);
  NamedNetwork network([&](NamedNetwork::Place at) { return rows[static_cast<std::size_t>(at)].where; });
  const int nodes = static_cast<int>(number_of(rows.front(), 0, "the number of NPUs", kMaxNodes));
  for (int node = 0; node < nodes; ++node) network.add_node(std::to_string(node), true, 0);
  for (std::size_t i = 2; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (row.cells.size() != 4) {
      throw ConfigError(row.where, "a link must be a row of Src,Dest,Latency (ns),Bandwidth (GB/s)");
    }
    network.add_link({.a = node_of(row, 0, nodes),
                      .b = node_of(row, 1, nodes),
                      .bandwidth = Bandwidth{std::llround(number_of(row, 3, "a bandwidth", 1e5) * kGibibyte)},
                      .latency = std::llround(number_of(row, 2, "a latency", 1e9) *
                                              static_cast<double>(kFemtosecondsPerNanosecond)),
                      .both_ways = false,
                      .place = static_cast<NamedNetwork::Place>(i)});
  }
  network.assume("a GB/s is 2^30 B/s, as in TACOS");
  return network.build(defaults);
}

}  // namespace coppice::topology
